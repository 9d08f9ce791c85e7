"""Exact, fast tokenization.

>>> import fretsaw
>>> tok = fretsaw.get("gpt2")
>>> tok.encode("Hello world").ids
[15496, 995]
"""

from ._cache import CacheInfo, cache_info, set_cache_limit
from ._encoding import Encoding, PaddedBatch
from ._errors import (
    BulkError,
    DecodeError,
    EncodeError,
    FretsawError,
    SpecError,
    TrainError,
    UnsupportedError,
)
from ._prompt import Prompt
from ._prune import prune
from ._report import Fit, Report, report
from ._stream import GrowingText, Stream, TextIndex
from ._tokenizer import Tokenizer
from ._train import PieceCounts, count_pieces, train
from ._train_parity import train_parity_bpe
from .vocabularies import get, names

__all__ = [
    "BulkError",
    "CacheInfo",
    "DecodeError",
    "EncodeError",
    "Encoding",
    "Fit",
    "FretsawError",
    "GrowingText",
    "PaddedBatch",
    "PieceCounts",
    "Prompt",
    "Report",
    "SpecError",
    "Stream",
    "TextIndex",
    "Tokenizer",
    "TrainError",
    "UnsupportedError",
    "cache_info",
    "count_pieces",
    "get",
    "names",
    "prune",
    "report",
    "set_cache_limit",
    "train",
    "train_parity_bpe",
]
