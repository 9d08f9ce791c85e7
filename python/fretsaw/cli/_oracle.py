"""The library that a tokenizer.json belongs to, if it is installed, and a silence around its panics."""

import contextlib
import importlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fretsaw

from ._input import InputError
from ._options import Vocabulary

__all__ = ["FAILED", "FOLLOWED", "json_of", "load", "quiet", "result_of", "version_of"]

FOLLOWED = "0.23.3"
"""The version whose behaviour fretsaw has."""

FAILED = "(an error)"
"""The result of what fails; what the error says is each library's own affair."""

MISSING = (
    "verify compares with Hugging Face's library, which is not installed; it comes with "
    f"`pip install tokenizers=={FOLLOWED}`"
)


def version_of() -> str:
    """The version of the library; raises `InputError` if it is missing."""
    try:
        return str(importlib.import_module("tokenizers").__version__)
    except ImportError as error:
        raise InputError(MISSING) from error


def load(json: str, name: str) -> Any:
    """The library's tokenizer for the content of a tokenizer.json."""
    try:
        library = importlib.import_module("tokenizers")
    except ImportError as error:
        raise InputError(MISSING) from error
    try:
        return library.Tokenizer.from_str(json)
    except Exception as error:
        raise InputError(f"{name}: tokenizers does not load it: {error}") from error


def json_of(vocabulary: Vocabulary) -> str:
    """The user's own tokenizer.json, or the one that says the same as another vocabulary."""
    path = Path(vocabulary.name)
    candidates = [path, path / "tokenizer.json"] if vocabulary.name not in fretsaw.names() else []
    for candidate in candidates:
        if candidate.is_file() and candidate.suffix == ".json" and candidate.name != "tekken.json":
            return candidate.read_text(encoding="utf-8")
    try:
        return vocabulary.tokenizer.to_str()
    except fretsaw.UnsupportedError as error:
        raise InputError(
            f"{vocabulary.name}: no tokenizer.json can say the same: {error}"
        ) from error


def result_of(call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """What a call returns, or `FAILED` if it raises; panics of the library are no `Exception`."""
    try:
        return call(*arguments, **options)
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException:
        return FAILED


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """No standard error for a while: a panic writes its own message there."""
    kept = os.dup(2)
    nothing = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nothing, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)
