"""A tokenizer: text to ids and back.

Encoding: cut out the added tokens; normalize the rest and cut it into pre-tokens; let the model
encode each pre-token; fill the ids into the template. Decoding: look up the tokens of the ids and run
them through the decoder. In a byte-level tokenizer every id stands for bytes, and decoding is joining
them and decoding UTF-8 with replacement.

Cost: O(n) for the cuts, the model's for each pre-token, O(characters) to decode.
Source: Hugging Face tokenizers 0.23.3; the policies for added tokens are fretsaw's (match_policy.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from . import tokenizer_json
from .added_tokens import AddedToken, AddedVocabulary
from .bpe import BytePairEncoder
from .byte_map import to_alphabet, token_to_bytes
from .decode import ByteLevelDecoder, decode_tokens
from .json_models import Model
from .match_policy import MatchPolicy, Spans, Special
from .pre_tokenize import ByteLevel, Step, cut
from .template import fill
from .tokenizer_json import Spec


class Tokenizer:
    """What one tokenizer.json says, made to work; from plain arguments, byte-level BPE.

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
        model = BytePairEncoder(vocab, merges, ignore_merges)
        self._set(Spec(model, list(added_tokens), list(steps)))

    def _set(self, spec: Spec) -> None:
        # Any: which model it is is for the one who loaded the file to know.
        self.model: Any = spec.model
        self.spec = spec
        self.added = AddedVocabulary(spec.added_tokens, spec.model.vocab, spec.normalizer)
        self.steps = spec.steps

    @classmethod
    def from_str(cls, text: str) -> Tokenizer:
        """Read the text of a tokenizer.json; raises ValueError naming the field it can't follow."""
        tokenizer = cls.__new__(cls)
        tokenizer._set(tokenizer_json.read(text))
        return tokenizer

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
        if trusted is not None and self.spec.normalizer:
            raise ValueError("trusted: places in a text that is normalized are not followed")
        policy = MatchPolicy(special, trusted, len(text))
        parts: list[int | bytes] = []
        for part in self.added.pieces(text, policy):
            if isinstance(part, int):
                parts.append(part)
            else:
                parts.extend(piece.encode("utf-8") for piece in cut(part, self.steps))
        return parts

    def encode(
        self,
        text: str,
        special: Special = "all",
        trusted: Spans = None,
        add_special_tokens: bool = True,
    ) -> list[int]:
        """Return the ids of a text, in the template of the file unless asked for without.

        `special` is "all", "none", "error" or a set of added tokens' contents; `trusted` is a list
        of spans in characters; see `match_policy.py`. With "none", and where not all is
        trusted, the model gives no control id either. Raises ValueError for a lone surrogate, a bad
        span, and a match under "error".
        """
        parts = self.split(text, special, trusted)
        model = (
            self._masked_model
            if MatchPolicy(special, trusted, len(text)).masks_model
            else self.model
        )
        ids: list[int] = []
        for part in parts:
            ids.extend([part] if isinstance(part, int) else self._encode_piece(model, part))
        return fill(self.spec.template, ids, add_special_tokens)

    def token(self, token_id: int) -> str | None:
        """Return an id's token string (an added token's content), None if no token has the id."""
        if token_id in self.added.by_id:
            return self.added.by_id[token_id].content
        token: str | None = self.model.tokens.get(token_id)
        return token

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """Return the token strings of ids; raises ValueError for an id that no token has."""
        return [self._known_token(token_id) for token_id in ids]

    def token_bytes(self, token_id: int) -> bytes:
        """Return the bytes an id decodes to; raises ValueError for an id that no token has.

        Here and in `decode_bytes`: and for a decoder that is not ByteLevel, where an id has no bytes
        of its own.
        """
        self._only_byte_level()
        return token_to_bytes(self._known_token(token_id))

    def decode_bytes(self, ids: Iterable[int], skip_special_tokens: bool = True) -> bytes:
        """Return the bytes of ids, joined; ids that no token has are passed over."""
        self._only_byte_level()
        return b"".join(map(token_to_bytes, self._decoded_tokens(ids, skip_special_tokens)))

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = True) -> str:
        """Return the text of ids; byte-level, one U+FFFD for each maximal ill-formed part.

        Ids that no token has are passed over.
        """
        return decode_tokens(self._decoded_tokens(ids, skip_special_tokens), self.spec.decoder)

    def to_json(self) -> str:
        """Return a tokenizer.json that Hugging Face loads and that gives the same ids.

        Only what decides ids is kept: the file has no post-processor and its offsets are trimmed.
        Raises ValueError for a tokenizer that is not byte-level BPE.
        """
        added = dict(sorted(self.added.by_id.items()))
        spec = replace(self.spec, added_tokens=list(added.values()))
        return tokenizer_json.write(spec, {token.content: i for i, token in added.items()})

    def save(self, path: str | Path) -> None:
        """Write `to_json()` to a file; raises OSError."""
        Path(path).write_text(self.to_json(), encoding="utf-8")

    @cached_property
    def _masked_model(self) -> Model:
        """The model without the ids of special tokens: no text may spell one by merges.

        Models over characters keep their unknown token, which says nothing.
        """
        control = {i for i in self.added.by_id if self.token(i) in self.added.special_contents}
        masked: Model = self.model.without(control)
        return masked

    def _encode_piece(self, model: Model, piece: bytes) -> list[int]:
        if isinstance(model, BytePairEncoder):
            return model.encode(piece)
        byte_level = bool(self.steps) and isinstance(self.steps[-1], ByteLevel)
        return model.encode(to_alphabet(piece) if byte_level else piece.decode("utf-8"))

    def _decoded_tokens(self, ids: Iterable[int], skip_special_tokens: bool) -> list[str]:
        tokens = [token for token in map(self.token, ids) if token is not None]
        if not skip_special_tokens:
            return tokens
        return [token for token in tokens if token not in self.added.special_contents]

    def _only_byte_level(self) -> None:
        if self.spec.decoder != [ByteLevelDecoder()]:
            raise ValueError("decoder: only a ByteLevel decoder gives an id bytes of its own")

    def _known_token(self, token_id: int) -> str:
        token = self.token(token_id)
        if token is None:
            raise ValueError(f"no token has the id {token_id}")
        return token
