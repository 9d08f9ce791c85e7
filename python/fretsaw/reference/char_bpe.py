"""Byte-pair encoding over characters, with the ways out for characters that are no tokens.

A pre-token begins as one symbol a character. A character is looked up with the continuing prefix
before it (unless it is the first) and the end-of-word suffix behind it (if it is the last). If that
string is no token: with `byte_fallback` it becomes the tokens of its bytes, if all of them have one;
else it is the unknown token; else it leaves no trace. With `fuse_unk` unknown characters become one
symbol until a known character comes. An unknown symbol is written late, when the next known or
unfused one or the end comes, so bytes of a fallback overtake it. Then merges as in `bpe.py`; a
merge takes the continuing prefix off its right side.

Cost: as `bpe.py`, O(n²) a pre-token of n characters.
Source: Hugging Face tokenizers 0.23.3, `merge_word` in `bpe/model.rs`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from .bpe import Pair, Rung, merge_steps


@dataclass(frozen=True)
class CharacterOptions:
    """What happens to characters, with the names of tokenizer.json."""

    unk_token: str | None = None
    fuse_unk: bool = False
    byte_fallback: bool = False
    continuing_subword_prefix: str = ""
    end_of_word_suffix: str = ""
    ignore_merges: bool = False


class CharacterPairEncoder:
    """A vocabulary (token string -> id), its merge rules in rank order, and options.

    >>> vocab = {"<unk>": 0, "h": 1, "##u": 2, "##g</w>": 3, "##ug</w>": 4, "hug</w>": 5}
    >>> merges = [("##u", "##g</w>"), ("h", "##ug</w>")]
    >>> options = CharacterOptions("<unk>", True, False, "##", "</w>")
    >>> bpe = CharacterPairEncoder(vocab, merges, options)
    >>> bpe.encode("hug"), bpe.encode("hxyu")
    ([5], [1, 0])
    >>> [(rung.rank, rung.ids) for rung in bpe.ladder("hug")]
    [(None, (1, 2, 3)), (0, (1, 4)), (1, (5,))]
    """

    def __init__(
        self,
        vocab: Mapping[str, int],
        merges: Iterable[tuple[str, str]],
        options: CharacterOptions = CharacterOptions(),
    ) -> None:
        """Raises ValueError for an id used twice and for a rule with a token that `vocab` lacks."""
        self.vocab = dict(vocab)
        self.tokens = {token_id: token for token, token_id in self.vocab.items()}
        self.merges = list(merges)
        self.options = options
        if len(self.tokens) != len(self.vocab):
            raise ValueError("model.vocab: two tokens have the same id; ids must be distinct")
        self.rules: dict[Pair, tuple[int, int]] = {}  # pair of ids -> rank, merged id
        for rank, (left, right) in enumerate(self.merges):
            merged = left + self._continued(right)
            for token in (left, right, merged):
                if token not in self.vocab:
                    raise ValueError(f"model.merges[{rank}]: {token!r} is not in model.vocab")
            self.rules[self.vocab[left], self.vocab[right]] = (rank, self.vocab[merged])

    def encode(self, piece: str) -> list[int]:
        """Return the ids of one pre-token.

        Raises ValueError if it needs the unknown token and the vocabulary does not have it.
        """
        if self.options.ignore_merges and piece in self.vocab:
            return [self.vocab[piece]]
        symbols = self._symbols(piece)
        for _, _, merged in merge_steps(symbols, self.rules):
            symbols = merged
        return symbols

    def ladder(self, piece: str) -> Iterator[Rung]:
        """Yield the pre-token before any merge, then after each merge; parts are token strings.

        Raises ValueError as `encode` does.
        """
        symbols = self._symbols(piece)
        yield Rung(None, None, tuple(map(self._utf8, symbols)), tuple(symbols))
        if self.options.ignore_merges and piece in self.vocab:
            yield Rung(None, None, (piece.encode("utf-8"),), (self.vocab[piece],))
            return
        for rank, (left, right), merged in merge_steps(symbols, self.rules):
            rule = (self._utf8(left), self._utf8(right))
            yield Rung(rank, rule, tuple(map(self._utf8, merged)), tuple(merged))

    def without(self, ids: Collection[int]) -> CharacterPairEncoder:
        """Return a model that never gives any of `ids`, but for the unknown token."""
        unknown = self.options.unk_token
        vocab = {t: i for t, i in self.vocab.items() if i not in ids or t == unknown}
        merges = [
            (left, right)
            for left, right in self.merges
            if {left, right, left + self._continued(right)} <= vocab.keys()
        ]
        return CharacterPairEncoder(vocab, merges, self.options)

    def _utf8(self, token_id: int) -> bytes:
        return self.tokens[token_id].encode("utf-8")

    def _symbols(self, piece: str) -> list[int]:
        """Return the symbols before any merge."""
        symbols: list[int] = []
        pending: list[int] = []  # the unknown symbol that is not written yet
        for place, char in enumerate(piece):
            before = self.options.continuing_subword_prefix if place > 0 else ""
            behind = self.options.end_of_word_suffix if place == len(piece) - 1 else ""
            token = before + char + behind
            names = [f"<0x{byte:02X}>" for byte in token.encode("utf-8")]
            if token in self.vocab:
                symbols += [*pending, self.vocab[token]]
                pending = []
            elif self.options.byte_fallback and all(name in self.vocab for name in names):
                symbols += [self.vocab[name] for name in names]
            elif self.options.unk_token is not None:
                if not self.options.fuse_unk:
                    symbols += pending
                pending = [self._unknown_id(self.options.unk_token)]
        return symbols + pending

    def _unknown_id(self, unk_token: str) -> int:
        if unk_token not in self.vocab:
            raise ValueError(f"model.unk_token: {unk_token!r} is not in model.vocab")
        return self.vocab[unk_token]

    def _continued(self, right: str) -> str:
        """Take as many bytes off the right side of a merge as the prefix has, whatever they are."""
        length = len(self.options.continuing_subword_prefix.encode("utf-8"))
        data = right.encode("utf-8")
        try:
            if length <= len(data):
                return data[length:].decode("utf-8")
        except UnicodeDecodeError:
            pass
        raise ValueError(f"model.merges: {right!r} is too short for the continuing prefix")
