"""The named inputs behind the digests: code point sweeps, texts and random strings."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Final

from oracle.random_strings import DIGEST_SEED, random_strings
from oracle.tables import data_folder

SWEEP_BLOCK: Final = 0x1000
SWEEP_CONTEXTS: Final = {
    "alone": "{c}",
    "between_letters": "a{c}b",
    "after_space": " {c}",
    "after_apostrophe": "'{c}",
}
RANDOM_COUNT: Final = 50_000
RANDOM_BLOCK: Final = 1_000
SPECIAL_COUNT: Final = 2_000
LINES_PER_BATCH: Final = 4_096


def sweep_blocks(context: str) -> Iterator[list[str]]:
    """272 blocks of up to 4,096 strings: every scalar value in one context, in code point order."""
    for start in range(0, 0x110000, SWEEP_BLOCK):
        points = (
            point for point in range(start, start + SWEEP_BLOCK) if not 0xD800 <= point < 0xE000
        )
        strings = [context.replace("{c}", chr(point)) for point in points]
        if strings:
            yield strings


def text_names() -> list[str]:
    """Names of the texts in the data folder, sorted."""
    return sorted(
        path.name.removesuffix(".txt.gz") for path in (data_folder() / "text").glob("*.txt.gz")
    )


def text_bytes(name: str) -> bytes:
    """One text, as it is in the file (no change of line ends)."""
    return gzip.decompress((data_folder() / "text" / f"{name}.txt.gz").read_bytes())


def line_batches(text: str) -> Iterator[list[str]]:
    """Lines with their ends, cut after each U+000A and nowhere else, in batches."""
    *lines, last = text.split("\n")
    ended = iter([line + "\n" for line in lines] + ([last] if last else []))
    while batch := list(islice(ended, LINES_PER_BATCH)):
        yield batch


@cache
def random_blocks() -> tuple[list[str], ...]:
    """50 blocks of 1,000 random strings."""
    starts = range(0, RANDOM_COUNT, RANDOM_BLOCK)
    return tuple(list(random_strings(DIGEST_SEED, start, start + RANDOM_BLOCK)) for start in starts)


def random_strings_sha256() -> str:
    """A digest of the random strings themselves, so that a changed generator is noticed."""
    digest = hashlib.sha256()
    for text in (text for block in random_blocks() for text in block):
        data = text.encode("utf-8")
        digest.update(len(data).to_bytes(4, "little") + data)
    return digest.hexdigest()
