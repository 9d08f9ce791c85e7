"""Unigram, WordPiece, WordLevel and BPE over characters: random small models against the oracle."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_files import (
    TEXTS,
    Json,
    Three,
    character_bpes,
    file_of,
    unigrams,
    word_levels,
    word_pieces,
)

from fretsaw.reference import (
    CharacterOptions,
    CharacterPairEncoder,
    Unigram,
    WordLevel,
    WordPiece,
)
from fretsaw.reference.decimals import read_decimal

SPLITS = st.sampled_from([None, {"type": "WhitespaceSplit"}])
MORE = settings(max_examples=300)


@given(unigrams(), st.lists(TEXTS, min_size=1, max_size=4), SPLITS)
@MORE
def test_unigram(model: Json, texts: list[str], split: Json | None) -> None:
    three = Three(file_of(model, pre_tokenizer=split))
    for text in texts:
        three.encode(text)


@given(word_pieces(), st.lists(TEXTS, min_size=1, max_size=4), SPLITS)
@MORE
def test_word_piece(model: Json, texts: list[str], split: Json | None) -> None:
    three = Three(file_of(model, pre_tokenizer=split))
    for text in texts:
        three.encode(text)


@given(word_levels(), st.lists(TEXTS, min_size=1, max_size=4), SPLITS)
def test_word_level(model: Json, texts: list[str], split: Json | None) -> None:
    three = Three(file_of(model, pre_tokenizer=split))
    for text in texts:
        three.encode(text)


@given(character_bpes(), st.lists(TEXTS, min_size=1, max_size=4), SPLITS)
@MORE
def test_bpe_over_characters(model: Json, texts: list[str], split: Json | None) -> None:
    three = Three(file_of(model, pre_tokenizer=split))
    for text in texts:
        three.encode(text)


@given(character_bpes(), st.text(alphabet="aéĠ ", max_size=8))
def test_bpe_with_options_behind_a_byte_level_split(model: Json, text: str) -> None:
    split = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    Three(file_of(model, pre_tokenizer=split)).encode(text)


def test_equal_sums_keep_the_first_offer() -> None:
    model = Unigram([("<unk>", 0.0), ("a", -1.0), ("ab", -2.0), ("b", -1.0)], unk_id=0)
    assert model.encode("ab") == [2]  # from the earlier place, so the longer last token


def test_an_unknown_string_that_is_a_token() -> None:
    model = Unigram([("<unk>", 0.0), ("xy", -100.0), ("a", 0.0)], unk_id=0)
    assert model.encode("axya") == [2, 1, 2]


def test_unknown_characters_in_a_row_are_one() -> None:
    model = Unigram([("<unk>", 0.0), ("a", 0.0)], unk_id=0)
    assert model.encode("xxaxx") == [0, 1, 0]


def test_models_without_ids_keep_the_unknown_token() -> None:
    pieces = [("<unk>", 0.0), ("a", 0.0), ("<s>", 5.0)]
    assert Unigram(pieces, 0).encode("a<s>") == [1, 2]
    assert Unigram(pieces, 0).without([0, 2]).encode("a<s>") == [1, 0]
    assert WordPiece({"[UNK]": 0, "s": 1}).without([0, 1]).encode("s") == [0]
    assert WordLevel({"<unk>": 0, "s": 1}).without([0, 1]).encode("s") == [0]
    bpe = CharacterPairEncoder(
        {"<unk>": 0, "a": 1, "b": 2, "ab": 3}, [("a", "b")], CharacterOptions("<unk>")
    )
    assert bpe.encode("ab") == [3]
    assert bpe.without([0, 3]).encode("abc") == [1, 2, 0]


def test_what_is_no_model() -> None:
    with pytest.raises(ValueError, match="stands twice"):
        Unigram([("a", 0.0), ("a", 1.0)])
    with pytest.raises(ValueError, match=r"model\.unk_id"):
        Unigram([("a", 0.0)], unk_id=1)
    with pytest.raises(ValueError, match="unk_id is null"):
        Unigram([("a", 0.0)]).encode("b")
    for make in (WordPiece, WordLevel):
        with pytest.raises(ValueError, match="the same id"):
            make({"a": 0, "b": 0})
        with pytest.raises(ValueError, match=r"model\.unk_token"):
            make({"a": 0}).encode("b")
    with pytest.raises(ValueError, match=r"model\.unk_token"):
        CharacterPairEncoder({"a": 0}, [], CharacterOptions("<unk>")).encode("b")


@given(st.floats(-30, 0, allow_nan=False), st.integers(12, 20))
def test_decimals_are_read_as_the_core_reads_them(score: float, places: int) -> None:
    # Three ways with sums so near that one bit decides.
    text = f"{score:.{places}f}"
    vocab = f'[["<unk>",0],["a",{text}],["b",{text}],["ab",{2 * read_decimal(text)!r}]]'
    model = f'{{"type":"Unigram","unk_id":0,"byte_fallback":false,"vocab":{vocab}}}'
    Three(file_of({}).replace('"model": {}', f'"model": {model}')).encode("abab")


def test_decimals() -> None:
    assert read_decimal("0.1") == 0.1
    assert read_decimal("-1.5e-3") == -0.0015
    assert read_decimal("123456789012345678901234.5") == pytest.approx(1.2345678901234568e23)
    assert read_decimal("1e-400") == 0.0
    with pytest.raises(ValueError, match="too large"):
        read_decimal("1e999")
