"""`Tokenizer`: text to ids and back."""

from ._native import Tokenizer

__all__ = ["Tokenizer"]
