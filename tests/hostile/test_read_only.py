"""Folders that can't be written: reading goes on, writing is one error that names the place.

The superuser may write anywhere, by a capability that the programs give up where that is who tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hostile_runs import Run

DROP = """
import ctypes
if os.geteuid() == 0:
    class Capabilities(ctypes.Structure):
        _fields_ = [(name, ctypes.c_uint32) for name in ("version", "process")]
    head, none = Capabilities(0x20080522, 0), (ctypes.c_uint32 * 6)()
    assert ctypes.CDLL(None).capset(ctypes.byref(head), none) == 0
assert not os.access(path, os.W_OK)
place = Path(path)
os.environ["FRETSAW_CACHE"] = path
"""


@pytest.fixture
def closed(tmp_path: Path, gpt2_json: bytes) -> Iterator[Path]:
    """A folder with a tokenizer.json and a text that may be read and not be written."""
    folder = tmp_path / "closed"
    folder.mkdir()
    (folder / "tokenizer.json").write_bytes(gpt2_json)
    (folder / "a.txt").write_text("one two\n" * 9)
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)


def test_loading_goes_on_without_a_sidecar(closed: Path, run: Run) -> None:
    program = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for _ in range(2):
        tok = fretsaw.Tokenizer.from_file(place / "tokenizer.json", cache=True)
        assert tok.encode_ids("Hello") == [15496]
    assert fretsaw.get("gpt2").encode_ids("Hello") == [15496]
print([str(one.message) for one in caught])
"""
    done = run(DROP + program, str(closed))
    assert done.stdout.count("cannot write the compiled file") == 1, done.stderr
    assert "Permission denied" in done.stdout
    assert sorted(path.name for path in closed.iterdir()) == ["a.txt", "tokenizer.json"]


WRITES = {
    "save": "fretsaw.get('gpt2').save(place / 'a.json')",
    "compile": "fretsaw.get('gpt2').compile(place / 'a.fret')",
    "bulk": "bulk.tokenize([place / 'a.txt'], place / 'out', 'gpt2')",
    "bulk into it": "bulk.tokenize([place / 'a.txt'], place, 'gpt2')",
    "train": "fretsaw.train(place / 'a.txt', vocab_size=259, checkpoint=place / 'kept')",
}


@pytest.mark.parametrize("use", WRITES)
def test_writing_is_an_error_that_names_the_place(use: str, closed: Path, run: Run) -> None:
    done = run(DROP + WRITES[use], str(closed))
    assert done.returncode == 1
    assert "PermissionError" in done.stderr, done.stderr
    assert str(closed) in done.stderr.splitlines()[-1]
    assert sorted(path.name for path in closed.iterdir()) == ["a.txt", "tokenizer.json"]


def test_what_may_not_be_read_is_named(closed: Path, run: Run) -> None:
    for path in closed.iterdir():
        path.chmod(0)
    uses = ["fretsaw.Tokenizer.from_file(place / 'tokenizer.json')"]
    uses += ["fretsaw.train(place / 'a.txt', vocab_size=259)"]
    uses += ["fretsaw.get('gpt2').encode_files(place / 'a.txt')"]
    for use in uses:
        done = run(DROP + use, str(closed))
        assert "PermissionError" in done.stderr, done.stderr
        assert str(closed) in done.stderr.splitlines()[-1]
