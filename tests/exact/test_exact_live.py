"""Samples of what the digests cover, against the oracle as it runs, with both ids in the message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import pytest
import tokenizers
from frozen import NAMES, PROVE

import fretsaw
from oracle.inputs import SWEEP_CONTEXTS
from oracle.random_strings import random_strings

Load = Callable[[str], fretsaw.Tokenizer]
LoadOracle = Callable[[str], tokenizers.Tokenizer]

each_tokenizer = pytest.mark.parametrize("name", NAMES)

# Beside even distances: the blocks where classes change often.
DENSE = (*range(0x250), *range(0x2000, 0x2070), *range(0x3000, 0x3040), *range(0xFE00, 0xFE10))
SEED = 97


@cache
def points() -> list[int]:
    """Code points to try: dense ranges, then a grid over all planes."""
    grid = range(0, 0x110000, 1 if PROVE else 331)
    found = sorted({*DENSE, *grid})
    return [point for point in found if not 0xD800 <= point < 0xE000]


def assert_equal(
    tok: fretsaw.Tokenizer, oracle: tokenizers.Tokenizer, texts: Sequence[str]
) -> None:
    """Compares ids text by text; the first difference is the message."""
    ours = tok.encode_batch(texts, add_special_tokens=False)
    theirs = oracle.encode_batch_fast(list(texts), add_special_tokens=False)
    for text, our, their in zip(texts, ours, theirs, strict=True):
        assert our.ids == their.ids, repr(text)


@each_tokenizer
@pytest.mark.parametrize("context", list(SWEEP_CONTEXTS))
def test_code_points(name: str, context: str, load: Load, load_oracle: LoadOracle) -> None:
    texts = [SWEEP_CONTEXTS[context].replace("{c}", chr(point)) for point in points()]
    assert_equal(load(name), load_oracle(name), texts)


@each_tokenizer
def test_random_strings_of_another_seed(name: str, load: Load, load_oracle: LoadOracle) -> None:
    texts = list(random_strings(SEED, 0, 100_000 if PROVE else 2_000))
    assert_equal(load(name), load_oracle(name), texts)


@each_tokenizer
def test_tokens(name: str, load: Load, load_oracle: LoadOracle) -> None:
    tok, oracle = load(name), load_oracle(name)
    for text in random_strings(SEED + 1, 0, 10_000 if PROVE else 500):
        ours, theirs = tok.encode(text), oracle.encode(text)
        assert (ours.ids, ours.tokens) == (theirs.ids, theirs.tokens), repr(text)


@each_tokenizer
def test_vocabulary(name: str, load: Load, load_oracle: LoadOracle) -> None:
    tok, oracle = load(name), load_oracle(name)
    for with_added_tokens in (True, False):
        vocab = oracle.get_vocab(with_added_tokens)
        assert tok.get_vocab(with_added_tokens) == vocab
        assert tok.get_vocab_size(with_added_tokens) == oracle.get_vocab_size(with_added_tokens)
    last = max(oracle.get_vocab().values())
    for id_ in [*range(0, last + 50), 2**31, 2**32 - 1]:
        assert tok.id_to_token(id_) == oracle.id_to_token(id_)
    for token in [*oracle.get_vocab(), "", "no such token", "Ġ no", "\x00"]:
        assert tok.token_to_id(token) == oracle.token_to_id(token)
