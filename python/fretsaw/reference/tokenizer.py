"""A byte-level BPE tokenizer: text to ids and back.

Encoding: cut out the added tokens; cut the rest into pre-tokens; encode each pre-token by its merge
rules. Decoding: every id stands for bytes; join them and decode UTF-8 with replacement.

Cost: O(n) for the cuts, O(m²) for each pre-token of m bytes, O(bytes) to decode.
Source: Hugging Face tokenizers 0.23.3; the policies for added tokens are fretsaw's (match_policy.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from . import tokenizer_json
from .added_tokens import AddedToken, AddedVocabulary
from .bpe import BytePairEncoder
from .byte_map import token_to_bytes
from .match_policy import MatchPolicy, Spans, Special
from .pre_tokenize import ByteLevel, Step, pre_tokenize
from .utf8 import decode_with_replacement


class Tokenizer:
    """Vocabulary, merge rules, pre-tokenizer and added tokens of one tokenizer.json.

    >>> vocab = {"g": 70, "h": 71, "p": 79, "s": 82, "u": 84, "Ġ": 220}
    >>> vocab.update({"ug": 256, "hug": 257, "pug": 258})
    >>> tok = Tokenizer(vocab, [("u", "g"), ("h", "ug"), ("p", "ug")])
    >>> tok.encode("hugs pug"), tok.decode([257, 82, 220, 258])
    ([257, 82, 220, 258], 'hugs pug')
    """

    def __init__(
        self,
        vocab: Mapping[str, int],
        merges: Iterable[tuple[str, str]],
        added_tokens: Iterable[AddedToken] = (),
        steps: Sequence[Step] = (ByteLevel(),),
        ignore_merges: bool = False,
    ) -> None:
        """`vocab` has token strings in the byte alphabet; `steps` end in the only ByteLevel.

        Raises ValueError for ids used twice and for merge rules outside the vocabulary.
        """
        self.model = BytePairEncoder(vocab, merges, ignore_merges)
        self.added = AddedVocabulary(added_tokens, self.model.vocab)
        self.steps = list(steps)

    @classmethod
    def from_str(cls, text: str) -> Tokenizer:
        """Read the text of a tokenizer.json; raises ValueError naming the field it can't follow."""
        spec = tokenizer_json.read(text)
        return cls(spec.vocab, spec.merges, spec.added_tokens, spec.steps, spec.ignore_merges)

    @classmethod
    def from_file(cls, path: str | Path) -> Tokenizer:
        """Read a tokenizer.json; raises OSError, and ValueError as `from_str` does."""
        return cls.from_str(Path(path).read_text(encoding="utf-8"))

    def split(
        self, text: str, special: Special = "all", trusted: Spans = None
    ) -> list[int | bytes]:
        """Cut a text into added tokens (their ids) and pre-tokens (their UTF-8), in order.

        Options and errors are those of `encode`.
        """
        policy = MatchPolicy(special, trusted, len(text))
        parts: list[int | bytes] = []
        for segment in self.added.split(text, policy):
            if segment.id is not None:
                parts.append(segment.id)
            else:
                pieces = pre_tokenize(text[segment.start : segment.end], self.steps)
                parts.extend(piece.encode("utf-8") for piece in pieces)
        return parts

    def encode(self, text: str, special: Special = "all", trusted: Spans = None) -> list[int]:
        """Return the ids of a text.

        `special` is "all", "none", "error" or a set of added tokens' contents; `trusted` is a list
        of spans in characters; see `match_policy.py`. With "none" the model gives no control id
        either. Raises ValueError for a lone surrogate, a bad span, and a match under "error".
        """
        parts = self.split(text, special, trusted)
        model = self._masked_model if special == "none" else self.model
        ids: list[int] = []
        for part in parts:
            ids.extend([part] if isinstance(part, int) else model.encode(part))
        return ids

    def token(self, token_id: int) -> str | None:
        """Return an id's token string (an added token's content), None if no token has the id."""
        if token_id in self.added.by_id:
            return self.added.by_id[token_id].content
        return self.model.tokens.get(token_id)

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """Return the token strings of ids; raises ValueError for an id that no token has."""
        return [self._known_token(token_id) for token_id in ids]

    def token_bytes(self, token_id: int) -> bytes:
        """Return the bytes an id decodes to; raises ValueError for an id that no token has."""
        return token_to_bytes(self._known_token(token_id))

    def decode_bytes(self, ids: Iterable[int], skip_special_tokens: bool = True) -> bytes:
        """Return the bytes of ids, joined; ids that no token has are passed over."""
        data = []
        for token_id in ids:
            token = self.token(token_id)
            skipped = skip_special_tokens and token in self.added.special_contents
            if token is not None and not skipped:
                data.append(token_to_bytes(token))
        return b"".join(data)

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = True) -> str:
        """Return the text of ids, one U+FFFD for each maximal ill-formed part of their bytes."""
        return decode_with_replacement(self.decode_bytes(ids, skip_special_tokens))

    def to_json(self) -> str:
        """Return a tokenizer.json that Hugging Face loads and that gives the same ids.

        Only what decides ids is kept: the file has no post-processor and its offsets are trimmed.
        """
        added = dict(sorted(self.added.by_id.items()))
        spec = tokenizer_json.Spec(
            vocab=self.model.vocab,
            merges=self.model.merges(),
            ignore_merges=self.model.ignore_merges,
            steps=self.steps,
            added_tokens=list(added.values()),
        )
        return tokenizer_json.write(spec, {token.content: i for i, token in added.items()})

    def save(self, path: str | Path) -> None:
        """Write `to_json()` to a file; raises OSError."""
        Path(path).write_text(self.to_json(), encoding="utf-8")

    @cached_property
    def _masked_model(self) -> BytePairEncoder:
        """The model without the ids of special tokens: no text may spell one by merges."""
        control = {i for i in self.added.by_id if self.token(i) in self.added.special_contents}
        return self.model.without(control)

    def _known_token(self, token_id: int) -> str:
        token = self.token(token_id)
        if token is None:
            raise ValueError(f"no token has the id {token_id}")
        return token
