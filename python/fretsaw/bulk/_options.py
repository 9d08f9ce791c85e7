"""The options of a job that decide what comes out, checked once."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Literal

import fretsaw
from fretsaw import BulkError, Tokenizer

Layout = Literal["bin", "npy", "megatron", "parquet", "arrow"]
Special = Literal["all", "none", "error"]

LAYOUTS = ("bin", "npy", "megatron", "parquet", "arrow")
MAX_DOC_BYTES = 64 << 20
MAX_SHARD_TOKENS = 1 << 32
SHARD_TOKENS = 100_000_000
SHUFFLE_WINDOW = 100_000


@dataclass(frozen=True)
class Options:
    """What decides which bytes come out, beside the inputs and the tokenizer."""

    by: str
    field: str
    column: str
    layout: Layout
    append: str | None
    prepend: str | None
    add_special_tokens: bool
    special: Special
    shard_tokens: int
    pack: int | None
    shuffle: int | None
    shuffle_window: int
    dedup: Literal["exact"] | None
    max_doc_bytes: int
    strict: bool

    def __post_init__(self) -> None:
        if self.layout not in LAYOUTS:
            raise BulkError(f"the layout {self.layout!r} is none of {', '.join(LAYOUTS)}")
        if self.dedup not in (None, "exact"):
            raise BulkError(f"dedup is {self.dedup!r}; it can be 'exact' or None")
        limits = {
            "shard_tokens": (self.shard_tokens, MAX_SHARD_TOKENS),
            "pack": (self.pack, MAX_SHARD_TOKENS),
            "shuffle_window": (self.shuffle_window, 1 << 24),
            "max_doc_bytes": (self.max_doc_bytes, 1 << 31),
        }
        for name, (value, limit) in limits.items():
            if value is not None and not 1 <= value <= limit:
                raise BulkError(f"{name} is {value}; it must be from 1 to {limit}")
        if self.shuffle is not None and not 0 <= self.shuffle < 1 << 64:
            raise BulkError(f"shuffle is {self.shuffle}; a seed is from 0 to 2**64 - 1")

    def encoding(self, tokenizer: Tokenizer) -> dict[str, Any]:
        """How documents are encoded, for the native side."""
        return {
            "special": self.special,
            "add_special_tokens": self.add_special_tokens,
            "prepend": _id(tokenizer, self.prepend),
            "append": _id(tokenizer, self.append),
            "dedup": self.dedup is not None,
            "max_document_bytes": self.max_doc_bytes,
        }

    def shards(self, folder: str, inputs: list[str], token_bytes: int) -> dict[str, Any]:
        """Where shards go, for the native side; tables are made of plain shards."""
        return {
            "folder": folder,
            "inputs": [_told(name) for name in inputs],
            "layout": "bin" if self.layout in ("parquet", "arrow") else self.layout,
            "token_bytes": token_bytes,
            "shard_tokens": self.shard_tokens,
            "pack": self.pack,
            "shuffle": None if self.shuffle is None else (self.shuffle, self.shuffle_window),
            "dedup": self.dedup is not None,
            "strict": self.strict,
        }


def _told(name: str) -> str:
    """A file's name as text: bytes that are not UTF-8 as `\\xff`."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def token_bytes(tokenizer: Tokenizer) -> int:
    """2 where every id fits into a uint16, else 4."""
    return 2 if max(tokenizer.get_vocab().values(), default=0) < 1 << 16 else 4


def loaded(tokenizer: Tokenizer | str) -> Tokenizer:
    """A tokenizer, or the one of a built-in name or a file."""
    if isinstance(tokenizer, Tokenizer):
        return tokenizer
    if tokenizer in fretsaw.names():
        return fretsaw.get(tokenizer)
    return Tokenizer.from_file(tokenizer)


def _id(tokenizer: Tokenizer, token: str | None) -> int | None:
    if token is None:
        return None
    found = tokenizer.token_to_id(token)
    if found is None:
        raise BulkError(f"the tokenizer has no token {token!r}")
    return found
