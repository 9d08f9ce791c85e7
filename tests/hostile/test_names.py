"""Names of files with line breaks, bytes that are not UTF-8 and `..`: taken as they are, everywhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import fretsaw
from fretsaw import bulk

NAMES = [b"n\xff\n", b"..\n", b"-t", b"a b'\"\\", "ü\u2028".encode()]


@pytest.fixture(params=NAMES, ids=ascii)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder of such a name, reached by way of `..`."""
    name = os.fsdecode(request.param)
    (tmp_path / name).mkdir()
    return tmp_path / name / ".." / name


def test_every_format_is_written_and_read(folder: Path) -> None:
    tok = fretsaw.get("gpt2")
    for name, write in (("a.json", tok.save), ("a.fret", tok.compile)):
        path = folder / (folder.name + name)
        write(path)
        for cache in (False, True):
            assert fretsaw.Tokenizer.from_file(path, cache=cache).encode_ids("Hello") == [15496]
    left = sorted(path.name.removeprefix(folder.name) for path in folder.iterdir())
    assert left == ["a.fret", "a.json", "a.json.fret"]


def test_a_job_goes_from_such_files_to_such_a_folder(folder: Path) -> None:
    text, lines = folder / (folder.name + ".txt"), folder / (folder.name + ".jsonl")
    text.write_bytes(b"one\ntwo\n")
    lines.write_bytes(b'{"text": "three"}\nbad\n')
    out = folder / "out"
    manifest = bulk.tokenize([text, lines], out, "gpt2")
    assert [entry["path"] for entry in manifest["inputs"]] == [str(text), str(lines)]
    assert json.loads((out / "manifest.json").read_bytes()) == manifest
    assert bulk.verify(out, inputs=True) == []
    assert bulk.tokenize([text, lines], out, "gpt2", resume=True) == manifest
    (rejected,) = map(json.loads, (out / "rejected.jsonl").read_text().strip().split("\n"))
    assert rejected["file"] == os.fsencode(lines).decode("utf-8", "backslashreplace")
    with pytest.raises(fretsaw.BulkError, match="offset 18"):
        bulk.tokenize([lines], folder / "strict", "gpt2", strict=True)
    # An unfinished job is found again by the same names.
    with pytest.raises(fretsaw.BulkError, match="pass resume"):
        bulk.tokenize([lines], folder / "strict", "gpt2", strict=True)
    with pytest.raises(fretsaw.BulkError, match="offset 18"):
        bulk.tokenize([lines], folder / "strict", "gpt2", strict=True, resume=True)


def test_training_reads_such_files(folder: Path) -> None:
    path = folder / (folder.name + ".txt")
    path.write_bytes(b"one two\n" * 9)
    tok = fretsaw.train(path, vocab_size=259, checkpoint=folder / "kept")
    assert tok.get_vocab_size() == 259
    path.write_bytes(b"bad \xff\n")
    with pytest.raises(fretsaw.TrainError, match="byte offset 4"):
        fretsaw.train(path, vocab_size=259)


def test_the_command_line_takes_them_and_ends_in_one_error(tmp_path: Path) -> None:
    name = b"n\xff\n.json"
    fretsaw.get("gpt2").save(tmp_path / os.fsdecode(name))
    command = [
        sys.executable,
        "-c",
        "from fretsaw.cli import main; main()",
        "encode",
        "--ids",
        "-t",
    ]
    env = {**os.environ, "PYTHONUTF8": "1"}
    for path, code in ((name, 0), (b"missing" + name, 2)):
        done = subprocess.run(
            [*command, path, "Hello"], cwd=tmp_path, env=env, capture_output=True, check=False
        )
        assert done.returncode == code, done.stderr
        assert (done.stdout.strip() == b"15496") is (code == 0)
        assert b"Traceback" not in done.stderr
