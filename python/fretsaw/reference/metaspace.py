"""Metaspace: spaces written as a visible character, U+2581 as a rule, and its way back.

Before the model: every U+0020 becomes the mark, and a mark is put in front of a piece that has none:
of each piece ("always"), of those that begin where the text begins ("first"), or of none ("never").
Then, if `split` says so, every mark begins a piece of its own. Back: marks become spaces, but those
of the first token vanish, all of them, unless the scheme is "never".

Cost: O(n).
Source: SentencePiece's white space (Kudo, Richardson 2018, arXiv:1808.06226); Hugging Face
tokenizers 0.23.3, `metaspace.rs`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .piece import Piece

SCHEMES = ("first", "never", "always")


@dataclass(frozen=True)
class Metaspace:
    """Pre-tokenizer and decoder.

    >>> [piece.text for piece in Metaspace().cut(Piece("a  b", 1))]
    ['▁a', '▁', '▁b']
    >>> [piece.text for piece in Metaspace(prepend_scheme="first", split=False).cut(Piece("b", 0))]
    ['b']
    >>> Metaspace().decode(["▁a▁", "▁", "▁b"])
    ['a', ' ', ' b']
    """

    replacement: str = "▁"
    prepend_scheme: str = "always"
    split: bool = True

    def cut(self, piece: Piece) -> list[Piece]:
        """Return the pieces of a piece that is not empty, none of them empty."""
        marked = Piece(piece.text.replace(" ", self.replacement), piece.at_start)
        wanted = self.prepend_scheme == "always" or (
            self.prepend_scheme == "first" and piece.at_start > 0
        )
        if wanted and not marked.text.startswith(self.replacement):
            marked = marked.prepend(self.replacement)
        if not self.split:
            return [marked]
        first, *others = marked.text.split(self.replacement)
        texts = [first, *(self.replacement + other for other in others)]
        return marked.parts(texts if first else texts[1:])

    def decode(self, tokens: Sequence[str]) -> list[str]:
        """Return the tokens with spaces for marks."""
        space_of_first = " " if self.prepend_scheme == "never" else ""
        return [
            token.replace(self.replacement, " " if place else space_of_first)
            for place, token in enumerate(tokens)
        ]
