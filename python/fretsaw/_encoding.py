"""`Encoding`: the ids of a text and what is known about each; `PaddedBatch`: those of many."""

from ._native import Encoding, PaddedBatch

__all__ = ["Encoding", "PaddedBatch"]
