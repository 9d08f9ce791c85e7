"""The oracles' frozen answers in `tests/golden`, and the same digests over fretsaw's ids.

`tests/golden/README.md` defines the files. A tokenizer joins the tests of this folder by its name in
`NAMES`: that of its file in the fixtures or in the data folder, without the suffix.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

import fretsaw

TESTS: Final = Path(__file__).parent.parent
PROVE: Final = os.environ.get("FRETSAW_PROVE") == "1"

IN_FIXTURES: Final = ("gpt2", "smollm2")
IN_DATA_FOLDER: Final = ("phi-2", "starcoder2")
NAMES: Final = IN_FIXTURES + IN_DATA_FOLDER
HEX_DIGITS: Final = 16
_REFUSED: Final = (0xFFFFFFFF).to_bytes(4, "little")


@cache
def golden_strings() -> tuple[str, ...]:
    """The 10,000 strings."""
    with gzip.open(TESTS / "golden" / "strings.jsonl.gz", "rt", encoding="ascii") as file:
        return tuple(json.loads(line) for line in file)


@cache
def golden_ids(name: str) -> tuple[list[int], ...]:
    """The oracle's ids of each of the 10,000 strings."""
    with gzip.open(TESTS / "golden" / f"{name}.ids.gz", "rt", encoding="ascii") as file:
        return tuple([int(number) for number in line.split()] for line in file)


@cache
def digests() -> dict[str, Any]:
    """All of digests.json."""
    with open(TESTS / "golden" / "digests.json", encoding="ascii") as file:
        document: dict[str, Any] = json.load(file)
    return document


def with_digests() -> list[str]:
    """The tokenizers that have digests."""
    return sorted(digests()["tokenizers"])


def digests_of(name: str) -> dict[str, Any]:
    """The digests of one tokenizer."""
    tokenizers = digests()["tokenizers"]
    assert name in tokenizers, f"digests.json has nothing for {name}: run `make oracle`"
    found: dict[str, Any] = tokenizers[name]
    return found


def packed(tokenizer: fretsaw.Tokenizer, texts: Sequence[str], special: bool = False) -> bytes:
    """The ids of texts as the bytes that a digest is over."""
    try:
        ids, row_offsets = tokenizer.encode_batch_flat(list(texts), add_special_tokens=special)
    except fretsaw.EncodeError:
        if len(texts) == 1:
            return _REFUSED
        return b"".join(packed(tokenizer, [text], special) for text in texts)
    counts = np.diff(row_offsets).astype("<u4")
    return np.insert(ids.astype("<u4"), row_offsets[:-1], counts).tobytes()


def digest(
    tokenizer: fretsaw.Tokenizer, batches: Iterable[Sequence[str]], special: bool = False
) -> str:
    """One digest over batches of texts."""
    found = hashlib.sha256()
    for batch in batches:
        found.update(packed(tokenizer, batch, special))
    return found.hexdigest()[:HEX_DIGITS]


def wrong_blocks(
    tokenizer: fretsaw.Tokenizer, blocks: Iterable[Sequence[str]], expected: str
) -> list[str]:
    """The blocks whose digests differ from the expected ones, each by number and first string."""
    wanted = [expected[at : at + HEX_DIGITS] for at in range(0, len(expected), HEX_DIGITS)]
    return [
        f"block {number}, from {block[0]!r}"
        for number, (block, hexadecimal) in enumerate(zip(blocks, wanted, strict=True))
        if digest(tokenizer, [block]) != hexadecimal
    ]


def sampled(items: Sequence[str], count: int) -> Iterator[tuple[int, str]]:
    """About `count` items at equal distances, with their places; all of them to prove."""
    step = 1 if PROVE else max(1, len(items) // count)
    return ((at, items[at]) for at in range(0, len(items), step))
