"""Files that are refused: what is not done exactly, naming the JSON path; what is broken, and where."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from frozen import TESTS
from small_tokenizers import byte_level, tokenizer_json, vocabulary

import fretsaw

SPLIT = {
    "type": "Split",
    "pattern": {"Regex": "a(?=b)"},
    "behavior": "Isolated",
    "invert": False,
}


def sequence(*steps: dict[str, Any]) -> dict[str, Any]:
    """A Sequence of pre-tokenizers."""
    return {"type": "Sequence", "pretokenizers": list(steps)}


WORD_PIECE = {
    "type": "WordPiece",
    "unk_token": "[UNK]",
    "continuing_subword_prefix": "##",
    "max_input_chars_per_word": 100,
    "vocab": {"[UNK]": 0, "a": 1},
}
UNIGRAM = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["a", -1.0]]}
WORD_LEVEL = {"type": "WordLevel", "vocab": {"[UNK]": 0, "a": 1}, "unk_token": "[UNK]"}

# What this version can't do, the oracle can: changed fields, the path, a part of the message.
NOT_YET: list[tuple[dict[str, Any], str, str]] = [
    ({"normalizer": {"type": "Lowercase"}}, "normalizer", "Lowercase"),
    ({"normalizer": {"type": "NFKC"}}, "normalizer", "NFKC"),
    ({"pre_tokenizer": {"type": "WhitespaceSplit"}}, "pre_tokenizer", ""),
    ({"pre_tokenizer": SPLIT}, "pre_tokenizer", ""),
    ({"pre_tokenizer": sequence(SPLIT, byte_level())}, "pre_tokenizer.pretokenizers[0]", "Split"),
    (
        {"pre_tokenizer": sequence(byte_level(), SPLIT)},
        "pre_tokenizer.pretokenizers[1]",
        "Split",
    ),
    ({"model": WORD_PIECE}, "model", "WordPiece"),
    ({"model": UNIGRAM}, "model", "Unigram"),
    ({"model": WORD_LEVEL}, "model", "WordLevel"),
    ({"decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True}}, "decoder", "WordPiece"),
    (
        {"post_processor": {"type": "BertProcessing", "sep": ["a", 97], "cls": ["b", 98]}},
        "post_processor",
        "BertProcessing",
    ),
]


TEXTS = ("", "ab abc  abb", "aab", " A a", "it's 1212 \u00e9\u2460\n\n", "b", "bab <s>ba")


def assert_exact(tok: fretsaw.Tokenizer, text: str) -> None:
    """What loads must be done exactly."""
    oracle = tokenizers.Tokenizer.from_str(text)
    for sample in TEXTS:
        for special in (True, False):
            ids = oracle.encode(sample, add_special_tokens=special).ids
            assert tok.encode(sample, add_special_tokens=special).ids == ids, repr(sample)
            assert tok.decode(ids) == oracle.decode(ids)


@pytest.mark.parametrize(("fields", "path", "value"), NOT_YET)
def test_exact_or_refused_by_path_and_value(fields: dict[str, Any], path: str, value: str) -> None:
    text = tokenizer_json(**fields)
    try:
        tok = fretsaw.Tokenizer.from_str(text)
    except fretsaw.UnsupportedError as error:
        assert path in str(error)
        assert value in str(error)
    else:
        assert_exact(tok, text)


MODEL_FIELDS = [
    ("dropout", 0.5),
    ("continuing_subword_prefix", "##"),
    ("end_of_word_suffix", "</w>"),
    ("byte_fallback", True),
]


@pytest.mark.parametrize(("field", "value"), MODEL_FIELDS)
def test_fields_of_the_model_are_exact_or_refused(field: str, value: object) -> None:
    spec = json.loads(tokenizer_json(merges=()))
    spec["model"][field] = value
    text = json.dumps(spec)
    try:
        tok = fretsaw.Tokenizer.from_str(text)
    except fretsaw.UnsupportedError as error:
        assert f"model.{field}" in str(error)
    else:
        assert_exact(tok, text)


def test_every_file_of_the_data_folder_loads_or_says_why_not(data_dir: Path) -> None:
    loaded = set()
    for path in sorted((data_dir / "tokenizers").glob("*.json.gz")):
        try:
            fretsaw.Tokenizer.from_str(gzip.decompress(path.read_bytes()))
            loaded.add(path.name.removesuffix(".json.gz"))
        except fretsaw.UnsupportedError as error:
            assert re.search("normalizer|token|model|decoder|post|truncation|padding", str(error))
    assert loaded >= {"gpt2", "smollm2", "phi-2", "starcoder2"}


# Broken: the model's fields, and what the message must have.
BROKEN_MODELS: list[tuple[dict[str, Any], str]] = [
    ({"vocab": []}, r"model\.vocab"),
    ({"vocab": {"a": "0"}, "merges": []}, r"model\.vocab"),
    ({"vocab": {"a": -1}, "merges": []}, r"model\.vocab"),
    ({"vocab": {"a": 1.5}, "merges": []}, r"model\.vocab"),
    ({"vocab": {"a": 2**32}, "merges": []}, r"model\.vocab"),
    ({"vocab": {"a": None}, "merges": []}, r"model\.vocab"),
    ({"merges": {}}, r"model\.merges"),
    ({"merges": [["a", "b"], ["a"]]}, r"model\.merges\[1\]"),
    ({"merges": [["a", "b"], ["a", "b", "c"]]}, r"model\.merges\[1\]"),
    ({"merges": [["a", "b"], ["a", 1]]}, r"model\.merges\[1\]"),
    ({"merges": ["a b", "ab"]}, r"model\.merges\[1\]"),
    ({"merges": ["a b", "a  c"]}, r"model\.merges\[1\]"),
    ({"merges": [["a", "b"], ["a", "nope"]]}, r"model\.merges\[1\]"),
    ({"merges": [["a", "b"], ["b", "x"]]}, r"model\.merges\[1\]"),
    ({"merges": 5}, r"model\.merges"),
    ({"ignore_merges": "yes"}, r"model\.ignore_merges"),
]


@pytest.mark.parametrize(("fields", "where"), BROKEN_MODELS)
def test_a_broken_model_is_named_by_its_path(fields: dict[str, Any], where: str) -> None:
    spec = json.loads(tokenizer_json())
    spec["model"].update(fields)
    text = json.dumps(spec)
    with pytest.raises(fretsaw.SpecError, match=where):
        fretsaw.Tokenizer.from_str(text)


@pytest.mark.parametrize(
    ("added", "where"),
    [
        ({}, r"added_tokens"),
        ([1], r"added_tokens\[0\]"),
        ([{"id": 300}], r"added_tokens\[0\]"),
        ([{"id": 300, "content": 5}], r"added_tokens\[0\]"),
        ([{"id": "x", "content": "<s>"}], r"added_tokens\[0\]"),
        ([{"id": 300, "content": "<s>", "special": 1}], r"added_tokens\[0\]"),
    ],
)
def test_broken_added_tokens_are_named_by_their_path(added: Any, where: str) -> None:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized", "special"), False)
    if isinstance(added, list):
        added = [{**flags, **item} if isinstance(item, dict) else item for item in added]
    with pytest.raises(fretsaw.SpecError, match=where):
        fretsaw.Tokenizer.from_str(tokenizer_json(added_tokens=added))


@pytest.mark.parametrize(
    "text", ["", " ", "null", "[]", "5", '"a"', "{}", '{"model": null}', '{"model": {}}', "{,}"]
)
def test_what_is_no_tokenizer_json(text: str) -> None:
    for content in (text, text.encode()):
        with pytest.raises(fretsaw.SpecError):
            fretsaw.Tokenizer.from_str(content)


def test_an_error_of_syntax_is_located() -> None:
    text = json.dumps(json.loads(tokenizer_json()), indent=1)
    text = text.replace('"merges": [', '"merges": [oops ')
    line = text[: text.index("oops")].count("\n") + 1
    with pytest.raises(fretsaw.SpecError, match=rf"\b{line}\b"):
        fretsaw.Tokenizer.from_str(text)


@pytest.mark.parametrize(
    ("merges", "line"),
    [
        ("#version: 0.2\na b\nab\n", 3),
        ("#version: 0.2\na b\na b c\n", 3),
        ("a b\nb c\nnope a\n", 3),
        ("#version: 0.2\r\na b\r\na \r\n", 3),
    ],
)
def test_a_broken_line_of_merges_txt_is_named(tmp_path: Path, merges: str, line: int) -> None:
    (tmp_path / "vocab.json").write_text(json.dumps(vocabulary()))
    (tmp_path / "merges.txt").write_bytes(merges.encode())
    with pytest.raises(fretsaw.SpecError, match=rf"line {line}\b|merges\[\d\]"):
        fretsaw.Tokenizer.from_file(tmp_path)


@pytest.mark.parametrize("vocab", ['{"a": 0,\n"b": oops}', "[]", '{"a": -1}', '{"a": "x"}', ""])
def test_a_broken_vocab_json_is_located(tmp_path: Path, vocab: str) -> None:
    (tmp_path / "vocab.json").write_text(vocab)
    (tmp_path / "merges.txt").write_text("a b\n")
    with pytest.raises(fretsaw.SpecError, match=r"line \d|at `"):
        fretsaw.Tokenizer.from_file(tmp_path)


def test_errors_are_value_errors_of_one_family() -> None:
    assert issubclass(fretsaw.SpecError, ValueError)
    assert issubclass(fretsaw.SpecError, fretsaw.FretsawError)
    assert issubclass(fretsaw.UnsupportedError, fretsaw.SpecError)
    assert (TESTS / "fixtures").is_dir()


def test_from_str_of_anything_else() -> None:
    for wrong in (None, 5, ["{}"], bytearray(b"{}")):
        with pytest.raises(TypeError):
            fretsaw.Tokenizer.from_str(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        fretsaw.Tokenizer.from_file(5)  # type: ignore[arg-type]
