"""Small byte-level tokenizers made for a test, as the text of a tokenizer.json."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, TypeVar

Result = TypeVar("Result")

PRINTABLE: Final = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
OTHERS: Final = tuple(byte for byte in range(256) if byte not in PRINTABLE)
CHAR_OF_BYTE: Final = {
    **{byte: chr(byte) for byte in PRINTABLE},
    **{byte: chr(0x100 + at) for at, byte in enumerate(OTHERS)},
}
BYTE_OF_CHAR: Final = {char: byte for byte, char in CHAR_OF_BYTE.items()}

MERGES: Final = (
    ("a", "b"), ("b", "c"), ("ab", "c"), ("Ġ", "a"), ("Ġ", "Ġ"), ("Ġa", "b"), ("1", "2"), ("<", "s"),
    ("<s", ">"), ("Ã", "©"), ("x", "x"), ("xx", "xx"), ("'", "s"), ("Ċ", "Ċ"), ("Ġ", "<s>"),
)  # fmt: skip


@dataclass(frozen=True)
class Added:
    """One entry of `added_tokens`, without its id."""

    content: str
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = False
    special: bool = False


def byte_level(**fields: bool) -> dict[str, Any]:
    """A ByteLevel component."""
    defaults = {"add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return {"type": "ByteLevel", **defaults, **fields}


def vocabulary(merges: Sequence[tuple[str, str]] = MERGES) -> dict[str, int]:
    """The 256 bytes in the order of the byte alphabet, then what the merges make."""
    vocab = {char: byte for byte, char in CHAR_OF_BYTE.items()}
    for left, right in merges:
        vocab.setdefault(left + right, len(vocab))
    return vocab


def tokenizer_json(
    added: Sequence[Added] = (),
    *,
    merges: Sequence[tuple[str, str]] = MERGES,
    pre_tokenizer: Mapping[str, Any] | None = None,
    ignore_merges: bool = False,
    **fields: Any,
) -> str:
    """A whole file; added tokens get the ids that the oracle would give them."""
    vocab = vocabulary(merges)
    ids = dict(vocab)
    for token in added:
        ids.setdefault(token.content, len(ids))
    document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": ids[token.content], **asdict(token)} for token in added],
        "normalizer": None,
        "pre_tokenizer": pre_tokenizer or byte_level(),
        "post_processor": None,
        "decoder": byte_level(),
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": ignore_merges,
            "vocab": vocab,
            "merges": [list(pair) for pair in merges],
        },
        **fields,
    }
    return json.dumps(document)


def unless_it_panics(call: Callable[[], Result]) -> Result | None:
    """The oracle's answer; None where its Rust code panics, which is no Exception."""
    try:
        return call()
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        return None
