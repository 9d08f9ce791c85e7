"""A corpus of some size: one machine and a cluster write the same shards, those of each document by itself.

A few megabytes here, 2 GB in `make prove`, or as many bytes as `FRETSAW_CORPUS_BYTES` says.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import ray
from bulk_corpora import SEPARATOR, Corpus, documents, sentences, written

import fretsaw
from fretsaw import bulk

PROVE = bool(os.environ.get("FRETSAW_PROVE"))
SIZE_BYTES = int(float(os.environ.get("FRETSAW_CORPUS_BYTES", 2e9 if PROVE else 4e6)))


@pytest.fixture(scope="module")
def made(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    texts = documents(data_dir / "text", SIZE_BYTES)
    return written(tmp_path_factory.mktemp("corpus"), texts, SIZE_BYTES)


def test_the_same_shards_however_they_are_made(
    made: Corpus, data_dir: Path, tmp_path: Path, gpt2: fretsaw.Tokenizer
):
    options: dict[str, Any] = {
        **{"by": SEPARATOR, "shard_tokens": SIZE_BYTES // 50, "dedup": "exact"},
    }
    first = bulk.tokenize(made.paths, tmp_path / "first", gpt2, workers=1, **options)
    assert (first["documents"], first["duplicates"]) == (made.count, 0)
    assert first["rejected"] == 0
    assert len(first["shards"]) > 5
    shards = bulk.Shards(tmp_path / "first")
    for number, text in enumerate(documents(data_dir / "text", SIZE_BYTES)):
        ids, _ = gpt2.encode_batch_flat([text], special="none")
        assert np.array_equal(shards[number], ids), number
    ways: list[dict[str, Any]] = [{"workers": 2}, {"workers": 4}]
    ways += [{"workers": actors, "ray": True} for actors in (1, 2)]
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    try:
        for way in ways:
            again = bulk.tokenize(made.paths, tmp_path / "again", gpt2, **way, **options)
            assert again == first, way
            assert bulk.verify(tmp_path / "again") == []
            shutil.rmtree(tmp_path / "again")
    finally:
        ray.shutdown()


def test_memory_does_not_grow_with_the_corpus(tmp_path: Path):
    program = """
import sys
from pathlib import Path
from fretsaw import bulk
path, out, copies = sys.argv[1:]
bulk.tokenize([path] * int(copies), out, "gpt2", workers=2)
print(*(line.split()[1] for line in Path("/proc/self/status").open() if line.startswith("VmHWM:")))
"""
    path = tmp_path / "a.txt"
    path.write_text("".join(text + "\n" for text in sentences(40_000)))
    peaks = []
    for copies in ("4", "14"):
        command = [sys.executable, "-c", program, path, tmp_path / copies, copies]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        peaks.append(int(run.stdout))
    more = 10 * path.stat().st_size // 1024
    assert peaks[1] - peaks[0] < more // 3, peaks
    assert peaks[1] < 1 << 20
