"""Small packed files of huge content: memory stays within a limit, whatever the content is."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from hostile_runs import Run

SIZE = 400_000_000
"""Of the content: more than the programs may have in addition."""
LIMIT = 300_000_000
PART = 1 << 20

LIMITED = f"""
tok = fretsaw.get('gpt2')
used = int(Path('/proc/self/statm').read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + {LIMIT}, used + {LIMIT}))
"""


def gzipped(head: bytes, unit: bytes, path: Path) -> None:
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(head)
        part = unit * (PART // len(unit))
        for _ in range(SIZE // PART):
            file.write(part)


def zstandard(head: bytes, unit: bytes, path: Path) -> None:
    with pa.CompressedOutputStream(str(path), "zstd") as file:
        file.write(head)
        part = unit * (PART // len(unit))
        for _ in range(SIZE // PART):
            file.write(part)


Pack = Callable[[bytes, bytes, Path], None]


@pytest.mark.parametrize(("end", "pack"), [(".gz", gzipped), (".zst", zstandard)])
def test_a_job_takes_lines_and_lists_one_that_is_too_long(
    end: str, pack: Pack, tmp_path: Path, run: Run
) -> None:
    pack(b"one\n", b"\0", tmp_path / f"a.txt{end}")
    done = run(LIMITED + "print(bulk.tokenize([path], 'out', tok)['documents'])", f"a.txt{end}")
    assert done.stdout == "1\n", done.stderr
    (rejected,) = map(json.loads, (tmp_path / "out" / "rejected.jsonl").read_text().splitlines())
    assert (rejected["offset"], rejected["reason"]) == (4, "too-long")


def test_training_reads_lines_in_bounded_memory(tmp_path: Path, run: Run) -> None:
    gzipped(b"one two\n", b"a b c d\n", tmp_path / "a.txt.gz")
    program = "print(fretsaw.train(Path(path), vocab_size=259, threads=1).get_vocab_size())"
    assert run(LIMITED + program, "a.txt.gz").stdout == "259\n"


def test_a_line_beyond_memory_is_an_error_of_training(tmp_path: Path, run: Run) -> None:
    gzipped(b"one\n", b"\0", tmp_path / "a.txt.gz")
    done = run(LIMITED + "fretsaw.train(Path(path), vocab_size=259, threads=1)", "a.txt.gz")
    assert done.returncode == 1
    assert "MemoryError" in done.stderr
    assert "a.txt.gz" in done.stderr


def test_a_packed_vocabulary_ends_at_its_limit(tmp_path: Path, run: Run) -> None:
    gzipped(b'{"model": "', b"a", tmp_path / "tokenizer.json")
    done = run("fretsaw.Tokenizer.from_file(path)", "tokenizer.json")
    assert "268,435,456 unpacked bytes" in done.stderr or "unpacked bytes" in done.stderr
