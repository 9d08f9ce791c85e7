"""Normalization: changing the text before anything is cut (but for added tokens, which stay).

A normalizer is a list of steps, each applied to the whole stretch of text that the step before
gave. `Lowercase` maps characters one by one, so that a capital sigma at the end of a word is still a
plain small sigma. `Replace` takes non-overlapping occurrences from the left. `Prepend` leaves an
empty text empty. `Strip` takes white space away at the ends.

Cost: O(n) a step.
Source: Hugging Face tokenizers 0.23.3, `normalizers/`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .classes import is_whitespace, lowercase
from .piece import Piece


@dataclass(frozen=True)
class Lowercase:
    """Small letters for capital ones."""

    def apply(self, piece: Piece) -> Piece:
        """Return the piece in small letters; one character may become two."""
        lower = [lowercase(char) for char in piece.text]
        return Piece("".join(lower), len("".join(lower[: piece.at_start])))


@dataclass(frozen=True)
class Prepend:
    """A text before a text that is not empty."""

    prepend: str

    def apply(self, piece: Piece) -> Piece:
        """Return the piece behind the text."""
        return piece.prepend(self.prepend) if piece.text else piece


@dataclass(frozen=True)
class Replace:
    """One literal text for another."""

    pattern: str
    content: str

    def apply(self, piece: Piece) -> Piece:
        """Return the piece with every occurrence replaced."""
        parts: list[str] = []
        at_start = done = 0
        for kept in piece.text.split(self.pattern):
            if parts:
                done += len(self.pattern)
                parts.append(self.content)
                at_start += len(self.content) if done <= piece.at_start else 0
            at_start += max(0, min(len(kept), piece.at_start - done))
            done += len(kept)
            parts.append(kept)
        return Piece("".join(parts), at_start)


@dataclass(frozen=True)
class Strip:
    """No white space at the ends."""

    strip_left: bool = True
    strip_right: bool = True

    def apply(self, piece: Piece) -> Piece:
        """Return the piece without white space at the ends that are stripped."""
        start, end = 0, len(piece.text)
        while self.strip_left and start < end and is_whitespace(piece.text[start]):
            start += 1
        while self.strip_right and start < end and is_whitespace(piece.text[end - 1]):
            end -= 1
        return piece.part(start, end)


Normalizer = Lowercase | Prepend | Replace | Strip


def normalize(piece: Piece, steps: Sequence[Normalizer]) -> Piece:
    """Apply the steps in order.

    >>> normalize(Piece(" A b ", 1), [Strip(), Prepend("_"), Replace(" ", "_"), Lowercase()]).text
    '_a_b'
    """
    for step in steps:
        piece = step.apply(piece)
    return piece
