"""Tokens that encoding their own text never yields.

A token is tried on the text that it decodes to: alone, and with another token before it, behind it or
on both sides, because a token may be for the middle of a word only. If none of the encodings has it,
it is called unreachable. A token that is only a part of characters is not tried: it has no text.
"""

import copy
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import fretsaw

__all__ = ["Reach", "reach"]

BESIDE = ("a", "e", "0", ".", "\n", "猫", "x y", ")", "*", "#", "'")
"""Texts whose tokens stand beside a token that is tried."""

REPLACEMENT = "\ufffd"


class Reach(NamedTuple):
    """How many tokens were tried, and which of them were never met."""

    tried: int
    unreachable: list[int]


def reach(tokenizer: fretsaw.Tokenizer, ids: Iterable[int]) -> Reach:
    """Tries tokens on their own text."""
    tokenizer = _bare(tokenizer)
    alone = _decoded(tokenizer, [[token_id] for token_id in ids])
    left = {
        ids[0]: text
        for ids, text in alone
        if REPLACEMENT not in text or REPLACEMENT in (tokenizer.id_to_token(ids[0]) or "")
    }
    tried = len(left)
    left = _not_met(tokenizer, left.items())
    for beside in [_ids_of(tokenizer, text) for text in BESIDE]:
        for before, behind in ((beside, []), ([], beside), (beside, beside)):
            if left and beside:
                texts = _decoded(tokenizer, [[*before, one, *behind] for one in left])
                tries = [(ids[len(before)], text) for ids, text in texts]
                left = _not_met(tokenizer, tries)
    return Reach(tried, list(left))


def _bare(tokenizer: fretsaw.Tokenizer) -> fretsaw.Tokenizer:
    """The tokenizer without the truncation and padding of its file."""
    if tokenizer.truncation is None and tokenizer.padding is None:
        return tokenizer
    bare = copy.deepcopy(tokenizer)
    bare.no_truncation()
    bare.no_padding()
    return bare


def _decoded(
    tokenizer: fretsaw.Tokenizer, lists: Sequence[list[int]]
) -> list[tuple[list[int], str]]:
    """Lists of ids with their texts; without those that can't be decoded."""
    try:
        texts = tokenizer.decode_batch(lists, skip_special_tokens=False)
        return list(zip(lists, texts, strict=True))
    except fretsaw.DecodeError:
        found = []
        for ids in lists:
            try:
                found.append((ids, tokenizer.decode(ids, skip_special_tokens=False)))
            except fretsaw.DecodeError:
                continue
        return found


def _not_met(tokenizer: fretsaw.Tokenizer, tries: Iterable[tuple[int, str]]) -> dict[int, str]:
    """The ids that the encodings of the texts beside them don't have."""
    pairs = list(tries)
    texts = [text for _, text in pairs]
    try:
        encoded = tokenizer.encode_batch_ids(texts, add_special_tokens=False, special="all")
    except fretsaw.EncodeError:
        encoded = [_ids_of(tokenizer, text) for text in texts]
    return {
        token_id: text
        for (token_id, text), ids in zip(pairs, encoded, strict=True)
        if token_id not in ids
    }


def _ids_of(tokenizer: fretsaw.Tokenizer, text: str) -> list[int]:
    try:
        return tokenizer.encode_ids(text, add_special_tokens=False, special="all")
    except fretsaw.EncodeError:
        return []
