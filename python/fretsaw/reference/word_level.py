"""WordLevel: a word is a token or it is unknown.

Cost: O(1) look-ups a word.
Source: Hugging Face tokenizers 0.23.3, `wordlevel/mod.rs`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping


class WordLevel:
    """A vocabulary (word -> id).

    >>> WordLevel({"<unk>": 0, "yes": 1}).encode("yes"), WordLevel({"<unk>": 0}).encode("no")
    ([1], [0])
    """

    def __init__(self, vocab: Mapping[str, int], unk_token: str = "<unk>") -> None:
        """Raises ValueError for an id used twice."""
        self.vocab = dict(vocab)
        self.tokens = {token_id: token for token, token_id in self.vocab.items()}
        if len(self.tokens) != len(self.vocab):
            raise ValueError("model.vocab: two tokens have the same id; ids must be distinct")
        self.unk_token = unk_token

    def encode(self, piece: str) -> list[int]:
        """Return the id of one word; raises ValueError if it needs the unknown token in vain."""
        token_id = self.vocab.get(piece, self.vocab.get(self.unk_token))
        if token_id is None:
            raise ValueError(f"model.unk_token: {self.unk_token!r} is not in model.vocab")
        return [token_id]

    def without(self, ids: Collection[int]) -> WordLevel:
        """Return a model that never gives any of `ids`, but for the unknown token."""
        vocab = {t: i for t, i in self.vocab.items() if i not in ids or t == self.unk_token}
        return WordLevel(vocab, self.unk_token)
