"""A job that was stopped at any moment goes on to the very same bytes."""

import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from bulk_corpora import sentences

import fretsaw
from fretsaw import BulkError, bulk

PROVE = bool(os.environ.get("FRETSAW_PROVE"))
KILLS = 50 if PROVE else 2

JOB = """
import json, sys
from fretsaw import bulk
inputs, out, options = json.loads(sys.argv[1])
print("begun", flush=True)
bulk.tokenize(inputs, out, "gpt2", resume=True, workers=2, **options)
"""

OPTIONS: list[dict[str, Any]] = [
    {"append": "<|endoftext|>", "shard_tokens": 30_000},
    {"shard_tokens": 30_000, "shuffle": 3, "shuffle_window": 777, "pack": 128, "dedup": "exact"},
    {"shard_tokens": 30_000, "layout": "parquet"},
]


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture
def inputs(tmp_path: Path) -> list[str]:
    """Three files, with bad rows among the lines."""
    paths = []
    for number in range(3):
        lines = [json.dumps({"text": text}) for text in sentences(6000, number)]
        lines[100::97] = ["bad"] * len(lines[100::97])
        path = tmp_path / f"{number}.jsonl"
        path.write_text("\n".join(lines))
        paths.append(str(path))
    return paths


def kill_after(seconds: float, inputs: list[str], out: Path, options: dict[str, Any]) -> bool:
    """Runs a job in a process that is killed; whether it was faster."""
    command = [sys.executable, "-c", JOB, json.dumps([inputs, str(out), options])]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            return process.wait(seconds) == 0
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            return False


@pytest.mark.parametrize("options", OPTIONS, ids=["plain", "everything", "parquet"])
def test_a_killed_job_goes_on(inputs: list[str], tmp_path: Path, options: dict[str, Any]):
    begun = time.monotonic()
    whole = tmp_path / "whole"
    bulk.tokenize(inputs, whole, "gpt2", workers=2, **options)
    takes = time.monotonic() - begun
    draw = random.Random(5)
    out = tmp_path / "killed"
    for _ in range(KILLS):
        if kill_after(draw.uniform(0, takes), inputs, out, options):
            assert files(out) == files(whole)
            shutil.rmtree(out)
    bulk.tokenize(inputs, out, "gpt2", resume=True, **options)
    assert files(out) == files(whole)
    assert bulk.verify(out) == []


@pytest.mark.parametrize("options", OPTIONS, ids=["plain", "everything", "parquet"])
def test_a_job_goes_on_from_every_shard(
    inputs: list[str], tmp_path: Path, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
):
    from fretsaw.bulk._journal import Journal

    whole, out = tmp_path / "whole", tmp_path / "out"
    options = {**options, "shard_tokens": 90_000}
    bulk.tokenize(inputs, whole, "gpt2", **options)
    note = Journal.add_shard
    noted = 0

    class Stopped(Exception):
        pass

    def stop_behind(self: Journal, entry: dict[str, Any]) -> None:
        nonlocal noted
        note(self, entry)
        noted += 1
        # What a crash leaves: half-written files, and a torn line.
        (out / ".shard-00077.part").write_bytes(b"half")
        (out / "shard-00078.bin").write_bytes(b"not in the journal")
        with open(out / ".journal.jsonl", "ab") as file:
            file.write(b'{"shard": {"docu')
        raise Stopped

    monkeypatch.setattr(Journal, "add_shard", stop_behind)
    count = len(json.loads((whole / "manifest.json").read_text())["shards"])
    assert count > 4
    for _ in range(count):
        with pytest.raises(Stopped):
            bulk.tokenize(inputs, out, "gpt2", resume=True, **options)
    monkeypatch.undo()
    assert noted == count
    bulk.tokenize(inputs, out, "gpt2", resume=True, **options)
    assert files(out) == files(whole)


def test_a_full_disk_is_an_error_to_go_on_from(inputs: list[str], tmp_path: Path):
    options = OPTIONS[1]
    whole, out = tmp_path / "whole", tmp_path / "small"
    bulk.tokenize(inputs, whole, "gpt2", **options)
    size = sum(path.stat().st_size for path in whole.iterdir())
    out.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size * 2 // 3}", "tmpfs", str(out)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        _fill_instead(inputs, out, options)
        return
    try:
        with pytest.raises(OSError, match="No space left"):
            bulk.tokenize(inputs, out, "gpt2", **options)
        assert not (out / "manifest.json").exists()
        subprocess.run(["mount", "-o", f"remount,size={size * 4}", str(out)], check=True)
        bulk.tokenize(inputs, out, "gpt2", resume=True, **options)
        assert files(out) == files(whole)
    finally:
        subprocess.run(["umount", str(out)], check=True)


def _fill_instead(inputs: list[str], out: Path, options: dict[str, Any]) -> None:
    """Where nothing can be mounted: a limit on the size of files, in a process of its own."""
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))\n"
    ignore = "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    command = [sys.executable, "-c", limit + ignore + JOB]
    arguments = json.dumps([inputs, str(out), options])
    run = subprocess.run([*command, arguments], capture_output=True, text=True, check=False)
    assert "File too large" in run.stderr
    assert not (out / "manifest.json").exists()


def test_what_resume_refuses(inputs: list[str], tmp_path: Path, gpt2: fretsaw.Tokenizer):
    out = tmp_path / "out"
    begun = bulk.tokenize(inputs, out, gpt2)
    before = files(out)
    assert bulk.tokenize(inputs, out, gpt2, resume=True) == begun
    assert files(out) == before
    with pytest.raises(BulkError, match="finished job; give another folder"):
        bulk.tokenize(inputs, out, gpt2)
    with pytest.raises(
        BulkError, match=r"finished job in .* has options append None, this one '!'"
    ):
        bulk.tokenize(inputs, out, gpt2, resume=True, append="!")
    other = tmp_path / "other"
    with pytest.raises(BulkError, match="not JSON"):
        bulk.tokenize(inputs, other, gpt2, strict=True)
    with pytest.raises(BulkError, match="pass resume"):
        bulk.tokenize(inputs, other, gpt2, strict=True)
    with pytest.raises(
        BulkError, match="has options strict True, this one False; give what it was"
    ):
        bulk.tokenize(inputs, other, gpt2, resume=True)
    Path(inputs[1]).write_text("other")
    for folder, options in ((out, {}), (other, {"strict": True})):
        differs = (
            r"has 3 inputs, the first other one, number 1, .*1\.jsonl', \d+\], this one .* 5\]"
        )
        with pytest.raises(BulkError, match=differs):
            bulk.tokenize(inputs, folder, gpt2, resume=True, **options)
        with pytest.raises(BulkError, match=r"3 inputs, .* number 0, \['.* 5\]; give"):
            bulk.tokenize(inputs[1:2], folder, gpt2, resume=True, **options)


def test_shards_of_another_program_are_not_removed(
    inputs: list[str], tmp_path: Path, gpt2: fretsaw.Tokenizer
):
    out = tmp_path / "out"
    out.mkdir()
    (out / "shard-00003.bin").write_bytes(b"mine")
    for resume in (False, True):
        with pytest.raises(BulkError, match=r"shard-00003\.bin is of no job"):
            bulk.tokenize(inputs, out, gpt2, resume=resume)
    assert files(out) == {"shard-00003.bin": b"mine"}
    (out / "shard-00003.bin").rename(out / "shard-notes.txt")
    bulk.tokenize(inputs, out, gpt2, shard_tokens=30_000)
    assert (out / "shard-notes.txt").read_bytes() == b"mine"


def test_one_job_at_a_time(inputs: list[str], tmp_path: Path, gpt2: fretsaw.Tokenizer):
    out = tmp_path / "out"

    def again(_: bulk.Progress) -> None:
        with pytest.raises(BulkError, match="another job is at work"):
            bulk.tokenize(inputs, out, gpt2, resume=True)

    bulk.tokenize(inputs, out, gpt2, progress=again)


def test_progress_ends_with_everything(inputs: list[str], tmp_path: Path, gpt2: fretsaw.Tokenizer):
    told: list[bulk.Progress] = []
    manifest = bulk.tokenize(inputs, tmp_path / "out", gpt2, progress=told.append)
    last = told[-1]
    total = sum(Path(path).stat().st_size for path in inputs)
    assert (last.bytes_read, last.bytes_total) == (total, total)
    assert (last.documents, last.tokens) == (manifest["documents"], manifest["tokens"])
    assert (last.rejected, last.seconds_left) == (manifest["rejected"], 0)
    assert [now.bytes_read for now in told] == sorted(now.bytes_read for now in told)
    assert told[0].mb_per_s > 0
    assert {now.bytes_before for now in told} == {0}


@pytest.mark.parametrize("packed", [False, True])
def test_progress_of_a_job_that_goes_on_counts_what_it_does(
    packed: bool,
    inputs: list[str],
    tmp_path: Path,
    gpt2: fretsaw.Tokenizer,
    monkeypatch: pytest.MonkeyPatch,
):
    from fretsaw.bulk._journal import Journal

    if packed:
        for number, path in enumerate(inputs):
            inputs[number] = f"{path}.gz"
            Path(inputs[number]).write_bytes(gzip.compress(Path(path).read_bytes()))

    class Stopped(Exception):
        pass

    note = Journal.add_shard

    def stop_behind(self: Journal, entry: dict[str, Any]) -> None:
        note(self, entry)
        if len(self.shards) == 12:
            raise Stopped

    monkeypatch.setattr(Journal, "add_shard", stop_behind)
    out = tmp_path / "out"
    with pytest.raises(Stopped):
        bulk.tokenize(inputs, out, gpt2, shard_tokens=30_000)
    monkeypatch.undo()
    told: list[bulk.Progress] = []
    options: dict[str, Any] = {"shard_tokens": 30_000, "progress": told.append}
    bulk.tokenize(inputs, out, gpt2, resume=True, **options)
    before = told[0].bytes_before
    assert 0 < before < told[0].bytes_total
    assert {now.bytes_before for now in told} == {before}
    assert before <= told[0].bytes_read <= told[-1].bytes_read == told[-1].bytes_total
    last = told[-1]
    assert last.mb_per_s * last.seconds == pytest.approx((last.bytes_total - before) / 1e6)
