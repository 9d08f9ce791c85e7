"""Documents for the tests of bulk work."""

import gzip
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

SEPARATOR = "<|endoftext|>"

WORDS = ["the", "a", "cat", "sat", "über", "naïve", "世界", "👋", "x=1;", '"quoted"']
WORDS += ["tab\there", "don't", "12345", ""]


def sentences(count: int, seed: int = 0) -> list[str]:
    """Distinct documents, some empty, some of several lines."""
    draw = random.Random(seed)
    texts = []
    for number in range(count):
        words = draw.choices(WORDS, k=draw.randrange(0, 40))
        texts.append(f"{number} {' '.join(words)}" if words else "")
    return texts


def documents(folder: Path, size_bytes: int, seed: int = 0) -> Iterator[str]:
    """Distinct documents of 5 to 39 sentences, of the texts of a folder, shuffled again and again.

    They have `size_bytes` bytes or a little more; a small corpus takes but the begin of each text.
    """
    begin = max(100_000, size_bytes // 10)
    found: list[str] = []
    for path in sorted(folder.glob("*.txt.gz")):
        with gzip.open(path, "rt", encoding="utf-8", errors="ignore", newline="") as file:
            found += re.split(r"(?<=[.!?。！？])\s+|[\r\n]+", file.read(begin))
    found = [text for text in found if text and SEPARATOR not in text]
    draw = random.Random(seed)
    done = 0
    while True:
        draw.shuffle(found)
        at = 0
        while at < len(found):
            count = draw.randrange(5, 40)
            text = " ".join(found[at : at + count])
            at += count
            done += len(text.encode())
            yield text
            if done >= size_bytes:
                return


class Corpus(NamedTuple):
    """Files that hold `documents` one after the other, a quarter of the bytes in each kind."""

    paths: list[Path]
    count: int


def written(folder: Path, texts: Iterator[str], size_bytes: int) -> Corpus:
    """Documents as text, jsonl, packed jsonl and parquet."""
    paths = [folder / name for name in ("a.txt", "b.jsonl", "c.jsonl.zst", "d.parquet")]
    done = count = 0
    rows: list[str] = []
    schema = pa.schema({"text": pa.string()})
    with (
        open(paths[0], "wb") as text_file,
        open(paths[1], "wb") as lines,
        pa.CompressedOutputStream(str(paths[2]), "zstd") as packed,
        pq.ParquetWriter(paths[3], schema) as table,
    ):
        for text in texts:
            kind = min(4 * done // size_bytes, 3)
            done += len(text.encode())
            count += 1
            if kind == 0:
                text_file.write((text + SEPARATOR).encode())
            elif kind < 3:
                line = json.dumps({"text": text}, ensure_ascii=bool(count % 2)) + "\n"
                (lines, packed)[kind - 1].write(line.encode())
            else:
                rows.append(text)
            if len(rows) == 5000:
                table.write_table(pa.table({"text": rows}, schema))
                rows = []
        table.write_table(pa.table({"text": rows}, schema))
    return Corpus(paths, count)
