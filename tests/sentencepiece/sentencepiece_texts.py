"""The texts to compare on, and the models of the data folder with their oracle."""

from __future__ import annotations

import functools
import gzip
import os
import random
from pathlib import Path

import pytest

SEED = 90_210

PARTS = [
    *"  \t\n\u3000\u00a0 abtheTHE.,!?'<>s/12▁▁é漢字かナ가ﬁ①㈱\u0301\u200b\ufeff😀\x00\x01\u2581\ufffd",
    *("the ", " king", "<s>", "</s>", "<unk>", "[UNK]", "<ctl>", "[X]", "<sep>", "abba", "a b"),
    *("<0x41>", "▁▁▁", "▁▁▁▁▁", "    ", "ing", "tok", "aaa", "again", "ｶﾞ", "\r\n", "👨‍👩‍👧"),
]

SAMPLES = [
    "",
    " ",
    "   ",
    "▁",
    "hello world",
    "  Hello,\n\n  World!  ",
    "many   spaces\u3000here \u00a0 end  ",
    "naïve café – “quotes” … 世界 👋🏽 नमस्ते กำ ﷽",
    "<s>hi</s><unk><0x0A>",
    "a" * 3000,
    "漢字" * 2000,
    "the quick brown fox " * 3000,
]


@functools.cache
def random_texts(count: int) -> list[str]:
    """Random strings of what models know and of any character."""
    rng = random.Random(SEED)

    def part() -> str:
        if rng.random() < 0.75:
            return rng.choice(PARTS)
        ranges = [(0, 0x250), (0x3000, 0xD7FF), (0xE000, 0x10FFFF)]
        return chr(rng.randint(*rng.choice(ranges)))

    return ["".join(part() for _ in range(rng.randrange(24))) for _ in range(count)]


def data_folder() -> Path | None:
    """The folder of the larger set of vocabularies, if it is there."""
    folder = os.environ.get("FRETSAW_DATA")
    return Path(folder) if folder else None


def model_names() -> list[str]:
    """The models of the data folder."""
    folder = data_folder()
    files = folder.glob("native/sentencepiece/*.gz") if folder else []
    return sorted(path.name.removesuffix(".gz") for path in files)


@functools.cache
def model_file(name: str) -> bytes:
    """The content of a model of the data folder."""
    folder = data_folder()
    if folder is None:
        pytest.skip("FRETSAW_DATA is not set")
    return gzip.decompress((folder / "native" / "sentencepiece" / f"{name}.gz").read_bytes())


@functools.cache
def text_files() -> dict[str, str]:
    """The texts of the data folder, nasty ones included."""
    folder = data_folder()
    paths = sorted(folder.glob("text/*.gz")) if folder else []
    return {
        path.name: gzip.decompress(path.read_bytes()).decode("utf-8", "replace") for path in paths
    }
