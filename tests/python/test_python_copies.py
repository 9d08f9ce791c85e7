"""Pickles and copies of tokenizers and encodings."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from frozen import golden_strings, sampled
from small_tokenizers import Added, tokenizer_json

import fretsaw

MADE = tokenizer_json([Added("<s>", special=True), Added("é ", lstrip=True)], ignore_merges=True)


def pickled(protocol: int) -> Callable[[Any], Any]:
    """A copy by way of a pickle."""
    return lambda thing: pickle.loads(pickle.dumps(thing, protocol))


COPIES: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{
        f"pickle, protocol {protocol}": pickled(protocol)
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)
    },
}
each_copy = pytest.mark.parametrize("make_copy", COPIES.values(), ids=COPIES)


def assert_equal(one: fretsaw.Tokenizer, other: fretsaw.Tokenizer, texts: list[str]) -> None:
    assert one.fingerprint == other.fingerprint
    assert one.get_vocab() == other.get_vocab()
    for text in texts:
        first, second = one.encode(text, special="all"), other.encode(text, special="all")
        assert (first.ids, first.tokens) == (second.ids, second.tokens)
        for skip in (True, False, None):
            ids = first.ids
            assert one.decode(ids, skip_special_tokens=skip) == other.decode(
                ids, skip_special_tokens=skip
            )


@each_copy
@pytest.mark.parametrize("name", ["gpt2", "byte"])
def test_built_in_tokenizers(name: str, make_copy: Callable[[Any], Any]) -> None:
    tok = fretsaw.get(name)
    assert_equal(tok, make_copy(tok), [text for _, text in sampled(golden_strings(), 200)])


def test_a_pickle_of_a_built_in_tokenizer_is_its_name() -> None:
    assert len(pickle.dumps(fretsaw.get("gpt2"))) < 200


@each_copy
def test_made_tokenizers(make_copy: Callable[[Any], Any]) -> None:
    tok = fretsaw.Tokenizer.from_str(MADE)
    texts = ["", "ab abc", "<s>", "a  é <s> b", "1212 xxxx"]
    assert_equal(tok, make_copy(tok), texts)
    assert_equal(tok, make_copy(make_copy(tok)), texts)


def test_a_real_file(smollm2_json: bytes) -> None:
    tok = fretsaw.Tokenizer.from_str(smollm2_json)
    copied = pickle.loads(pickle.dumps(tok))
    assert_equal(tok, copied, [text for _, text in sampled(golden_strings(), 300)])


def test_a_file_from_the_disk(tmp_path: Any) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(MADE, encoding="utf-8")
    tok = fretsaw.Tokenizer.from_file(path)
    data = pickle.dumps(tok)
    path.unlink()
    assert_equal(tok, pickle.loads(data), ["ab <s>é "])


def test_a_pickle_by_path(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(MADE, encoding="utf-8")
    tok = fretsaw.Tokenizer.from_file(path).pickle_by_path(path)
    data = pickle.dumps(tok)
    assert len(data) < 300
    again = pickle.loads(data)
    assert_equal(tok, again, ["ab <s>é "])
    assert pickle.dumps(again) == data
    assert pickle.dumps(copy.deepcopy(tok)) == data
    # A tokenizer that changes is no longer that of the path.
    changed = copy.copy(tok)
    changed.enable_padding(length=3)
    assert pickle.loads(pickle.dumps(changed)).encode("a").ids == changed.encode("a").ids
    path.write_text(fretsaw.get("byte").to_str(), encoding="utf-8")
    with pytest.raises(fretsaw.SpecError, match="fingerprint"):
        pickle.loads(data)
    path.write_text("{", encoding="utf-8")
    with pytest.raises(fretsaw.SpecError):
        pickle.loads(data)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        pickle.loads(data)


def test_a_pickle_by_a_path_that_is_another(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(MADE, encoding="utf-8")
    with pytest.raises(ValueError, match="fingerprint"):
        fretsaw.get("byte").pickle_by_path(path)
    with pytest.raises(FileNotFoundError):
        fretsaw.get("byte").pickle_by_path(tmp_path / "none")


def test_a_pickle_by_the_path_of_a_folder_with_a_chat_template(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tokenizer.json").write_text(MADE, encoding="utf-8")
    (tmp_path / "chat_template.jinja").write_text("x" * 1000)
    monkeypatch.chdir(tmp_path)
    plain = fretsaw.Tokenizer.from_file("tokenizer.json")
    tok = fretsaw.Tokenizer.from_file(".").pickle_by_path(".")
    monkeypatch.chdir("/")
    assert len(pickle.dumps(tok)) < 300
    assert str(pickle.loads(pickle.dumps(tok)).render_chat([])) == "x" * 1000
    # Without the template that lies there, or with another one, the pickle says so.
    by_file = fretsaw.Tokenizer.from_file(tmp_path).pickle_by_path(tmp_path / "tokenizer.json")
    assert str(pickle.loads(pickle.dumps(by_file)).render_chat([])) == "x" * 1000
    with pytest.raises(ValueError, match="no chat template"):
        pickle.loads(pickle.dumps(plain)).render_chat([])


@each_copy
def test_whether_special_tokens_are_text(make_copy: Callable[[Any], Any], tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(MADE, encoding="utf-8")
    made = fretsaw.Tokenizer.from_file(path)
    for tok in (made, made.pickle_by_path(path), fretsaw.get("gpt2"), fretsaw.get("o200k_base")):
        tok.encode_special_tokens = True
        copied = make_copy(tok)
        assert copied.encode_special_tokens
        assert copied.fingerprint == tok.fingerprint
        text = "a <s> <|endoftext|>"
        assert copied.encode(text).ids == tok.encode(text).ids
        tok.encode_special_tokens = False
        assert not make_copy(tok).encode_special_tokens
    assert len(pickle.dumps(fretsaw.get("gpt2"))) < 200


@each_copy
def test_encodings(make_copy: Callable[[Any], Any], gpt2: fretsaw.Tokenizer) -> None:
    for text in ("", "Hello world<|endoftext|>", "é🙂\x00"):
        encoding = gpt2.encode(text)
        copied = make_copy(encoding)
        assert copied == encoding
        assert (copied.ids, copied.tokens) == (encoding.ids, encoding.tokens)
        assert len(copied) == len(encoding)
