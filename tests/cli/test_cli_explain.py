"""`fretsaw explain`."""

import json
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

import fretsaw
from fretsaw import spec
from fretsaw.app import explain

Run = Callable[..., Result]


def saved(path: Path, model: spec.Model, pre_tokenizer: spec.PreTokenizer) -> str:
    path.write_text(spec.Spec(model, pre_tokenizer=pre_tokenizer).to_json())
    return str(path)


def test_the_merge_ladder(run: Run):
    lines = run("explain", "hugs né").stdout.splitlines()
    assert [line.split() for line in lines[2:5]] == [
        ["start", "h", "u", "g", "s"],
        ["762", "h", "ug", "s"],
        ["10083", "h", "ugs"],
    ]
    assert lines[6].split() == ["start", "␣", "n", "<c3>", "<a9>"]
    assert lines[-1].split() == [str(id_) for id_ in fretsaw.get("gpt2").encode_ids("hugs né")]


def test_a_whole_pre_token_that_is_a_token(run: Run):
    lines = run("explain", "-t", "cl100k_base", "Hello").stdout.splitlines()
    assert [line.split() for line in lines[2:4]] == [
        ["start", "H", "e", "l", "l", "o"],
        ["whole", "Hello"],
    ]


def test_a_lattice(run: Run, tmp_path: Path):
    model = spec.Unigram([("<unk>", 0.0), ("a", -1.0), ("b", -1.0), ("ab", -1.5)], unk_id=0)
    file = saved(tmp_path / "unigram.json", model, spec.WhitespaceSplit())
    lines = run("explain", "-t", file, "abx").stdout.splitlines()
    assert lines[0].startswith("unigram: ")
    assert [line.split() for line in lines[2:-3]] == [
        ["-1.000", "1", "a"],
        ["*", "-1.500", "3", "ab"],
        ["-1.000", "2", "b"],
        ["*", "-11.500", "0", "x"],
    ]


def test_longest_matches(run: Run, tmp_path: Path):
    vocab = {"[UNK]": 0, "un": 1, "##aff": 2}
    file = saved(tmp_path / "wordpiece.json", spec.WordPiece(vocab), spec.WhitespaceSplit())
    lines = run("explain", "-t", file, "unaff unx").stdout.splitlines()
    assert [line.split() for line in lines[2:4]] == [
        ["0", "un", "not", "unaff", "unaf", "una"],
        ["2", "##aff"],
    ]
    assert lines[6].split() == ["2", "nothing", "fits", "not", "##x"]
    assert lines[-1] == "1 2 0"


def test_words_and_no_text(run: Run, tmp_path: Path):
    model = spec.WordLevel({"<unk>": 0, "Hello": 1})
    file = saved(tmp_path / "words.json", model, spec.WhitespaceSplit())
    assert run("explain", "-t", file, "Hello").stdout.splitlines()[2] == "Hello"
    assert run("explain", "").exit_code == 0


def test_json(run: Run):
    found = json.loads(run("explain", "--json", " tokenization").stdout)
    assert found == explain(fretsaw.get("gpt2"), " tokenization")


def test_bad_input_is_one_line(fails: Callable[..., str]):
    assert "neither a built-in vocabulary" in fails("explain", "-t", "nope", "a")
