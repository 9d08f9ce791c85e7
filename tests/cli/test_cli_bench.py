"""`fretsaw bench`."""

import importlib
import json
from pathlib import Path

import pytest

TEXT = "The first line, and it isn't long.\n    def second(line): return 2\n\nGrüße, 世界\n" * 3


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("fretsaw.cli.bench")
    monkeypatch.setattr(module, "ROUNDS", 3)
    monkeypatch.setattr(module, "TARGET_S", 0.0)


@pytest.fixture
def text(tmp_path: Path) -> str:
    path = tmp_path / "text"
    path.write_text(TEXT, encoding="utf-8")
    return str(path)


def test_a_table_of_what_is_installed(run, text: str):
    lines = run("bench", "gpt2", text).stdout.splitlines()
    assert lines[0] == f"gpt2, {len(TEXT.encode())} bytes; ids compared with those of tokenizers"
    assert " ".join(lines[1].split()) == "library line, us × 64 KiB, us × batch, MB/s ×"
    rows = {line.split()[0]: line.split() for line in lines[2:]}
    assert {"fretsaw", "tokenizers", "tiktoken"} <= set(rows)
    assert rows["fretsaw"][3::2] == ["1.00", "1.00", "1.00"]
    assert ["tokenizers", "0.23.3"] in [line.split()[:2] for line in lines[2:]]


def test_json(run, text: str):
    report = json.loads(run("bench", "--json", "gpt2", text).stdout)
    assert (report["name"], report["compared_with"]) == ("gpt2", "tokenizers")
    rows = {row["library"]: row for row in report["libraries"]}
    assert rows["fretsaw"]["line_ratio"] == 1.0
    assert rows["tokenizers"]["batch_us"] > 0
    assert rows["tokenizers"]["left_out"] is None
    out = [row for row in report["libraries"] if row["left_out"]]
    assert all(row["batch_us"] is None for row in out)


def test_the_standard_library_is_the_text_where_none_is_given(run):
    report = json.loads(run("bench", "--json", "gpt2").stdout)
    assert report["bytes"] > 100_000


def test_who_gives_other_ids_or_fails_is_left_out(run, text: str, monkeypatch):
    peers = importlib.import_module("fretsaw.cli._peers")
    whole = peers.PEERS["tokenizers"]

    def other(file: bytes):
        peer = whole(file)
        return peers.Peer(lambda text: [0], peer.batch, peer.flat)

    def failing(file: bytes):
        def fail(text: str):
            raise BaseException("panicked\n at all")

        return peers.Peer(fail, fail, fail)

    monkeypatch.setitem(peers.PEERS, "snaptokens", other)
    monkeypatch.setitem(peers.PEERS, "gigatoken", failing)
    report = json.loads(run("bench", "--json", "gpt2", text).stdout)
    reasons = {row["library"]: row["left_out"] for row in report["libraries"]}
    assert reasons["snaptokens"] == "gives other ids"
    assert reasons["gigatoken"] == "fails: panicked at all"


def test_without_the_oracle(run, text: str, monkeypatch):
    peers = importlib.import_module("fretsaw.cli._peers")

    def missing(file: bytes):
        raise ImportError

    monkeypatch.setitem(peers.PEERS, "tokenizers", missing)
    printed = run("bench", "gpt2", text).stdout
    assert "ids compared with those of fretsaw" in printed
    assert "tokenizers: not installed" in printed


def test_bad_input(fails, tmp_path: Path):
    (tmp_path / "empty").write_text(" \n")
    expected = "nothing to measure: give a file that has text in it"
    assert fails("bench", "gpt2", str(tmp_path / "empty")) == expected
    assert fails("bench", "gpt2", "none") == "none: No such file or directory"
    assert fails("bench", "gpt9").startswith("'gpt9' is neither a built-in vocabulary")
    assert fails("bench") == "Missing argument 'TOKENIZER'."
