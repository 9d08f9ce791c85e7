"""The texts that are timed: slices of those in the data folder, or made-up ones where there is none."""

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
    line = _MADE_UP.get(name, _MADE_UP["en_prose"])
    lines = (line.format(number * 7919 % 1000) for number in range(size_bytes // len(line) + 1))
    return Corpus(name, cut("".join(lines).encode(), 0, size_bytes), "made up")


def whole(names: Sequence[str]) -> bytes:
    """Some texts one after the other, whole; made up where there is no data folder."""
    folder = os.environ.get("FRETSAW_DATA")
    if not folder:
        return b"".join(load_corpus(name, MIB).text.encode() for name in names)
    return b"".join(
        gzip.decompress(Path(folder, "text", f"{name}.txt.gz").read_bytes()) for name in names
    )


def requests(data: bytes, count: int, text_bytes: int, wanted: int) -> list[list[str]]:
    """Up to `wanted` requests of `count` texts each, all of them different slices of `data`.

    The slices are spread over the whole of it; where it does not suffice there are fewer requests,
    then fewer texts in the one that is left.
    """
    fitting = max(1, len(data) // text_bytes)
    count = min(count, fitting)
    wanted = max(1, min(wanted, fitting // count))
    step = len(data) // (count * wanted)
    texts = [cut(data, at * step, text_bytes) for at in range(count * wanted)]
    return [texts[at : at + count] for at in range(0, len(texts), count)]
