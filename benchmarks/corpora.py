"""The texts that are timed: from the data folder, or small made-up ones where there is none."""

from __future__ import annotations

import gzip
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

NAMES = ("en_prose", "code_python", "multilingual")
MIB = 1 << 20

_MADE_UP = {
    "en_prose": 'It was the {0} of times, and they\'d walked {0} miles; "well," she said.\n',
    "code_python": "    def step_{0}(self, x: int) -> list[int]:\n        return [x + {0}]\n\n",
    "multilingual": "Größe {0}: съешь ещё; 今天天气很好。 नमस्ते {0}, مرحبا 🙂\n",
}


@dataclass(frozen=True)
class Corpus:
    """One text of about a mebibyte, and where it came from."""

    name: str
    text: str
    source: str

    @property
    def sha256(self) -> str:
        """Of the UTF-8 that is timed."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True)
class Cell:
    """One kind of request: its texts, and whether they go as a batch."""

    label: str
    texts: Sequence[str]
    batch: bool = False
    cold: bool = False

    @property
    def size_bytes(self) -> int:
        """The UTF-8 of all texts."""
        return sum(len(text.encode()) for text in self.texts)


def cut(data: bytes, start: int, size_bytes: int) -> str:
    """A part of some UTF-8, moved to character boundaries."""
    return data[start : start + size_bytes].decode("utf-8", "ignore")


def load_corpus(name: str, size_bytes: int) -> Corpus:
    """The beginning of a text of the data folder, or a made-up text of that size."""
    folder = os.environ.get("FRETSAW_DATA")
    path = Path(folder or "", "text", f"{name}.txt.gz")
    if folder and path.exists():
        with gzip.open(path) as file:
            return Corpus(name, cut(file.read(size_bytes), 0, size_bytes), "data folder")
    line = _MADE_UP[name]
    lines = (line.format(number * 7919 % 1000) for number in range(size_bytes // len(line) + 1))
    return Corpus(name, cut("".join(lines).encode(), 0, size_bytes), "made up")


def cells_of(corpus: Corpus, quick: bool) -> list[Cell]:
    """The cells of one text; quick ones are small."""
    data = corpus.text.encode()
    count, middle, large = (16, 2_048, 8_192) if quick else (512, 65_536, MIB)
    step = max(140, len(data) // count)
    short = [cut(data, at * step, 140) for at in range(count)]
    return [
        Cell("140 bytes", [cut(data, len(data) // 2, 140)]),
        Cell(f"{count} x 140 bytes", [text for text in short if text], batch=True),
        Cell("4 KiB", [cut(data, 0, 4_096)]),
        Cell(f"{middle // 1024} KiB", [cut(data, 0, middle)]),
        Cell(f"{large // 1024} KiB", [cut(data, 0, large)]),
        Cell(f"{large // 1024} KiB, cold", [cut(data, 0, large)], cold=True),
    ]
