"""WordPiece: the longest token that fits, again and again.

From the start of the word take the longest prefix that is a token; go on behind it, where tokens are
spelled with the continuing prefix ("##"), until the word is used up. If at some place no token fits,
or if the word has more characters than `max_chars`, the whole word is the unknown token.

Cost: O(n²) look-ups for a word of n characters, each O(n).
Source: Schuster, Nakajima 2012; BERT's `tokenization.py`; Hugging Face tokenizers 0.23.3.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple


class Match(NamedTuple):
    """One step through a word: the strings tried in vain, then the token found, if any."""

    start: int
    tried: tuple[str, ...]
    token: str | None
    id: int | None


class WordPiece:
    """A vocabulary (token string -> id) of word starts and, with the prefix, continuations.

    >>> model = WordPiece({"[UNK]": 0, "un": 1, "##aff": 2, "##able": 3, "##ab": 4})
    >>> model.encode("unaffable"), model.encode("unaffabl")
    ([1, 2, 3], [0])
    >>> list(model.matches("una"))
    [Match(start=0, tried=('una',), token='un', id=1), Match(start=2, tried=('##a',), token=None, id=None)]
    """

    def __init__(
        self,
        vocab: Mapping[str, int],
        unk_token: str = "[UNK]",
        prefix: str = "##",
        max_chars: int = 100,
    ) -> None:
        """Raises ValueError for an id used twice."""
        self.vocab = dict(vocab)
        self.tokens = {token_id: token for token, token_id in self.vocab.items()}
        if len(self.tokens) != len(self.vocab):
            raise ValueError("model.vocab: two tokens have the same id; ids must be distinct")
        self.unk_token = unk_token
        self.prefix = prefix
        self.max_chars = max_chars

    def encode(self, piece: str) -> list[int]:
        """Return the ids of one word; raises ValueError if it needs the unknown token in vain."""
        if len(piece) > self.max_chars:
            return self._unknown()
        ids = []
        for match in self.matches(piece):
            if match.id is None:
                return self._unknown()
            ids.append(match.id)
        return ids

    def matches(self, piece: str) -> Iterator[Match]:
        """Yield the steps through a word; the last has no token where none fits."""
        start = 0
        while start < len(piece):
            tried: list[str] = []
            for end in range(len(piece), start, -1):
                token = (self.prefix if start else "") + piece[start:end]
                if token in self.vocab:
                    yield Match(start, tuple(tried), token, self.vocab[token])
                    start = end
                    break
                tried.append(token)
            else:
                yield Match(start, tuple(tried), None, None)
                return

    def without(self, ids: Collection[int]) -> WordPiece:
        """Return a model that never gives any of `ids`, but for the unknown token."""
        vocab = {t: i for t, i in self.vocab.items() if i not in ids or t == self.unk_token}
        return WordPiece(vocab, self.unk_token, self.prefix, self.max_chars)

    def _unknown(self) -> list[int]:
        if self.unk_token not in self.vocab:
            raise ValueError(f"model.unk_token: {self.unk_token!r} is not in model.vocab")
        return [self.vocab[self.unk_token]]
