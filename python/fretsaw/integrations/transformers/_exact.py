"""A whole tokenizer of one library as one of the other, equal to the last bit.

Both read and write tokenizer.json alike, character for character. Two things need care. A tokenizer in
memory may be one that its own file doesn't give, as when the model was exchanged and added tokens kept
their ids: such a one is refused. And reading a decimal may give the float beside the one that was
written, so that scores are handed over as floats.
"""

from __future__ import annotations

import json
from typing import Any

from tokenizers import Tokenizer as Original
from tokenizers import models

from fretsaw import Tokenizer, UnsupportedError
from fretsaw.spec import Unigram

__all__ = ["as_fretsaw", "as_original"]


def as_fretsaw(original: Any) -> Tokenizer:
    """The same tokenizer of fretsaw. Raises an error where there can be none."""
    if getattr(original.model, "alpha", None) is not None:
        raise UnsupportedError("`alpha` of a Unigram model has no place in a tokenizer.json")
    written = original.to_str()
    made = Tokenizer.from_str(written)
    if made.to_str() != written:
        model = json.loads(written)["model"]
        if model["type"] == "Unigram":
            # What it writes are the nearest floats.
            vocab = [(token, score) for token, score in model["vocab"]]
            made.model = Unigram(vocab, model["unk_id"], byte_fallback=model["byte_fallback"])
    is_same = _outline(made) == _outline(original)
    if not is_same or (made.to_str() != written and as_original(made).to_str() != written):
        raise UnsupportedError("it is not what the tokenizer.json that it writes makes")
    made.encode_special_tokens = original.encode_special_tokens
    return made


def as_original(made: Tokenizer) -> Any:
    """The same tokenizer of tokenizers."""
    written = made.to_str()
    original = Original.from_str(written)
    if original.to_str() != written:
        model = made.model
        if isinstance(model, Unigram):
            vocab = [(token, score) for token, score in model.vocab]
            original.model = models.Unigram(vocab, model.unk_id, model.byte_fallback)
    original.encode_special_tokens = made.encode_special_tokens
    return original


def _outline(tokenizer: Any) -> tuple[int, dict[int, str]]:
    """What a file may say otherwise than the tokenizer that wrote it."""
    added = tokenizer.get_added_tokens_decoder()
    return tokenizer.get_vocab_size(False), {id: token.content for id, token in added.items()}
