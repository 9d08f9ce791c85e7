"""The byte alphabet: its known points, that it is a bijection, and foreign characters."""

from __future__ import annotations

import pytest

from fretsaw.reference.byte_map import BYTE_TO_CHAR, CHAR_TO_BYTE, to_alphabet, token_to_bytes


@pytest.mark.parametrize(
    ("byte", "code_point"),
    [
        (0x00, 0x100),
        (0x0A, 0x10A),
        (0x20, 0x120),
        (0x21, 0x21),
        (0x7E, 0x7E),
        (0x7F, 0x121),
        (0xA0, 0x142),
        (0xA1, 0xA1),
        (0xAD, 0x143),
        (0xAE, 0xAE),
        (0xFF, 0xFF),
    ],
)
def test_known_points(byte: int, code_point: int) -> None:
    assert ord(BYTE_TO_CHAR[byte]) == code_point
    assert CHAR_TO_BYTE[chr(code_point)] == byte


def test_a_bijection_with_188_bytes_that_stand_for_themselves() -> None:
    assert sorted(CHAR_TO_BYTE.values()) == list(range(256))
    assert sum(ord(char) == byte for byte, char in BYTE_TO_CHAR.items()) == 188
    shifted = [char for byte, char in BYTE_TO_CHAR.items() if ord(char) != byte]
    assert shifted == [chr(0x100 + index) for index in range(68)]


def test_every_byte_survives() -> None:
    data = bytes(range(256))
    assert token_to_bytes(to_alphabet(data)) == data


def test_one_foreign_character_makes_the_token_plain_text() -> None:
    assert token_to_bytes("Ġé") == b" \xe9"
    assert token_to_bytes("Ġé語") == "Ġé語".encode()
    assert token_to_bytes(" ") == b" "  # U+0020 itself is not in the alphabet
