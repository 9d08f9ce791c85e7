"""Vocabularies that come with the package, so that everything works offline."""

import copy
import difflib
import functools
import json
import zlib

from .._byte_level import CHARACTERS
from .._errors import FretsawError
from .._tokenizer import Tokenizer
from .cache import compiled
from .tiktoken_encodings import ENCODINGS, packed_pairs, read_pairs

__all__ = ["get", "names"]


def names() -> list[str]:
    """The names of the built-in vocabularies.

    >>> names()[:4]
    ['byte', 'cl100k_base', 'gpt2', 'o200k_base']
    """
    return sorted([*_FROM_JSON, *ENCODINGS])


def get(name: str) -> Tokenizer:
    """The built-in tokenizer of this name; loaded once a process, offline, a copy for each caller.

    The first use ever compiles it, which takes up to a few tenths of a second, and keeps that in a
    folder of the user's (`FRETSAW_CACHE`, or `fretsaw` in the platform's cache folder; with
    `FRETSAW_CACHE` set to nothing, nowhere). Later ones take milliseconds.

    `gpt2` behaves as GPT-2's tokenizer.json does; `r50k_base`, `p50k_base`, `p50k_edit`,
    `cl100k_base`, `o200k_base` and `o200k_harmony` as in tiktoken. `byte` has 256 ids, and the id of
    a byte is its value. Raises `UnknownVocabularyError`, which lists the known names, for any other.

    >>> get("gpt2").encode("Hello world").ids
    [15496, 995]
    >>> get("o200k_base").encode("Hello world").ids
    [13225, 2375]
    >>> get("byte").encode("é").ids
    [195, 169]
    """
    if name not in _FROM_JSON and name not in ENCODINGS:
        raise UnknownVocabularyError(name)
    return copy.copy(_load(name))


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
    if name == "byte":
        return Tokenizer.from_str(_byte())._named(name)
    packed = packed_pairs(ENCODINGS[name].pairs if name in ENCODINGS else _GPT2_PAIRS)

    def make() -> Tokenizer:
        if name in _FROM_JSON:
            return Tokenizer.from_str(_FROM_JSON[name]())
        encoding = ENCODINGS[name]
        pairs, more = zlib.decompress(packed), encoding.more_tokens()
        return Tokenizer._from_pairs(pairs, more, encoding.pattern, encoding.special_tokens)

    return compiled(name, packed + repr(ENCODINGS.get(name)).encode(), make)._named(name)


def _gpt2() -> str:
    """The content of GPT-2's tokenizer.json."""
    tokens, left, right = read_pairs(_GPT2_PAIRS)
    alphabet = str.maketrans(dict(enumerate(CHARACTERS)))
    spelled = [token.decode("latin-1").translate(alphabet) for token in tokens]
    end = {"id": len(spelled), "content": "<|endoftext|>", "special": True, "normalized": True}
    spec = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [end | dict.fromkeys(["single_word", "lstrip", "rstrip"], False)],
        "normalizer": None,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True},
        "post_processor": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False},
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": "",
            "end_of_word_suffix": "",
            "fuse_unk": False,
            "vocab": {token: id for id, token in enumerate([*spelled, end["content"]])},
            "merges": [f"{spelled[a]} {spelled[b]}" for a, b in zip(left, right, strict=True)],
        },
    }
    return json.dumps(spec)


def _byte() -> str:
    byte_level = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": False,
    }
    vocab = {character: byte for byte, character in enumerate(CHARACTERS)}
    spec = {
        "version": "1.0",
        "pre_tokenizer": byte_level,
        "decoder": byte_level,
        "model": {"type": "BPE", "vocab": vocab, "merges": []},
    }
    return json.dumps(spec)


_GPT2_PAIRS = "r50k_base"
_FROM_JSON = {"byte": _byte, "gpt2": _gpt2}
