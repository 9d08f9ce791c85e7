"""Exact, fast tokenization.

>>> import fretsaw
>>> tok = fretsaw.get("gpt2")
>>> tok.encode("Hello world").ids
[15496, 995]
"""

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
from ._stream import GrowingText, Stream, TextIndex
from ._tokenizer import Tokenizer

# What type checkers take for true; importing it would load half of what is saved here.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from . import spec as spec
    from . import trainers as trainers
    from . import vocabularies as vocabularies
    from ._cache import CacheInfo, cache_info, set_cache_limit
    from ._prune import prune
    from ._report import Fit, Report, report
    from ._train import PieceCounts, count_pieces, train
    from ._train_parity import train_parity_bpe
    from .vocabularies import get, names
else:
    _MODULES = {
        "CacheInfo": "_cache",
        "Fit": "_report",
        "PieceCounts": "_train",
        "Report": "_report",
        "cache_info": "_cache",
        "count_pieces": "_train",
        "get": "vocabularies",
        "names": "vocabularies",
        "prune": "_prune",
        "report": "_report",
        "set_cache_limit": "_cache",
        "spec": "",
        "train": "_train",
        "train_parity_bpe": "_train_parity",
        "trainers": "",
        "vocabularies": "",
    }
    """Where to find what is loaded when first asked for: who only encodes needs none of it."""

    def __getattr__(name):
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
        from importlib import import_module

        module = import_module(f"{__name__}.{_MODULES[name] or name}")
        value = getattr(module, name) if _MODULES[name] else module
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *_MODULES})


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
