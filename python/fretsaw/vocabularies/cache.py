"""Compiled built-in vocabularies in a folder of the user's, so that only the first use compiles."""

import os
import warnings
from collections.abc import Callable
from pathlib import Path

import platformdirs

from .._tokenizer import Tokenizer, __version__

__all__ = ["compiled", "folder"]

VARIABLE = "FRETSAW_CACHE"


def folder() -> Path | None:
    """Where compiled vocabularies are kept: `FRETSAW_CACHE`, else the platform's folder for caches.

    `None` where that variable is set to nothing: then none are kept.
    """
    chosen = os.environ.get(VARIABLE)
    if chosen is None:
        return platformdirs.user_cache_path("fretsaw", appauthor=False)
    return Path(chosen) if chosen else None


def compiled(name: str, source: bytes, make: Callable[[], Tokenizer]) -> Tokenizer:
    """The tokenizer that `make` makes of `source`, from its compiled file where there is one.

    A file that is stale, damaged or of another version is made anew. One that can't be written is
    passed over with one warning.
    """
    kept = folder()
    if kept is None:
        return make()
    path = kept / f"{name}-{__version__}.fret"
    found = Tokenizer._from_cache(path, source)
    if found is not None:
        return found
    made = make()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        made._to_cache(path, source)
    except OSError as error:
        _warn(path, error)
    return made


def _warn(path: Path, error: OSError) -> None:
    global _warned
    if not _warned:
        _warned = True
        message = f"cannot keep the compiled vocabulary {path}: {error}; set {VARIABLE}="
        warnings.warn(message, RuntimeWarning, stacklevel=2)


_warned = False
