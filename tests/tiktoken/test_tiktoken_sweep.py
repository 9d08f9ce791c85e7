"""Every scalar value, random strings and real texts under each encoding, against tiktoken.

All of it to prove; else every 211th scalar value, fewer strings, and the beginnings of the texts.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import tiktoken
from rank_files import NAMES, PATTERNS, TEKKEN, Encode, from_ranks, from_tekken

from fretsaw.integrations.tiktoken import get_encoding
from oracle.inputs import SWEEP_CONTEXTS
from oracle.random_strings import random_strings

PROVE = bool(os.environ.get("FRETSAW_PROVE"))
SEED = 90_210

Both = tuple[Encode, Encode]


@pytest.fixture(scope="session")
def both(
    oracle: Callable[[str], tiktoken.Encoding],
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[str], Both]:
    """Ours and tiktoken's, of a built-in encoding or a file."""

    @cache
    def load(case: str) -> Both:
        if case in NAMES:
            return get_encoding(case).encode_ordinary_batch, oracle(case).encode_ordinary_batch
        data_dir = request.getfixturevalue("data_dir")
        folder = tmp_path_factory.mktemp("ranks")
        name = case.removesuffix(".tiktoken").removesuffix(".json")
        made = from_tekken if name in TEKKEN else from_ranks
        return made(data_dir, name, folder)

    return load


CASES = [*NAMES, *(f"{name}.tiktoken" for name in PATTERNS), *(f"{name}.json" for name in TEKKEN)]
each_case = pytest.mark.parametrize("case", CASES)


def compare(both: Both, texts: list[str]) -> None:
    """Ids of all texts, without special tokens."""
    ours, theirs = both
    for text, our, their in zip(texts, ours(texts), theirs(texts), strict=True):
        assert our == their, repr(text)


def test_every_file_is_compared(data_dir: Path) -> None:
    files = [*data_dir.glob("native/tiktoken/*"), *data_dir.glob("native/tekken/*")]
    assert {path.name.removesuffix(".gz") for path in files} == set(CASES) - set(NAMES)


@each_case
@pytest.mark.parametrize("context", list(SWEEP_CONTEXTS))
def test_every_scalar_value(case: str, context: str, both: Callable[[str], Both]) -> None:
    points = range(0, 0x110000, 1 if PROVE else 211)
    chars = (chr(point) for point in points if not 0xD800 <= point < 0xE000)
    compare(both(case), [SWEEP_CONTEXTS[context].replace("{c}", c) for c in chars])


@each_case
def test_random_strings(case: str, both: Callable[[str], Both]) -> None:
    compare(both(case), list(random_strings(SEED, 0, 50_000 if PROVE else 1_000)))


@each_case
def test_texts(case: str, both: Callable[[str], Both], data_dir: Path) -> None:
    for path in sorted((data_dir / "text").glob("*.txt.gz")):
        text = gzip.decompress(path.read_bytes()).decode()
        lines = (text if PROVE else text[:100_000]).splitlines(True)
        compare(both(case), [*lines, text] if PROVE else lines)
