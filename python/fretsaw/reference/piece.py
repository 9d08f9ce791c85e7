"""A piece of text that knows how much of it stands for the very first character of the text.

Normalizers and pre-tokenizers change and cut text. One of them, Metaspace with the scheme "first",
asks of a piece: does it begin where the original text begins? What is put in front of a character
counts as that character, what replaces a string as the string's last character, and stripped
characters are gone. So it is enough to carry along a number: how many characters at the start of the
piece stand for the first character of the original text. It can be more than one, so that two
pieces of a text may both be "first", and it can be none, as after white space was stripped.

Cost: O(1) besides copying the text.
Source: the alignments of `NormalizedString` in Hugging Face tokenizers 0.23.3, `normalizer.rs`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Piece(NamedTuple):
    """A text, and how many of its first characters stand for the original's first.

    >>> piece = Piece("a b", 1).prepend("__")
    >>> piece, piece.part(1, 5), piece.part(3, 5)
    (Piece(text='__a b', at_start=3), Piece(text='_a b', at_start=2), Piece(text=' b', at_start=0))
    """

    text: str
    at_start: int

    def part(self, start: int, end: int) -> Piece:
        """Return the characters start..end."""
        return Piece(self.text[start:end], max(0, min(self.at_start, end) - start))

    def parts(self, texts: Iterable[str]) -> list[Piece]:
        """Return consecutive parts, given as texts that join to the text."""
        found = []
        start = 0
        for text in texts:
            found.append(self.part(start, start + len(text)))
            start += len(text)
        return found

    def prepend(self, text: str) -> Piece:
        """Return the piece behind a text, which must not be empty."""
        return Piece(text + self.text, self.at_start + len(text) if self.at_start else 0)
