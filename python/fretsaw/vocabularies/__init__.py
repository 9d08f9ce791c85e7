"""Vocabularies that come with the package, so that everything works offline."""

import difflib
import functools
import gzip
import json
from importlib import resources

from .._errors import FretsawError
from .._tokenizer import Tokenizer

__all__ = ["get", "names"]


def names() -> list[str]:
    """The names of the built-in vocabularies.

    >>> names()
    ['byte', 'gpt2']
    """
    return sorted(_LOADERS)


def get(name: str) -> Tokenizer:
    """The built-in tokenizer of this name; loaded once a process, offline.

    `byte` has 256 ids, and the id of a byte is its value. Raises `UnknownVocabularyError`, which
    lists the known names, for any other.

    >>> get("gpt2").encode("Hello world").ids
    [15496, 995]
    >>> get("byte").encode("é").ids
    [195, 169]
    """
    if name not in _LOADERS:
        raise UnknownVocabularyError(name)
    return _load(name)


class UnknownVocabularyError(FretsawError, LookupError):
    """No built-in vocabulary has the name."""

    def __init__(self, name: str) -> None:
        near = difflib.get_close_matches(name, names(), n=1, cutoff=0.5)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        super().__init__(
            f"no built-in vocabulary is called {name!r}{hint} Known names: {', '.join(names())}. "
            "For a file use Tokenizer.from_file."
        )


@functools.cache
def _load(name: str) -> Tokenizer:
    return Tokenizer.from_str(_LOADERS[name]())._named(name)


def _gpt2() -> bytes:
    packed = resources.files(__package__).joinpath("gpt2.json.gz").read_bytes()
    return gzip.decompress(packed)


def _byte() -> bytes:
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = iter(range(0x100, 0x144))
    characters = [chr(byte if byte in printable else next(others)) for byte in range(256)]
    byte_level = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": False,
    }
    vocab = {character: byte for byte, character in enumerate(characters)}
    spec = {
        "version": "1.0",
        "pre_tokenizer": byte_level,
        "decoder": byte_level,
        "model": {"type": "BPE", "vocab": vocab, "merges": []},
    }
    return json.dumps(spec).encode()


_LOADERS = {"byte": _byte, "gpt2": _gpt2}
