"""The GPT-2 split and Digits: hand cases, then the oracle's pieces."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import pre_tokenizers

from fretsaw.reference import ByteLevel, Digits, pre_tokenize, split_digits, split_gpt2
from fretsaw.reference.byte_map import to_alphabet
from fretsaw.reference.pre_tokenize import Step

TEXTS = st.one_of(
    st.text(max_size=20),
    st.text(alphabet="ab1²½ \n\t\u3000\u00a0'’sSlrevmtd!-éहि語", max_size=20),
)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", []),
        ("I'm you're we've he'll he'd it's can't",
         ["I", "'m", " you", "'re", " we", "'ve", " he", "'ll", " he", "'d", " it", "'s", " can", "'t"]),
        ("IT'S", ["IT", "'", "S"]),
        ("'tis 'll", ["'t", "is", " '", "ll"]),
        ("!'s", ["!'", "s"]),
        ("a b", ["a", " b"]),
        ("a  b", ["a", " ", " b"]),
        ("a   b", ["a", "  ", " b"]),
        ("a\n\nb", ["a", "\n", "\n", "b"]),
        ("a \nb", ["a", " ", "\n", "b"]),
        ("a\u00a0\u00a0b", ["a", "\u00a0", "\u00a0", "b"]),
        ("a   ", ["a", "   "]),
        (" ", [" "]),
        ("x2³½ 10", ["x", "2³½", " 10"]),
        ("e\u0301a", ["e", "\u0301", "a"]),
        ("हिन्दी", ["ह", "ि", "न", "्", "द", "ी"]),
        ("猫在 垫", ["猫在", " 垫"]),
        ("a_b", ["a", "_", "b"]),
        ("x\x1cy\x85z", ["x", "\x1c", "y", "\x85", "z"]),
    ],
)  # fmt: skip
def test_gpt2_split_by_hand(text: str, pieces: list[str]) -> None:
    assert split_gpt2(text) == pieces


def test_digits_by_hand() -> None:
    assert split_digits("12345", individual=True) == list("12345")
    assert split_digits("12345", individual=False) == ["12345"]
    assert split_digits("a1²b½", individual=False) == ["a", "1²", "b", "½"]
    assert split_digits("", individual=True) == []


def test_a_prefix_space_goes_before_every_piece_that_has_none() -> None:
    steps: list[Step] = [Digits(), ByteLevel(add_prefix_space=True)]
    assert pre_tokenize("a1 b", steps) == [" a", " 1", " b"]
    assert pre_tokenize("", steps) == []


@given(TEXTS)
@settings(derandomize=True, deadline=None, max_examples=200)
def test_pieces_join_to_the_text(text: str) -> None:
    assert "".join(split_gpt2(text)) == text
    assert "".join(split_digits(text, individual=False)) == text
    assert all(split_gpt2(text))


@pytest.mark.parametrize("use_regex", [True, False])
@pytest.mark.parametrize("prefix", [True, False])
@pytest.mark.parametrize("digits", [None, True, False])
def test_pieces_equal_the_oracles(digits: bool | None, prefix: bool, use_regex: bool) -> None:
    steps: list[Step] = [ByteLevel(prefix, use_regex)]
    oracle: pre_tokenizers.PreTokenizer = pre_tokenizers.ByteLevel(
        add_prefix_space=prefix, use_regex=use_regex
    )
    if digits is not None:
        steps.insert(0, Digits(digits))
        oracle = pre_tokenizers.Sequence([pre_tokenizers.Digits(digits), oracle])

    @given(TEXTS.filter(bool))
    @settings(derandomize=True, deadline=None, max_examples=150)
    def compare(text: str) -> None:
        want = [piece for piece, _ in oracle.pre_tokenize_str(text)]
        assert [to_alphabet(piece.encode()) for piece in pre_tokenize(text, steps)] == want

    compare()


def test_classes_equal_the_oracles_on_every_character_of_the_first_plane() -> None:
    split = pre_tokenizers.ByteLevel(add_prefix_space=False)
    digits = pre_tokenizers.Digits(individual_digits=True)
    for code_point in range(0x10000):
        if 0xD800 <= code_point < 0xE000:
            continue
        text = f"a{chr(code_point)}1 {chr(code_point)}!"
        want = [text[start:end] for _, (start, end) in split.pre_tokenize_str(text)]
        assert split_gpt2(text) == want, hex(code_point)
        pieces = [piece for piece, _ in digits.pre_tokenize_str(text)]
        assert split_digits(text, individual=True) == pieces, hex(code_point)
