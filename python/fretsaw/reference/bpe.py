"""Byte-pair encoding of one pre-token, by the definition.

Start from one symbol a byte. Among all pairs of neighbours that have a merge rule take the one whose
rule has the lowest rank, the leftmost among equals; replace that one pair by the merged symbol; look
at all pairs again; stop when none has a rule. With `ignore_merges` a pre-token that is itself a
vocabulary entry is that one token, whatever the rules would make of it.

Cost: O(n) a merge, O(n²) a pre-token of n bytes. (The core library gets the same ids in O(n log n).)
Source: Sennrich, Haddow, Birch 2016 (arXiv:1508.07909); order of merges, the last of repeated rules
and the dropping of bytes without a token as in Hugging Face tokenizers 0.23.3.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from .byte_map import BYTE_TO_CHAR, to_alphabet, token_to_bytes

Pair = tuple[int, int]


class Rung(NamedTuple):
    """One state of a pre-token on the merge ladder.

    `rank` and `rule` (left and right token, as bytes) say which merge led here; both are None on the
    first rung, and on the rung that `ignore_merges` jumps to. `parts` are the bytes of each symbol
    and `ids` their token ids.
    """

    rank: int | None
    rule: tuple[bytes, bytes] | None
    parts: tuple[bytes, ...]
    ids: tuple[int, ...]


class BytePairEncoder:
    """A byte-level vocabulary (token string -> id) and its merge rules in rank order.

    >>> vocab = {"g": 70, "h": 71, "s": 82, "u": 84, "ug": 256, "hug": 257}
    >>> bpe = BytePairEncoder(vocab, [("u", "g"), ("h", "ug")])
    >>> bpe.encode(b"hugs")
    [257, 82]
    >>> [(rung.rank, rung.parts) for rung in bpe.ladder(b"hugs")]
    [(None, (b'h', b'u', b'g', b's')), (0, (b'h', b'ug', b's')), (1, (b'hug', b's'))]
    """

    def __init__(
        self,
        vocab: Mapping[str, int],
        merges: Iterable[tuple[str, str]],
        ignore_merges: bool = False,
    ) -> None:
        """Raises ValueError for an id used twice and for a rule with a token that `vocab` lacks."""
        self.vocab = dict(vocab)
        self.tokens = {token_id: token for token, token_id in self.vocab.items()}
        self.ignore_merges = ignore_merges
        if len(self.tokens) != len(self.vocab):
            raise ValueError("model.vocab: two tokens have the same id; ids must be distinct")
        self.rules: dict[Pair, tuple[int, int]] = {}  # pair of ids -> rank, merged id
        for rank, (left, right) in enumerate(merges):
            for token in (left, right, left + right):
                if token not in self.vocab:
                    raise ValueError(f"model.merges[{rank}]: {token!r} is not in model.vocab")
            pair = (self.vocab[left], self.vocab[right])
            self.rules[pair] = (rank, self.vocab[left + right])

    def encode(self, piece: bytes) -> list[int]:
        """Return the ids of one pre-token; a byte whose character `vocab` lacks gives none."""
        last = deque(self._states(piece), maxlen=1)
        return last[0][2] if last else []

    def ladder(self, piece: bytes) -> Iterator[Rung]:
        """Yield the pre-token before any merge, then after each merge, down to its final tokens."""
        for rank, pair, symbols in self._states(piece):
            rule = None if pair is None else (self._bytes(pair[0]), self._bytes(pair[1]))
            yield Rung(rank, rule, tuple(map(self._bytes, symbols)), tuple(symbols))

    def merges(self) -> list[tuple[str, str]]:
        """Return the rules as pairs of token strings, lowest rank first, without repetitions."""
        by_rank = sorted(self.rules, key=lambda pair: self.rules[pair][0])
        return [(self.tokens[left], self.tokens[right]) for left, right in by_rank]

    def without(self, ids: Collection[int]) -> BytePairEncoder:
        """Return an encoder that never gives any of `ids`: their tokens and rules are taken out.

        Ranks keep their order, so every pre-token that did not meet `ids` encodes as before.
        """
        taken_out = {self.tokens[token_id] for token_id in ids if token_id in self.tokens}
        vocab = {token: i for token, i in self.vocab.items() if token not in taken_out}
        merges = [
            (left, right)
            for left, right in self.merges()
            if not taken_out & {left, right, left + right}
        ]
        return BytePairEncoder(vocab, merges, self.ignore_merges)

    def _bytes(self, token_id: int) -> bytes:
        return token_to_bytes(self.tokens[token_id])

    def _states(self, piece: bytes) -> Iterator[tuple[int | None, Pair | None, list[int]]]:
        """Yield rank, pair and resulting symbols of each merge, the start without rank and pair."""
        chars = [BYTE_TO_CHAR[byte] for byte in piece]
        symbols = [self.vocab[char] for char in chars if char in self.vocab]
        yield None, None, symbols
        if self.ignore_merges and to_alphabet(piece) in self.vocab:
            yield None, None, [self.vocab[to_alphabet(piece)]]
            return
        yield from merge_steps(symbols, self.rules)


def merge_steps(
    symbols: list[int], rules: Mapping[Pair, tuple[int, int]]
) -> Iterator[tuple[int, Pair, list[int]]]:
    """Yield rank and pair of each merge, and the symbols after it, until no rule applies.

    `rules` maps a pair of symbols to its rank and the symbol it becomes.
    """
    while True:
        ranked = [
            (rules[pair][0], at)
            for at, pair in enumerate(itertools.pairwise(symbols))
            if pair in rules
        ]
        if not ranked:
            return
        rank, at = min(ranked)
        pair = (symbols[at], symbols[at + 1])
        symbols = [*symbols[:at], rules[pair][1], *symbols[at + 2 :]]
        yield rank, pair, symbols
