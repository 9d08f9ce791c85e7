"""A local Ray cluster writes the very bytes that one machine does."""

import gzip
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import ray
from bulk_corpora import sentences

import fretsaw
from fretsaw import bulk
from fretsaw.bulk import _ray


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    yield
    ray.shutdown()


@pytest.fixture
def inputs(tmp_path: Path) -> list[str]:
    texts = sentences(3000)
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts) + "bad\n"
    (tmp_path / "a.jsonl").write_text(lines)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    pq.write_table(pa.table({"text": [*texts, None]}), tmp_path / "c.parquet")
    (tmp_path / "d.txt").write_text("\n".join(texts))
    return [str(tmp_path / name) for name in ("a.jsonl", "b.jsonl.gz", "c.parquet", "d.txt")]


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


OPTIONS: dict[str, Any] = {
    **{"append": "<|endoftext|>", "shard_tokens": 20_000, "shuffle": 1, "shuffle_window": 900},
    **{"pack": 64, "dedup": "exact"},
}


@pytest.mark.parametrize("actors", [1, 2] if os.environ.get("FRETSAW_PROVE") else [2])
def test_the_bytes_of_one_machine(
    inputs: list[str], tmp_path: Path, actors: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(_ray, "PART_BYTES", 50_000)
    bulk.tokenize(inputs, tmp_path / "local", "gpt2", **OPTIONS)
    bulk.tokenize(inputs, tmp_path / "ray", "gpt2", ray=True, workers=actors, **OPTIONS)
    assert files(tmp_path / "ray") == files(tmp_path / "local")


def test_a_job_goes_on_anywhere(inputs: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    class Stopped(Exception):
        pass

    def stop(now: bulk.Progress) -> None:
        if list((tmp_path / "out").glob("shard-00002.*")):
            raise Stopped

    monkeypatch.setattr(_ray, "PART_BYTES", 50_000)
    bulk.tokenize(inputs, tmp_path / "local", "gpt2", **OPTIONS)
    with pytest.raises(Stopped):
        bulk.tokenize(inputs, tmp_path / "out", "gpt2", ray=True, progress=stop, **OPTIONS)
    again = tmp_path / "again"
    again.mkdir()
    for name, content in files(tmp_path / "out").items():
        (again / name).write_bytes(content)
    bulk.tokenize(inputs, tmp_path / "out", "gpt2", resume=True, **OPTIONS)
    bulk.tokenize(inputs, again, "gpt2", resume=True, ray=True, **OPTIONS)
    assert files(tmp_path / "out") == files(again) == files(tmp_path / "local")


def test_a_killed_worker_loses_nothing(
    inputs: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    flag = tmp_path / "killed"
    blocks = _ray._Encoder._blocks

    def die_once(self: Any, part: Any) -> Iterator[bytes]:
        for number, block in enumerate(blocks(self, part)):
            if part.file == 3 and not flag.exists():
                flag.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            yield block
            assert number >= 0

    bulk.tokenize(inputs, tmp_path / "local", "gpt2", **OPTIONS)
    monkeypatch.setattr(_ray, "PART_BYTES", 50_000)
    dying = type("_Dying", (_ray._Encoder,), {"_blocks": die_once})
    monkeypatch.setattr(_ray, "_Encoder", dying)
    bulk.tokenize(inputs, tmp_path / "ray", "gpt2", ray=True, workers=2, **OPTIONS)
    assert flag.exists()
    assert files(tmp_path / "ray") == files(tmp_path / "local")


def test_what_an_actor_raises_comes_back(tmp_path: Path, gpt2: fretsaw.Tokenizer):
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"text " * 10_000)[:-9])
    with pytest.raises(Exception, match=r"a\.txt\.gz"):
        bulk.tokenize([tmp_path / "a.txt.gz"], tmp_path / "out", gpt2, ray=True)
