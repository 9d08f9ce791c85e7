"""`Encoding`: the ids of a text and what is known about each."""

from ._native import Encoding

__all__ = ["Encoding"]
