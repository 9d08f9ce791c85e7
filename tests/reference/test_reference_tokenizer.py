"""The tokenizer as a whole: ids, tokens and texts equal the oracle's; files; refusals."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import decoders, models, pre_tokenizers, trainers

from fretsaw.reference import AddedToken, ByteLevel, Digits, Tokenizer, train
from fretsaw.reference.__main__ import TEXT
from fretsaw.reference.pre_tokenize import Step

TEXTS = st.one_of(
    st.text(max_size=40),
    st.text(alphabet="thecaton sr'\n😀猫แมว12<|>", max_size=40),
    st.lists(st.sampled_from([*TEXT.split(" "), "<|end|>", "  "]), max_size=8).map(" ".join),
)

BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
STEPS: list[list[Step]] = [
    [ByteLevel()],
    [ByteLevel(add_prefix_space=True)],
    [ByteLevel(use_regex=False)],
    [Digits(individual_digits=True), ByteLevel()],
    [Digits(), ByteLevel(add_prefix_space=True)],
]


def trained_by_the_oracle(alphabet: bool = True) -> str:
    """A tokenizer.json that Hugging Face trained and wrote, with all bytes or only those seen."""
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<|end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet() if alphabet else [],
        show_progress=False,
    )
    tokenizer.train_from_iterator([TEXT], trainer)
    return str(tokenizer.to_str())


def small_file(**changes: Any) -> dict[str, Any]:
    """A small file that loads, with top-level fields changed."""
    data: dict[str, Any] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": BYTE_LEVEL,
        "post_processor": None,
        "decoder": BYTE_LEVEL,
        "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]},
    }
    return {**data, **changes}


@pytest.mark.parametrize("alphabet", [True, False])
def test_equals_the_oracle_on_its_own_file(alphabet: bool) -> None:
    file = trained_by_the_oracle(alphabet)
    ours, oracle = Tokenizer.from_str(file), tokenizers.Tokenizer.from_str(file)

    @given(TEXTS)
    @settings(derandomize=True, deadline=None, max_examples=250)
    def compare(text: str) -> None:
        want = oracle.encode(text)
        assert ours.encode(text) == want.ids
        assert ours.tokens(want.ids) == want.tokens
        assert ours.decode(want.ids, False) == oracle.decode(want.ids, skip_special_tokens=False)
        if alphabet:
            assert ours.decode(want.ids, skip_special_tokens=False) == text

    compare()


@pytest.mark.parametrize("ignore_merges", [True, False])
@pytest.mark.parametrize("steps", STEPS)
def test_the_file_we_write_gives_the_oracle_the_same_ids(
    steps: list[Step], ignore_merges: bool, tmp_path: pathlib.Path
) -> None:
    model = train([TEXT], vocab_size=360).model
    added = [AddedToken("<|end|>", special=True, normalized=False), AddedToken("the", lstrip=True)]
    ours = Tokenizer(model.vocab, model.merges(), added, steps, ignore_merges)
    ours.save(tmp_path / "tokenizer.json")
    oracle = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    again = Tokenizer.from_file(tmp_path / "tokenizer.json")

    @given(TEXTS)
    @settings(derandomize=True, deadline=None, max_examples=80)
    def compare(text: str) -> None:
        ids = ours.encode(text)
        assert oracle.encode(text).ids == ids
        assert again.encode(text) == ids
        assert oracle.decode(ids) == ours.decode(ids)

    compare()


@given(st.lists(st.integers(0, 450), max_size=20), st.booleans())
@settings(derandomize=True, deadline=None, max_examples=300)
def test_decoding_any_ids_equals_the_oracle(ids: list[int], skip: bool) -> None:
    file = DECODE_FILE
    want = tokenizers.Tokenizer.from_str(file).decode(ids, skip_special_tokens=skip)
    assert Tokenizer.from_str(file).decode(ids, skip) == want


DECODE_FILE = trained_by_the_oracle()


def test_ids_that_no_token_has() -> None:
    tokenizer = Tokenizer({"a": 0}, [])
    assert tokenizer.decode([0, 9, 0]) == "aa"
    with pytest.raises(ValueError, match="the id 9"):
        tokenizer.tokens([0, 9])
    with pytest.raises(ValueError, match="the id 9"):
        tokenizer.token_bytes(9)


def test_a_lone_surrogate_is_an_error() -> None:
    with pytest.raises(ValueError, match="surrogates not allowed"):
        Tokenizer({"a": 0}, []).encode("a\ud800")


def test_pieces_and_added_tokens_of_a_text() -> None:
    tokenizer = Tokenizer({"a": 0}, [], [AddedToken("<end>")])
    assert tokenizer.split("a é<end>") == [b"a", b" \xc3\xa9", 1]


def test_both_ways_of_writing_merges() -> None:
    for merges in (["#version: 0.2", "a b"], [["a", "b"]]):
        file = small_file(model={"vocab": {"a": 0, "b": 1, "ab": 2}, "merges": merges})
        assert Tokenizer.from_str(json.dumps(file)).encode("ab") == [2]


MODEL = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}


@pytest.mark.parametrize(
    ("field", "changes"),
    [
        ("version", {"version": "2.0"}),
        ("truncation", {"truncation": {"max_length": 5}}),
        ("padding", {"padding": {"strategy": "BatchLongest"}}),
        ("normalizer", {"normalizer": {"type": "NFC"}}),
        ("pre_tokenizer", {"pre_tokenizer": {"type": "Whitespace"}}),
        ("pre_tokenizer", {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [BYTE_LEVEL] * 2}}),
        (r"pre_tokenizer\.pretokenizers\[1\]",
         {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [BYTE_LEVEL, {"type": "Split"}]}}),
        (r"pre_tokenizer\.add_prefix_space", {"pre_tokenizer": {**BYTE_LEVEL, "add_prefix_space": 1}}),
        (r"pre_tokenizer\.individual_digits", {"pre_tokenizer": {"type": "Digits"}}),
        ("post_processor", {"post_processor": {"type": "BertProcessing"}}),
        (r"post_processor\.special_tokens", {"post_processor": {"type": "TemplateProcessing"}}),
        ("decoder", {"decoder": {"type": "CTC"}}),
        (r"decoder\.prefix", {"decoder": {"type": "WordPiece"}}),
        ("model", {"model": None}),
        (r"model\.type", {"model": {**MODEL, "type": "Other"}}),
        (r"model\.unk_token", {"model": {**MODEL, "type": "WordPiece"}}),
        (r"model\.vocab is", {"model": {**MODEL, "type": "Unigram"}}),
        (r"model\.byte_fallback", {"model": {**MODEL, "byte_fallback": 1}}),
        (r"model\.merges", {"model": {**MODEL, "continuing_subword_prefix": "##"}}),
        (r"model\.dropout", {"model": {**MODEL, "dropout": 0.1}}),
        (r"model\.vocab", {"model": {"merges": []}}),
        (r"model\.vocab", {"model": {**MODEL, "vocab": {"a": -1}}}),
        (r"model\.vocab", {"model": {**MODEL, "vocab": {"a": 0, "b": 0, "ab": 1}}}),
        (r"model\.merges", {"model": {"vocab": {}}}),
        (r"model\.merges\[0\]", {"model": {**MODEL, "merges": ["a b c"]}}),
        (r"model\.merges\[0\]", {"model": {**MODEL, "merges": ["a x"]}}),
        (r"model\.merges\[1\]", {"model": {**MODEL, "merges": [["a", "b"], "a b"]}}),
        ("added_tokens", {"added_tokens": {}}),
        (r"added_tokens\[0\]\.content", {"added_tokens": [{"id": 0}]}),
        (r"added_tokens\[0\]\.single_word", {"added_tokens": [{"id": 0, "content": "x"}]}),
    ],
)  # fmt: skip
def test_what_is_not_supported_is_refused_by_name(field: str, changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=field):
        Tokenizer.from_str(json.dumps(small_file(**changes)))


def test_what_is_no_json_or_no_file() -> None:
    with pytest.raises(ValueError, match="Expecting"):
        Tokenizer.from_str("{")
    with pytest.raises(ValueError, match="the file"):
        Tokenizer.from_str("[]")
    with pytest.raises(FileNotFoundError):
        Tokenizer.from_file("no such tokenizer.json")
