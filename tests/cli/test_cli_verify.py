"""`fretsaw verify`."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from click.testing import Result

import fretsaw
from fretsaw.cli._nasty_texts import nasty_texts
from fretsaw.cli._oracle import FAILED, quiet, result_of
from fretsaw.cli.verify import Difference, differences, lines_of

Run = Callable[..., Result]

WORD_LEVEL = {
    "version": "1.0",
    "truncation": None,
    "padding": None,
    "added_tokens": [],
    "normalizer": None,
    "pre_tokenizer": {"type": "WhitespaceSplit"},
    "post_processor": None,
    "decoder": None,
    "model": {"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "one": 1, "two": 2}},
}


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A small tokenizer.json."""
    (tmp_path / "tokenizer.json").write_text(json.dumps(WORD_LEVEL))
    return str(tmp_path / "tokenizer.json")


@pytest.fixture
def other_file(monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, Any]], None]:
    """Gives the oracle a file with another model."""

    def give(model: dict[str, Any]) -> None:
        text = json.dumps({**WORD_LEVEL, "model": {**WORD_LEVEL["model"], **model}})  # type: ignore[dict-item]
        monkeypatch.setattr(sys.modules["fretsaw.cli.verify"], "json_of", lambda _: text)

    return give


def test_all_is_equal(run: Run, path: str, tmp_path: Path) -> None:
    (tmp_path / "texts").write_text("one two\none two\nthree")
    result = run("verify", path, str(tmp_path / "texts"))
    assert result.exit_code == 0
    first, second = result.stdout.splitlines()
    assert f"texts compared with tokenizers {tokenizers.__version__}" in first
    assert ": 2 lines, " in first  # the one that stands twice is tried once
    assert second == "no difference"


def test_a_folder_standard_input_and_json(run: Run, path: str) -> None:
    result = run("verify", str(Path(path).parent), "-", "--json", stdin="one\n")
    report = json.loads(result.stdout)
    assert (result.exit_code, report["different"], report["differences"]) == (0, 0, [])
    assert report["name"] == str(Path(path).parent)
    assert report["texts"] > 500


def test_a_built_in_vocabulary(run: Run) -> None:
    result = run("verify", "gpt2")
    assert (result.exit_code, result.stdout.splitlines()[1]) == (0, "no difference")


def test_a_difference(run: Run, path: str, other_file: Callable[..., None]) -> None:
    other_file({"vocab": {"?": 0, "one": 1, "two": 3}})
    result = run("verify", path, "-", "--most", "1", stdin="one one one two one\n")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[1].endswith(" texts differ")
    assert lines[3:] == [
        "-:1: tokens of one␣one␣one␣two␣one↵",
        "       token  fretsaw                             tokenizers",
        "           1  1 one                               1 one",
        "           2  1 one                               1 one",
        "           3  2 two                               3 two",
        "           4  1 one                               1 one",
    ]


def test_a_difference_as_json(run: Run, path: str, other_file: Callable[..., None]) -> None:
    other_file({"vocab": {"?": 0, "one": 1, "two": 3}})
    report = json.loads(run("verify", path, "-", "--json", "--most", "1", stdin="two").stdout)
    assert report["different"] >= 1
    assert report["differences"] == [
        {
            "source": "-:1",
            "text": "two",
            "what": "tokens",
            "fretsaw": [[2, "two"]],
            "tokenizers": [[3, "two"]],
        }
    ]


def test_where_one_fails(run: Run, path: str, other_file: Callable[..., None]) -> None:
    other_file({"vocab": {"!": 0, "one": 1, "two": 2}})
    result = run("verify", path, "-", "--most", "1", stdin="three")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[5].split() == ["0", "0", "?", "(an", "error)"]


class Decoder:
    """An oracle that encodes as fretsaw does and decodes otherwise."""

    def __init__(self, ours: fretsaw.Tokenizer) -> None:
        self.encode = ours.encode

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        return "one twa" if not skip_special_tokens else "one two"


def test_decoded_text_is_compared(path: str) -> None:
    ours = fretsaw.Tokenizer.from_file(path)
    found = list(differences(ours, Decoder(ours), {"one two": "here"}))
    what = "decoded text with special tokens"
    assert found == [Difference("here", "one two", what, "one two", "one twa")]


def test_lines_keep_their_ends(tmp_path: Path) -> None:
    (tmp_path / "texts").write_bytes(b"a\r\n\nb\x0bc\n\n d")
    lines = list(lines_of([str(tmp_path / "texts")]))
    assert [line for _, line in lines] == ["a\r\n", "\n", "b\x0bc\n", "\n", " d"]
    assert lines[-1][0].endswith("texts:5")


def test_the_built_in_texts_are_the_same_every_time() -> None:
    tokenizer = fretsaw.get("gpt2")
    texts = list(nasty_texts(tokenizer))
    assert texts == list(nasty_texts(tokenizer))
    assert len({group for group, _ in texts}) == 11
    assert ("added tokens", "a<|endoftext|>b") in texts


def test_panics_are_silent(capfd: pytest.CaptureFixture[str]) -> None:
    def panic() -> None:
        os.write(2, b"thread panicked")
        raise BaseException

    with quiet():
        assert result_of(panic) == FAILED
    assert capfd.readouterr().err == ""
    with pytest.raises(KeyboardInterrupt):
        result_of(interrupted)


def interrupted() -> None:
    raise KeyboardInterrupt


def test_without_the_library(
    fails: Callable[..., str], path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    assert "pip install tokenizers==0.23.3" in fails("verify", path)


def test_bad_input(
    fails: Callable[..., str], path: str, tmp_path: Path, other_file: Callable[..., None]
) -> None:
    assert "neither a built-in vocabulary" in fails("verify", "nothing")
    assert "No such file" in fails("verify", path, str(tmp_path / "none"))
    assert "no tokenizer.json can say the same" in fails("verify", "cl100k_base")
    other_file({"type": "Nonsense"})
    assert "tokenizers does not load it" in fails("verify", path)
