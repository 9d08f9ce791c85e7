"""Every scalar value, random strings and real texts under each encoding, against tiktoken.

All of it to prove; else every 211th scalar value, fewer strings, and the beginnings of the texts.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import tiktoken

from fretsaw.integrations.tiktoken import get_encoding
from oracle.inputs import SWEEP_CONTEXTS
from oracle.random_strings import random_strings

PROVE = bool(os.environ.get("FRETSAW_PROVE"))
SEED = 90_210


def compare(name: str, oracle: tiktoken.Encoding, texts: list[str]) -> None:
    """Ids of all texts, without special tokens."""
    ours = get_encoding(name).encode_ordinary_batch(texts)
    for text, our, their in zip(texts, ours, oracle.encode_ordinary_batch(texts), strict=True):
        assert our == their, repr(text)


@pytest.mark.parametrize("context", list(SWEEP_CONTEXTS))
def test_every_scalar_value(
    name: str, context: str, oracle: Callable[[str], tiktoken.Encoding]
) -> None:
    points = range(0, 0x110000, 1 if PROVE else 211)
    chars = (chr(point) for point in points if not 0xD800 <= point < 0xE000)
    compare(name, oracle(name), [SWEEP_CONTEXTS[context].replace("{c}", c) for c in chars])


def test_random_strings(name: str, oracle: Callable[[str], tiktoken.Encoding]) -> None:
    compare(name, oracle(name), list(random_strings(SEED, 0, 50_000 if PROVE else 1_000)))


def test_texts(name: str, data_dir: Path, oracle: Callable[[str], tiktoken.Encoding]) -> None:
    for path in sorted((data_dir / "text").glob("*.txt.gz")):
        text = gzip.decompress(path.read_bytes()).decode()
        compare(name, oracle(name), (text if PROVE else text[:100_000]).splitlines(True))
