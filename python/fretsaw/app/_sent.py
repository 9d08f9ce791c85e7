"""A tokenizer out of what the page sends: one file, a pair of files, or ranks with what they lack.

A file is told by its content, as `Tokenizer.from_file` does it, but for the pair vocab.json and
merges.txt, and for ranks of tiktoken, in which neither pattern nor special tokens stand. Those two are
read from a folder of their own, which is gone again when they are loaded.

Cost: that of loading the file.
"""

import functools
import json
import re
import tempfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import fretsaw

from ._problem import Problem

__all__ = ["Sent", "known_patterns"]

RANK = re.compile(rb"\s*[A-Za-z0-9+/]+={0,2} [0-9]+\s")
"""What ranks begin with: a token in base64 and its rank."""
HEAD_BYTES = 4096
OF_A_PAIR = ("vocab.json", "merges.txt")
PATTERN_CHARS = 10_000
MAX_NAME = 200
ENCODINGS = ("gpt2", "r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base")
"""Patterns that are offered, by the encoding that has it; GPT-2's ranks are those of r50k_base."""


class Sent(NamedTuple):
    """A file that was sent, and what its format lacks."""

    name: str
    content: bytes
    merges: bytes | None = None
    """The content of merges.txt, where `content` is that of vocab.json."""
    pattern: str | None = None
    special_tokens: dict[str, int] | None = None

    @classmethod
    def read(cls, query: Mapping[str, str], body: bytes) -> "Sent":
        """By the fields of a request's query; raises `Problem` with 422."""
        name = query.get("name", "")
        if not 0 < len(name) <= MAX_NAME:
            message = f"the name must have 1 to {MAX_NAME} characters"
            raise Problem(422, "wrong_value", message, "?name")
        pattern = query.get("pattern")
        if pattern is not None and len(pattern) > PATTERN_CHARS:
            message = f"must have at most {PATTERN_CHARS} characters"
            raise Problem(422, "too_long", message, "?pattern")
        special = _special_tokens(query.get("special_tokens", "{}"))
        size = query.get("merges_bytes", "0")
        if not size.isascii() or not size.isdecimal() or int(size[:20]) > len(body):
            message = "must be how many bytes at the end of the body are those of merges.txt"
            raise Problem(422, "wrong_value", message, "?merges_bytes")
        cut = len(body) - int(size)
        merges = body[cut:] if "merges_bytes" in query else None
        return cls(name, body[:cut], merges, pattern, special)

    def load(self) -> fretsaw.Tokenizer:
        """The tokenizer; `Problem` with 422 where there is none in it."""
        try:
            if self.merges is not None:
                return self._load_from(
                    dict(zip(OF_A_PAIR, (self.content, self.merges), strict=True))
                )
            if _is_ranks(self.content):
                if self.pattern is None:
                    message = f"{self.name}: ranks of tiktoken need a pattern and special tokens"
                    raise Problem(422, "needs_pattern", message, "?pattern")
                options = {"pattern": self.pattern, "special_tokens": self.special_tokens or {}}
                return self._load_from({"ranks.tiktoken": self.content}, **options)
            if self.name.removesuffix(".gz").endswith(OF_A_PAIR):
                message = f"{self.name}: vocab.json and merges.txt belong together; send both"
                raise Problem(422, "needs_pair", message, "?merges_bytes")
            return fretsaw.Tokenizer.from_buffer(self.content)
        except (fretsaw.FretsawError, ValueError, OverflowError) as error:
            raise Problem(422, "not_a_tokenizer", f"{self.name[:100]}: {error}") from error

    def _load_from(self, files: Mapping[str, bytes], **options: Any) -> fretsaw.Tokenizer:
        """Loads a folder of these files, the only one where there is one."""
        with tempfile.TemporaryDirectory(prefix="fretsaw-") as folder:
            for name, content in files.items():
                Path(folder, name).write_bytes(content)
            path = Path(folder, *files) if len(files) == 1 else Path(folder)
            try:
                return fretsaw.Tokenizer.from_file(path, **options)
            except fretsaw.FretsawError as error:
                message = str(error).replace(f"{folder}/", "")
                raise Problem(422, "not_a_tokenizer", f"{self.name[:100]}: {message}") from error


def _special_tokens(given: str) -> dict[str, int]:
    """Strings and ids from a JSON object."""
    try:
        found = json.loads(given)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not all(
        type(token_id) is int and 0 <= token_id < 1 << 32 for token_id in found.values()
    ):
        message = "must be a JSON object of strings and ids"
        raise Problem(422, "wrong_value", message, "?special_tokens")
    return found


def _is_ranks(content: bytes) -> bool:
    """Whether content begins as ranks do, packed or not."""
    head = content[:HEAD_BYTES]
    if content.startswith(b"\x1f\x8b"):
        try:
            head = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(content, HEAD_BYTES)
        except zlib.error:
            return False
    return RANK.match(head) is not None


@functools.cache
def known_patterns() -> list[dict[str, Any]]:
    """The patterns and special tokens of encodings that ranks may be of.

    >>> [known["special_tokens"] for known in known_patterns()][:1]
    [{'<|endoftext|>': 50256}]
    """
    found = []
    for name in ENCODINGS:
        ranks = fretsaw.get("r50k_base" if name == "gpt2" else name)._to_ranks()
        if ranks is not None:
            found.append({"name": name, "pattern": ranks[1], "special_tokens": ranks[2]})
    return found
