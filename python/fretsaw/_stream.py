"""What grows or is looked at in parts: `Stream`, `GrowingText`, `TextIndex`."""

from ._native import GrowingText, Stream, TextIndex

__all__ = ["GrowingText", "Stream", "TextIndex"]
