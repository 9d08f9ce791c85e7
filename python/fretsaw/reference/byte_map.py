"""GPT-2's byte alphabet: 256 printable characters that stand for the 256 bytes.

A byte-level vocabulary writes its tokens as text, so each byte needs a character one can print:
188 bytes are printable Latin-1 characters and stand for themselves; the other 68, in byte order,
map to U+0100, U+0101, ... U+0143. The space becomes U+0120 (Ġ), the newline U+010A (Ċ).

Cost: two tables of 256 entries; O(1) a byte.
Source: GPT-2's `encoder.py`; the decoding of foreign characters is Hugging Face tokenizers 0.23.3's.
"""

from __future__ import annotations


def _build() -> dict[int, str]:
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    alphabet: dict[int, str] = {}
    shifted = 0
    for byte in range(256):
        if byte in printable:
            alphabet[byte] = chr(byte)
        else:
            alphabet[byte] = chr(0x100 + shifted)
            shifted += 1
    return alphabet


BYTE_TO_CHAR: dict[int, str] = _build()
CHAR_TO_BYTE: dict[str, int] = {char: byte for byte, char in BYTE_TO_CHAR.items()}


def to_alphabet(data: bytes) -> str:
    """Write bytes in the byte alphabet, one character a byte.

    >>> to_alphabet(" é".encode())
    'ĠÃ©'
    """
    return "".join(BYTE_TO_CHAR[byte] for byte in data)


def token_to_bytes(token: str) -> bytes:
    """Return the bytes that a token string decodes to.

    A token wholly in the byte alphabet maps back character by character; one character outside it
    and the whole token counts as plain text, its own UTF-8. So an added token "é" is the byte E9.

    >>> token_to_bytes("Ġhi"), token_to_bytes("é"), token_to_bytes("é…")
    (b' hi', b'\\xe9', b'\\xc3\\xa9\\xe2\\x80\\xa6')
    """
    if all(char in CHAR_TO_BYTE for char in token):
        return bytes(CHAR_TO_BYTE[char] for char in token)
    return token.encode("utf-8")
