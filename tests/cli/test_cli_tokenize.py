"""`fretsaw tokenize`."""

import importlib
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from fretsaw.cli import main

tokenize = importlib.import_module("fretsaw.cli.tokenize")


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["tokenize", *map(str, arguments)])
    return result.exit_code, result.output


def test_a_corpus_is_made_verified_and_shown(tmp_path: Path):
    text, out = tmp_path / "a.txt", tmp_path / "out"
    text.write_text("Hello world\nGrüße\n")
    code, said = run(text, "-t", "gpt2", "--out", out, "--append", "<|endoftext|>")
    assert (code, said) == (0, f"{out}: 2 documents, 10 tokens, 1 shard\n")
    assert run("--verify", out) == (0, f"{out}: as its manifest says\n")
    assert run("--show", 1, "--out", out) == (0, "Grüße\n<|endoftext|>\n")
    code, said = run("--show", 0, "--out", out, "--json")
    assert (code, json.loads(said)) == (0, {"text": "Hello world\n<|endoftext|>"})
    code, said = run("--show", 2, "--out", out)
    assert (code, said.splitlines()[-1].endswith("there is no document 2; there are 2")) == (
        2,
        True,
    )
    (out / "shard-00000.bin").write_bytes(b"")
    code, said = run("--verify", out)
    assert code == 2
    assert "0 bytes, not 20" in said


def test_numbers_for_programs(tmp_path: Path):
    (tmp_path / "a.jsonl").write_text('{"text": "a"}\n{"text": "a"}\n{}\n')
    out = tmp_path / "out"
    code, said = run(tmp_path / "*.jsonl", "--out", out, "--dedup", "exact", "--json")
    numbers = {"documents": 1, "tokens": 1, "rejected": 1, "duplicates": 1, "shards": 1}
    assert (code, json.loads(said)) == (0, numbers)
    other = tmp_path / "other"
    assert run(tmp_path / "*.jsonl", "--out", other) == (
        *(0, f"{other}: 2 documents, 2 tokens, 1 shard\n1 rejected\n"),
    )


def test_progress_in_a_log_is_a_line_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tokenize, "LINE_EVERY_S", 0.0)
    text, out = tmp_path / "a.txt", tmp_path / "out"
    text.write_text("Hello world\n" * 100_000)
    code, said = run(text, "--out", out)
    lines = said.splitlines()
    assert code == 0
    assert len(lines) > 3
    pattern = r"[\d,]+ of 1 MB, [\d,]+ MB/s, [\d,]+:\d\d:\d\d left, [\d,]+ documents, [\d,]+ tokens"
    assert all(re.fullmatch(pattern, line) for line in lines[:-1])
    assert lines[-2].startswith("1 of 1 MB, ")
    assert lines[-2].endswith(" 0:00:00 left, 100,000 documents, 300,000 tokens")


def test_bad_input_is_one_line(tmp_path: Path):
    (tmp_path / "a.jsonl").write_text("{}\n")
    for arguments, message in (
        ((), "give the folder with --out"),
        (("--out", tmp_path / "x"), "give at least one file"),
        ((tmp_path / "none", "--out", tmp_path / "x"), "there is no file"),
        ((tmp_path / "a.jsonl", "--out", tmp_path / "y", "--strict"), "the field is missing"),
        ((tmp_path / "a.jsonl", "--out", tmp_path / "y", "--append", "nope"), "no token"),
    ):
        code, said = run(*arguments)
        assert (code, message in said.splitlines()[-1]) == (2, True), said
