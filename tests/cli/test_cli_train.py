"""`fretsaw train`."""

import json
import pathlib
from xml.etree import ElementTree

import pytest

from fretsaw.cli._curve import Curve, halves, picture


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


def test_going_on(run, fails, corpus: pathlib.Path, tmp_path: pathlib.Path):
    first, second, plot = tmp_path / "1.json", tmp_path / "2.json", tmp_path / "plot.svg"
    run("train", str(corpus), "-o", str(first), "--vocab-size", "258", "--special", "<s>")
    arguments = ("train", str(corpus), "-o", str(second), "--continue-from", str(first))
    more = ("--vocab-size", "261", "--held-out", str(corpus), "--plot", str(plot))
    done = run(*arguments, *more)
    assert done.exit_code == 0, done.output
    old, new = (json.loads(path.read_text())["model"] for path in (first, second))
    assert old["vocab"].items() < new["vocab"].items()
    assert new["merges"][: len(old["merges"])] == old["merges"]
    assert plot.exists()
    assert "don't go together" in fails(*arguments, "--like", str(first))


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


@pytest.mark.parametrize(
    ("model", "size"), [("bpe", 280), ("wordpiece", 30), ("wordlevel", 6), ("unigram", 40)]
)
def test_a_picture(run, corpus: pathlib.Path, tmp_path: pathlib.Path, model: str, size: int):
    corpus.write_text("hug hugs pug pugs hugging low lower lowest new newer newest\n" * 3)
    held_out, plot = tmp_path / "<held>", tmp_path / "plot.svg"
    held_out.write_text("hugs lower newest\n")
    arguments = ("train", str(corpus), "-o", str(tmp_path / "t.json"), "--model", model)
    done = run(
        *arguments, "--vocab-size", str(size), "--held-out", str(held_out), "--plot", str(plot)
    )
    assert done.exit_code == 0, done.output
    root = ElementTree.fromstring(plot.read_text("utf-8"))
    texts = [element.text for element in root.iter() if element.tag.endswith("text")]
    assert any(str(text).startswith("<held> ") for text in texts)
    (line,) = [element for element in root.iter() if element.tag.endswith("polyline")]
    points = line.attrib["points"].split()
    assert len(points) == len(set(points))


def test_pictures_of_little(tmp_path: pathlib.Path):
    assert halves(32_000) == [1000, 2000, 4000, 8000, 16_000, 32_000]
    assert halves(3) == [1, 3]
    for curves in ([], [Curve("a", [])], [Curve("a", [(5, 0.5)])], [Curve("a", [(5, 99.0)])]):
        ElementTree.fromstring(picture("a < b", curves))


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
    assert "--held-out" in fails("train", str(corpus), "-o", "x.json", "--plot", "x.svg")
    corpus.write_bytes(b"\xff")
    assert "byte offset 0" in fails("train", str(corpus), "-o", str(tmp_path / "x.json"))
