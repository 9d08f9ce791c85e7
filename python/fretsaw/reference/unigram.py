"""The unigram language model: the way to cut a piece with the highest sum of scores.

Viterbi from left to right: from each place, in order, every token that starts there (shortest first)
offers the place where it ends the sum so far plus its score; a place keeps the first of its best
offers. Where no single character is a token, the unknown token offers to cover it, for the worst
score of the vocabulary minus 10. Then the best way is walked back from the end.

Unknown characters in a row become one string. If that string is a token after all it is that token;
else, with `byte_fallback`, it is the tokens of its bytes if all of them have one; else it is the
unknown token. (A token that is the unknown one written out counts as unknown, too.)

Cost: O(n x length of the longest token) look-ups, O(n) places.
Source: Kudo 2018 (arXiv:1804.10959); the order of offers, ties and the sums in 64-bit floats as in
Hugging Face tokenizers 0.23.3, `unigram/model.rs`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

UNKNOWN_PENALTY = 10.0


class Step(NamedTuple):
    """The last step of the best way to a place: the sum of the way, where it starts, its id."""

    score: float
    start: int
    id: int


class Arc(NamedTuple):
    """A token that may stand in a piece, from one place to another, and whether the best way has it."""

    start: int
    end: int
    score: float
    id: int
    best: bool


class Unigram:
    """Tokens with scores; an id is a place in the list.

    >>> model = Unigram([("<unk>", 0.0), ("a", -1.0), ("b", -1.0), ("ab", -1.5)], unk_id=0)
    >>> model.encode("abba"), model.encode("axyb")
    ([3, 2, 1], [1, 0, 2])
    >>> [(arc.start, arc.end, arc.score, arc.best) for arc in model.lattice("ab")]
    [(0, 1, -1.0, False), (0, 2, -1.5, True), (1, 2, -1.0, False)]
    """

    def __init__(
        self,
        pieces: Iterable[tuple[str, float]],
        unk_id: int | None = None,
        byte_fallback: bool = False,
        left_out: Collection[int] = (),
    ) -> None:
        """`left_out` are ids that are never given; their scores still set the penalty.

        Raises ValueError for a token that stands twice and for an `unk_id` outside the list.
        """
        self.pieces = list(pieces)
        self.unk_id = unk_id
        self.byte_fallback = byte_fallback
        self.tokens = {i: token for i, (token, _) in enumerate(self.pieces) if i not in left_out}
        self.vocab = {token: token_id for token_id, token in self.tokens.items()}
        if len(self.vocab) != len(self.tokens):
            raise ValueError("model.vocab: a token stands twice")
        if unk_id is not None and not 0 <= unk_id < len(self.pieces):
            raise ValueError(f"model.unk_id: {unk_id} is not the place of a token")
        worst = min((score for _, score in self.pieces), default=float("inf"))
        self.unknown_score = worst - UNKNOWN_PENALTY
        self.longest = max(map(len, self.vocab), default=0)

    def encode(self, piece: str) -> list[int]:
        """Return the ids of one pre-token.

        Raises ValueError where a character needs the unknown token and there is none.
        """
        ids: list[int] = []
        for text in self._strings(piece):
            if text in self.vocab:
                ids.append(self.vocab[text])
            else:
                ids.extend(self._unknown(text))
        return ids

    def lattice(self, piece: str) -> list[Arc]:
        """Return all tokens that may stand in one pre-token, by start, shortest first.

        The unknown token stands where no single character is a token. Raises ValueError as `encode`.
        """
        best = self._best_steps(piece)
        way = set()
        end = len(piece)
        while end > 0:
            way.add((best[end].start, end))
            end = best[end].start
        return [
            Arc(start, end, score, token_id, (start, end) in way)
            for start in range(len(piece))
            for end, score, token_id in self._offers(piece, start)
            if token_id is not None
        ]

    def without(self, ids: Collection[int]) -> Unigram:
        """Return a model that never gives any of `ids`, but for the unknown token."""
        left_out = set(ids) - {self.unk_id}
        return Unigram(self.pieces, self.unk_id, self.byte_fallback, left_out)

    def _strings(self, piece: str) -> list[str]:
        """Cut the piece on its best way, unknown characters in a row together."""
        best = self._best_steps(piece)
        strings: list[str] = []
        end = len(piece)
        after_unknown = False
        while end > 0:
            step = best[end]
            unknown = step.id == self.unk_id
            if unknown and after_unknown:
                strings[-1] = piece[step.start : end] + strings[-1]
            else:
                strings.append(piece[step.start : end])
            after_unknown = unknown
            end = step.start
        return strings[::-1]

    def _best_steps(self, piece: str) -> dict[int, Step]:
        """Return the last step to each place that a way leads to."""
        best: dict[int, Step] = {}
        for start in range(len(piece)):
            so_far = best[start].score if start else 0.0
            for end, score, token_id in self._offers(piece, start):
                offered = score + so_far
                if end not in best or offered > best[end].score:
                    if token_id is None:
                        raise ValueError(f"{piece[start]!r} is unknown and model.unk_id is null")
                    best[end] = Step(offered, start, token_id)
        return best

    def _offers(self, piece: str, start: int) -> Iterator[tuple[int, float, int | None]]:
        """Yield end, score and id of what may start at a place, in the order that decides ties."""
        for end in range(start + 1, min(start + self.longest, len(piece)) + 1):
            token_id = self.vocab.get(piece[start:end])
            if token_id is not None:
                yield end, self.pieces[token_id][1], token_id
        if piece[start] not in self.vocab:
            yield start + 1, self.unknown_score, self.unk_id

    def _unknown(self, text: str) -> list[int]:
        names = [f"<0x{byte:02X}>" for byte in text.encode("utf-8")]
        if self.byte_fallback and all(name in self.vocab for name in names):
            return [self.vocab[name] for name in names]
        assert self.unk_id is not None, "only the unknown token makes strings that are no tokens"
        return [self.unk_id]
