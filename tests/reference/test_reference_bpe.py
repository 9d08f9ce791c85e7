"""Merging: the hand example, ties, the ladder, ignore_merges, missing bytes, errors."""

from __future__ import annotations

import pytest

from fretsaw.reference import BytePairEncoder, Tokenizer
from fretsaw.reference.byte_map import BYTE_TO_CHAR

ALPHABET = {char: index for index, char in enumerate(sorted(BYTE_TO_CHAR.values()))}


def hug_tokenizer() -> Tokenizer:
    vocab = {**ALPHABET, "ug": 256, "hug": 257, "pug": 258}
    return Tokenizer(vocab, [("u", "g"), ("h", "ug"), ("p", "ug")])


def test_the_hand_example() -> None:
    tokenizer = hug_tokenizer()
    assert (ALPHABET["g"], ALPHABET["s"], ALPHABET["Ġ"]) == (70, 82, 220)
    assert tokenizer.encode("hugs pug") == [257, 82, 220, 258]
    assert tokenizer.tokens([257, 82, 220, 258]) == ["hug", "s", "Ġ", "pug"]
    assert tokenizer.decode([257, 82, 220, 258]) == "hugs pug"


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("aa", [256]),
        ("aaa", [256, 64]),
        ("aaaa", [257]),
        ("aaaaa", [257, 64]),
        ("aaaaaa", [257, 256]),
    ],
)
def test_equal_ranks_go_left_to_right(text: str, ids: list[int]) -> None:
    bpe = BytePairEncoder({**ALPHABET, "aa": 256, "aaaa": 257}, [("a", "a"), ("aa", "aa")])
    assert bpe.encode(text.encode()) == ids


def test_rank_beats_place() -> None:
    bpe = BytePairEncoder({**ALPHABET, "bc": 256, "ab": 257}, [("b", "c"), ("a", "b")])
    assert bpe.encode(b"abc") == [64, 256]


def test_the_ladder_of_aaaa() -> None:
    bpe = BytePairEncoder({**ALPHABET, "aa": 256, "aaaa": 257}, [("a", "a"), ("aa", "aa")])
    rungs = list(bpe.ladder(b"aaaa"))
    assert [rung.rank for rung in rungs] == [None, 0, 0, 1]
    assert [rung.rule for rung in rungs] == [None, (b"a", b"a"), (b"a", b"a"), (b"aa", b"aa")]
    assert [rung.parts for rung in rungs] == [
        (b"a", b"a", b"a", b"a"), (b"aa", b"a", b"a"), (b"aa", b"aa"), (b"aaaa",),
    ]  # fmt: skip
    assert rungs[-1].ids == (257,)


def test_ignore_merges_takes_a_whole_piece_that_no_rule_makes() -> None:
    vocab = {**ALPHABET, "hi": 256}
    assert BytePairEncoder(vocab, []).encode(b"hi") == [71, 72]
    taken = BytePairEncoder(vocab, [], ignore_merges=True)
    assert taken.encode(b"hi") == [256]
    assert [rung.ids for rung in taken.ladder(b"hi")] == [(71, 72), (256,)]


def test_a_byte_without_a_token_is_dropped_and_its_neighbours_meet() -> None:
    bpe = BytePairEncoder({"a": 0, "b": 1, "ab": 2}, [("a", "b")])
    assert bpe.encode(b"axb") == [2]
    assert bpe.encode(b"x") == []


def test_the_last_of_repeated_rules_counts() -> None:
    rules = [("a", "b"), ("b", "c"), ("a", "b")]
    bpe = BytePairEncoder({**ALPHABET, "ab": 256, "bc": 257}, rules)
    assert bpe.encode(b"abc") == [64, 257]
    assert bpe.merges() == [("b", "c"), ("a", "b")]


def test_taking_ids_out() -> None:
    bpe = hug_tokenizer().model.without({256})
    assert bpe.encode(b"hug") == [71, 84, 70]
    assert bpe.merges() == []
    assert hug_tokenizer().model.without({257}).encode(b"hug pug") == [71, 256, 220, 258]


def test_errors() -> None:
    with pytest.raises(ValueError, match=r"model\.merges\[1\].*'xy'"):
        BytePairEncoder({**ALPHABET, "ab": 256}, [("a", "b"), ("x", "y")])
    with pytest.raises(ValueError, match=r"model\.vocab"):
        BytePairEncoder({"a": 0, "b": 0}, [])
