"""What the benchmark needs of the libraries beyond their calls: loading from a file, each in the form
that it likes best, and versions. The calls themselves are those of `fretsaw bench`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fretsaw.cli._peers import PEERS, module_of_folder, name_of_version

Ids = list[int]


@dataclass(frozen=True)
class Form:
    """How a library loads a file: `load` gives its tokenizer, `one` encodes a text with that."""

    load: Callable[[str], Any]
    one: Callable[[Any, str], Ids]
    compiled: str = ""
    """The suffix of its own compiled form, if it has one; `compile` writes that."""
    compile: Callable[[str, str], object] | None = None
    load_compiled: Callable[[str], Any] | None = None


def _by_object(tok: Any, text: str) -> Ids:
    return tok.encode(text, add_special_tokens=False).ids


def _fretsaw() -> Form:
    library = importlib.import_module("fretsaw").Tokenizer
    return Form(
        library.from_file,
        lambda tok, text: tok.encode_ids(text, add_special_tokens=False),
        ".fret",
        lambda source, target: library.from_file(source).compile(target),
        library.from_file,
    )


def _tokenizers() -> Form:
    return Form(importlib.import_module("tokenizers").Tokenizer.from_file, _by_object)


def _tokenizers_1() -> Form:
    module = module_of_folder("tokenizers-1", "tokenizers")
    return Form(module.Tokenizer.from_file, _by_object)


def _snaptokens() -> Form:
    library = importlib.import_module("snaptokens").Tokenizer
    # Its compiled form lies beside the source, with another suffix.
    return Form(
        library.from_file,
        _by_object,
        ".tkz",
        lambda source, target: library.from_file(source, tkz_cache=True),
        library.from_file,
    )


def _fastokens() -> Form:
    return Form(importlib.import_module("fastokens").Tokenizer.from_file, _by_object)


def _tokie() -> Form:
    library = importlib.import_module("tokie").Tokenizer
    return Form(
        library.from_json,
        _by_object,
        ".tokie",
        lambda source, target: library.from_json(source).save(target),
        library.from_file,
    )


def _gigatoken() -> Form:
    library = importlib.import_module("gigatoken").Tokenizer
    return Form(
        lambda path: library.from_json(Path(path).read_bytes()),
        lambda tok, text: tok.encode(text).tolist(),
    )


def _kitoken() -> Form:
    library = importlib.import_module("kitoken").Kitoken
    return Form(
        library.from_tokenizers_file,
        lambda tok, text: tok.encode(text, True),
        ".kit",
        lambda source, target: library.from_tokenizers_file(source).to_file(target),
        library.from_file,
    )


def _iree() -> Form:
    library = importlib.import_module("iree.tokenizer").Tokenizer
    return Form(library.from_file, lambda tok, text: tok.encode(text))


FORMS: dict[str, Callable[[], Form]] = {
    "fretsaw": _fretsaw,
    "tokenizers": _tokenizers,
    "tokenizers-1": _tokenizers_1,
    "snaptokens": _snaptokens,
    "fastokens": _fastokens,
    "tokie": _tokie,
    "gigatoken": _gigatoken,
    "kitoken": _kitoken,
    "iree-tokenizer": _iree,
}
"""Libraries that read a tokenizer.json; tiktoken does not."""


@dataclass(frozen=True)
class Loading:
    """A library about to load one file."""

    file: Path
    load: Callable[[], Any]
    one: Callable[[Any, str], Ids]


def loading(name: str, source: Path, compiled: bool) -> Loading:
    """How a library loads a tokenizer.json, or its compiled form of it, which is written first.

    A library without such a form loads the tokenizer.json.
    """
    form = FORMS[name]()
    if not compiled or form.compile is None or form.load_compiled is None:
        return Loading(source, lambda: form.load(str(source)), form.one)
    target = source.with_suffix(form.compiled)
    if not target.exists():
        form.compile(str(source), str(target))
    load = form.load_compiled
    return Loading(target, lambda: load(str(target)), form.one)


def versions() -> dict[str, str]:
    """The installed versions of all libraries; empty for those that are not installed."""
    return {name: name_of_version(name) for name in PEERS}
