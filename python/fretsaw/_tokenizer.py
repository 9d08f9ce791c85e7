"""`Tokenizer`: text to ids and back."""

from ._native import Tokenizer, __version__

__all__ = ["Tokenizer", "__version__"]
