"""`fretsaw count`."""

import importlib
import json
from pathlib import Path

import pytest


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("hello").write_text("Hello world")
    Path("empty").write_text("")
    Path("special").write_text("<|endoftext|>")


@pytest.mark.usefixtures("files")
def test_each_file_and_the_total(run):
    assert run("count", "hello", "empty", "special").stdout == (
        "        tokens    characters  characters/token  file\n"
        "             2            11              5.50  hello\n"
        "             0             0                 -  empty\n"
        "             7            13              1.86  special\n"
        "             9            24              2.67  total\n"
    )


@pytest.mark.usefixtures("files")
def test_one_file_needs_no_total(run):
    assert run("count", "hello").stdout.splitlines()[1:] == [
        "             2            11              5.50  hello"
    ]


@pytest.mark.usefixtures("files")
def test_json(run):
    report = json.loads(run("count", "--json", "hello", "empty").stdout)
    hello = {"file": "hello", "tokens": 2, "characters": 11, "characters_per_token": 5.5}
    empty = {"file": "empty", "tokens": 0, "characters": 0, "characters_per_token": None}
    assert report == {"files": [hello, empty], "total": {**hello, "file": "total"}}


@pytest.mark.usefixtures("files")
def test_standard_input_vocabulary_and_special(run):
    assert run("count", "-", stdin="Hello world").stdout.endswith("-\n")
    assert run("count", "-t", "byte", "hello").stdout.split()[-4:-1] == ["11", "11", "1.00"]
    assert run("count", "--special", "all", "special").stdout.split()[-4] == "1"


def test_progress_is_for_terminals(run, files, monkeypatch: pytest.MonkeyPatch):
    module = importlib.import_module("fretsaw.cli.count")
    monkeypatch.setattr(module, "PROGRESS_FROM_BYTES", 0)
    assert run("count", "hello").stderr == ""
    monkeypatch.setattr("rich.console.Console.is_terminal", True)
    result = run("count", "hello", "empty")
    assert "counting" in result.stderr
    assert "counting" not in result.stdout


@pytest.mark.usefixtures("files")
def test_bad_input(fails):
    Path("latin").write_bytes(b"caf\xe9")
    assert fails("count", "latin") == "latin: not UTF-8 at byte offset 3 (0xe9)"
    assert fails("count", "hello", "none") == "none: No such file or directory"
    assert fails("count", ".") == ".: Is a directory"
    assert fails("count") == "Missing argument 'FILE...'."
    assert fails("count", "--special", "error", "special").startswith("the text contains")
