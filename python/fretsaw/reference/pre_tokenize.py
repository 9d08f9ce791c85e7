"""Pre-tokenization: cutting a text into the pieces that merges may not cross.

GPT-2 cuts with one regular expression, here a loop over character classes:

    's|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+

At each position: (1) a lowercase contraction suffix; else (2) a run of letters, of numbers or of
other visible characters, with the one U+0020 before it; else (3) a run of white space, which leaves
its last character to the next piece if something visible follows and it has more than one. `Digits`
cuts numbers out, `WhitespaceSplit` cuts at white space and drops it, `Metaspace` (metaspace.py) marks
spaces. A pre-tokenizer is a list of steps, each applied to every piece of the step before.

Cost: O(n) characters a step, one bisection in a range table a character.
Source: GPT-2's `encoder.py`; steps as in Hugging Face tokenizers 0.23.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .classes import is_letter, is_number, is_numeric, is_space, is_whitespace
from .metaspace import Metaspace
from .piece import Piece

CONTRACTIONS = ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d")


@dataclass(frozen=True)
class Digits:
    """Cut out numeric characters: each on its own, or each run of them as one piece."""

    individual_digits: bool = False

    def split(self, piece: str) -> list[str]:
        """Return the pieces of `piece`; joined they are `piece`."""
        return split_digits(piece, self.individual_digits)

    def cut(self, piece: Piece) -> list[Piece]:
        """Return the same pieces as parts of a `Piece`."""
        return piece.parts(self.split(piece.text))


@dataclass(frozen=True)
class WhitespaceSplit:
    """Cut at white space, which is dropped.

    >>> [piece.text for piece in WhitespaceSplit().cut(Piece(" a b\u3000", 1))]
    ['a', 'b']
    """

    def cut(self, piece: Piece) -> list[Piece]:
        """Return the runs of other characters."""
        pieces = []
        start = 0
        while start < len(piece.text):
            end = _run_end(piece.text, start, lambda char: not is_whitespace(char))
            if end > start:
                pieces.append(piece.part(start, end))
            start = max(end, start + 1)
        return pieces


@dataclass(frozen=True)
class ByteLevel:
    """GPT-2's split, or none; before it a space may be put in front of a piece that has none."""

    add_prefix_space: bool = False
    use_regex: bool = True

    def split(self, piece: str) -> list[str]:
        """Return the pieces of a piece that is not empty."""
        if self.add_prefix_space and not piece.startswith(" "):
            piece = " " + piece
        return split_gpt2(piece) if self.use_regex else [piece]

    def cut(self, piece: Piece) -> list[Piece]:
        """Return the same pieces; this is the last step, so where they begin matters no more."""
        return [Piece(part, 0) for part in self.split(piece.text)]


Step = Digits | ByteLevel | Metaspace | WhitespaceSplit


def pre_tokenize(text: str, steps: Sequence[Step]) -> list[str]:
    """Apply the steps to a whole text and return the pieces of the last one, none of them empty.

    >>> pre_tokenize("a 12", [Digits(individual_digits=True), ByteLevel()])
    ['a', ' ', '1', '2']
    """
    return cut(Piece(text, 1), steps)


def cut(piece: Piece, steps: Sequence[Step]) -> list[str]:
    """Apply the steps in order to a stretch of text, as `pre_tokenize` does to a whole one."""
    pieces = [piece] if piece.text else []
    for step in steps:
        pieces = [part for piece in pieces for part in step.cut(piece)]
    return [piece.text for piece in pieces]


def split_gpt2(text: str) -> list[str]:
    """Cut a text as GPT-2's regular expression does; the pieces joined are the text.

    >>> split_gpt2("I'm IT'S  3rd\\n x")
    ['I', "'m", ' IT', "'", 'S', ' ', ' 3', 'rd', '\\n', ' x']
    """
    pieces = []
    start = 0
    while start < len(text):
        end = _piece_end(text, start)
        pieces.append(text[start:end])
        start = end
    return pieces


def split_digits(text: str, individual: bool) -> list[str]:
    """Cut numeric characters from the rest: each alone, or each run of them together.

    >>> split_digits("in 2024", individual=True), split_digits("in 2024", individual=False)
    (['in ', '2', '0', '2', '4'], ['in ', '2024'])
    """
    pieces = []
    start = 0
    while start < len(text):
        if not is_numeric(text[start]):
            end = _run_end(text, start, lambda char: not is_numeric(char))
        elif individual:
            end = start + 1
        else:
            end = _run_end(text, start, is_numeric)
        pieces.append(text[start:end])
        start = end
    return pieces


def _piece_end(text: str, start: int) -> int:
    """Return where the GPT-2 piece that starts at `start` ends."""
    for suffix in CONTRACTIONS:
        if text.startswith(suffix, start):
            return start + len(suffix)
    first = start + 1 if text[start] == " " and start + 1 < len(text) else start
    for kind in (is_letter, is_number, _is_other):
        if kind(text[first]):
            return _run_end(text, first, kind)
    end = _run_end(text, start, is_space)
    if end < len(text) and end - start > 1:
        return end - 1
    return end


def _run_end(text: str, start: int, belongs: Callable[[str], bool]) -> int:
    """Return where the run of characters that belong, begun at `start`, ends."""
    end = start
    while end < len(text) and belongs(text[end]):
        end += 1
    return end


def _is_other(char: str) -> bool:
    return not (is_space(char) or is_letter(char) or is_number(char))
