"""Strings of wide units are read without Python's own UTF-8, and as that has them."""

from __future__ import annotations

import ctypes
import sys

import pytest

import fretsaw

as_utf8 = ctypes.pythonapi.PyUnicode_AsUTF8
as_utf8.argtypes, as_utf8.restype = [ctypes.py_object], ctypes.c_char_p

LONG = 3_000
"""Characters: more than what is left to Python."""

TEXTS = {
    "one byte": "né à l'été, " * 400,
    "two bytes": "中文字符，标点。ab\n" * 400,
    "two bytes, mostly ASCII": "plain text, then a dash — and more " * 200,
    "four bytes": "中文 and 🙂🤖 emoji é " * 300,
    "one wide at the end": "a" * LONG + "🙂",
}


def fresh(text: str) -> str:
    """The same text in a string whose UTF-8 was never asked for."""
    return text.encode().decode()


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_ids_are_those_of_pythons_utf8(gpt2: fretsaw.Tokenizer, text: str) -> None:
    known = fresh(text)
    as_utf8(known)
    expected = gpt2.encode_ids(known)
    assert gpt2.decode(expected) == text
    assert gpt2.encode_ids(fresh(text)) == expected
    assert gpt2.encode(fresh(text)).offsets == gpt2.encode(known).offsets
    assert gpt2.encode(fresh(text)).tokens == gpt2.encode(known).tokens
    assert gpt2.count(fresh(text)) == len(expected)
    batch = [fresh(text), known, fresh(text)[:100], "short", fresh(text)[1:]]
    assert gpt2.encode_batch_ids(batch) == [gpt2.encode_ids(part) for part in batch]


@pytest.mark.parametrize("start", range(0, 0x11_0000, 0x1_0000))
def test_every_character_in_units_of_each_width(gpt2: fretsaw.Tokenizer, start: int) -> None:
    chars = [chr(code) for code in range(start, start + 0x1_0000) if not 0xD800 <= code < 0xE000]
    text = "".join(chars)
    for front in ("", "\U0010fffd"):
        ids = gpt2.encode_ids(front + text, special="none")
        assert gpt2.decode_bytes(ids) == (front + text).encode()


@pytest.mark.parametrize("wide", ["é", "中", "🙂"])
def test_a_wide_character_at_every_place_of_a_block(gpt2: fretsaw.Tokenizer, wide: str) -> None:
    for place in range(40):
        for more in range(20):
            text = "a" * place + wide + "b" * (LONG - place + more)
            assert gpt2.decode_bytes(gpt2.encode_ids(text)) == text.encode()


def test_nothing_stays_with_the_string(gpt2: fretsaw.Tokenizer) -> None:
    text = fresh(TEXTS["two bytes"])
    size = sys.getsizeof(text)
    gpt2.encode_ids(text)
    gpt2.encode_batch([text, text])
    assert sys.getsizeof(text) == size
    as_utf8(text)
    assert sys.getsizeof(text) > size, "the size does not tell"


@pytest.mark.parametrize("wide", ["é", "中", "🙂"])
@pytest.mark.parametrize("place", [0, 17, LONG])
def test_a_surrogate_among_many_is_named(gpt2: fretsaw.Tokenizer, wide: str, place: int) -> None:
    text = wide * place + "\ud83d" + wide * (LONG - place)
    with pytest.raises(fretsaw.EncodeError, match=rf"surrogate at character {place},"):
        gpt2.encode_ids(text)
    with pytest.raises(fretsaw.EncodeError, match=rf"text at index 1 .* character {place},"):
        gpt2.encode_batch_flat([wide * LONG, text, "fine"])
