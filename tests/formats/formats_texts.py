"""Texts to compare on: lines of the data folder's texts, nasty ones included, and random strings."""

from __future__ import annotations

import functools
import gzip
from pathlib import Path

from frozen import PROVE

from oracle.random_strings import random_strings

SEED = 8_008


@functools.cache
def texts(folder: Path) -> list[str]:
    """Parts of every text, whole ones to prove, and random strings."""
    part = 400_000 if PROVE else 12_000
    found = []
    for path in sorted(folder.glob("text/*.gz")):
        text = gzip.decompress(path.read_bytes()).decode("utf-8", "replace")
        found += [text[: part // 2], text[len(text) // 2 :][: part // 2]]
    return [*found, *random_strings(SEED, 0, 10_000 if PROVE else 1_000)]


@functools.cache
def native(folder: Path, name: str) -> bytes:
    """A file of the data folder's vocabularies in native forms."""
    return gzip.decompress((folder / "native" / f"{name}.gz").read_bytes())


@functools.cache
def tokenizer_json(folder: Path, name: str) -> bytes:
    """A tokenizer.json of the data folder."""
    return gzip.decompress((folder / "tokenizers" / f"{name}.json.gz").read_bytes())
