"""GPT-2's alphabet: a character for each byte."""

__all__ = ["CHARACTERS"]


def _characters() -> list[str]:
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x144))
    return [chr(byte if byte in printable else next(others)) for byte in range(256)]


CHARACTERS = _characters()
"""The characters that ByteLevel spells bytes with, in the order of the bytes."""
