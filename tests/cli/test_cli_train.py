"""`fretsaw train`."""

import json
import pathlib

import pytest


@pytest.fixture
def corpus(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "corpus.txt"
    path.write_text("hug hugs pug pugs hugging\n" * 3)
    return path


def test_trains_and_writes(run, corpus: pathlib.Path, tmp_path: pathlib.Path):
    out = tmp_path / "tok.json"
    done = run("train", str(corpus), "-o", str(out), "--vocab-size", "260", "--special", "<s>")
    assert (done.exit_code, done.stdout) == (0, f"{out}: 260 tokens\n")
    done = run("encode", "-t", str(out), "--special", "all", "--ids", "<s>hugs")
    assert done.stdout.split()[0] == "0"


def test_json_and_a_pipeline(run, corpus: pathlib.Path, tmp_path: pathlib.Path):
    first, second = tmp_path / "1.json", tmp_path / "2.json"
    run("train", str(corpus), "-o", str(first), "--model", "wordlevel")
    done = run("train", str(corpus), "-o", str(second), "--like", str(first), "--json")
    report = {"out": str(second), "model": "WordLevel", "vocab_size": 6}
    assert json.loads(done.stdout) == report


def test_a_report_on_held_out_text(run, corpus: pathlib.Path, tmp_path: pathlib.Path):
    held_out = tmp_path / "held-out"
    held_out.write_text("hugs größer")
    arguments = ("train", str(corpus), "-o", str(tmp_path / "t.json"), "--held-out", str(held_out))
    lines = run(*arguments, "--vocab-size", "262").stdout.splitlines()
    assert lines[2].split()[-1] == str(held_out)
    assert lines[3].endswith("are not")
    report = json.loads(run(*arguments, "--vocab-size", "262", "--json").stdout)["report"]
    (fit,) = report["files"]
    assert (fit["characters"], fit["bytes"]) == (11, 13)
    assert fit["characters_per_token"] == 11 / fit["tokens"]
    assert report["used"] + len(report["never_used"]) == report["vocab_size"] == 262
    assert report["longest"][0] == "Ġhug"


def test_a_checkpoint(run, fails, corpus: pathlib.Path, tmp_path: pathlib.Path):
    out, kept = tmp_path / "tok.json", tmp_path / "kept"
    arguments = ("train", str(corpus), "-o", str(out), "--checkpoint", str(kept), "--resume")
    assert run(*arguments, "--max-distinct", "9", "--max-pretoken-chars", "9").exit_code == 0
    assert not kept.exists()
    kept.write_text("something else")
    assert "not a whole checkpoint" in fails(*arguments)
    assert "already" in fails(*arguments[:-1])


def test_bad_input(fails, corpus: pathlib.Path, tmp_path: pathlib.Path):
    assert "no file" in fails("train", str(tmp_path / "none"), "-o", "x.json")
    corpus.write_bytes(b"\xff")
    assert "byte offset 0" in fails("train", str(corpus), "-o", str(tmp_path / "x.json"))
