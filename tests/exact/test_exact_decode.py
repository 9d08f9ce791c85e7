"""Ids to text and bytes against the oracle, for any ids at all."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
import tokenizers
from frozen import NAMES, PROVE, golden_strings, sampled
from small_tokenizers import BYTE_OF_CHAR

import fretsaw

Load = Callable[[str], fretsaw.Tokenizer]
LoadOracle = Callable[[str], tokenizers.Tokenizer]

pytestmark = pytest.mark.parametrize("name", NAMES)


def random_ids(name: str, oracle: tokenizers.Tokenizer) -> list[list[int]]:
    """Lists of ids: any of the vocabulary, the first 300 (bytes), added tokens, out of range."""
    source = random.Random(f"ids of {name}")
    last = oracle.get_vocab_size() - 1
    added = list(oracle.get_added_tokens_decoder())
    kinds: list[Callable[[], int]] = [
        lambda: source.randrange(last + 1),
        lambda: source.randrange(300),
        lambda: source.choice(added),
        lambda: last + source.randrange(1, 2_000),
        lambda: source.choice([2**31 - 1, 2**31, 2**32 - 1, last + 1]),
    ]
    weights = [10, 20, 2, 1, 1]
    return [
        [kind() for kind in source.choices(kinds, weights, k=source.randrange(25))]
        for _ in range(50_000 if PROVE else 2_500)
    ]


@pytest.mark.parametrize("skip", [True, False])
def test_random_ids(name: str, skip: bool, load: Load, load_oracle: LoadOracle) -> None:
    tok, oracle = load(name), load_oracle(name)
    batch = random_ids(name, oracle)
    expected = [oracle.decode(ids, skip_special_tokens=skip) for ids in batch]
    for ids, text in zip(batch, expected, strict=True):
        assert tok.decode(ids, skip_special_tokens=skip) == text, ids
        data = tok.decode_bytes(ids, skip_special_tokens=skip)
        assert data.decode("utf-8", "replace") == text, ids
    assert tok.decode_batch(batch, skip_special_tokens=skip) == expected
    assert tok.decode_batch(batch, skip_special_tokens=skip, threads=3) == expected


def test_special_tokens_are_skipped_unless_asked(
    name: str, load: Load, load_oracle: LoadOracle
) -> None:
    tok, oracle = load(name), load_oracle(name)
    ids = [0, *oracle.get_added_tokens_decoder(), 1]
    assert tok.decode(ids) == oracle.decode(ids) == tok.decode(ids, skip_special_tokens=True)
    assert tok.decode_batch([ids]) == [oracle.decode(ids)]
    assert tok.decode_bytes(ids).decode() == oracle.decode(ids)
    for id_, added in oracle.get_added_tokens_decoder().items():
        assert tok.decode([id_]) == ("" if added.special else added.content)


def test_each_id_alone(name: str, load: Load, load_oracle: LoadOracle) -> None:
    tok, oracle = load(name), load_oracle(name)
    added = oracle.get_added_tokens_decoder()
    for id_ in range(oracle.get_vocab_size() + 3):
        token = oracle.id_to_token(id_)
        if token is None:
            with pytest.raises(fretsaw.DecodeError, match=str(id_)):
                tok.token_bytes(id_)
            assert tok.decode_bytes([id_]) == b""
            continue
        expected = (
            added[id_].content.encode()
            if id_ in added
            else bytes(BYTE_OF_CHAR[char] for char in token)
        )
        assert tok.token_bytes(id_) == expected, id_
        assert tok.decode_bytes([id_], skip_special_tokens=False) == expected, id_


def test_decoding_inverts_encoding(name: str, load: Load, load_oracle: LoadOracle) -> None:
    tok, oracle = load(name), load_oracle(name)
    for _, text in sampled(golden_strings(), 1_000):
        ids = tok.encode_ids(text)
        decoded = tok.decode(ids, skip_special_tokens=False)
        assert decoded == oracle.decode(ids, skip_special_tokens=False)
        if name in ("gpt2", "phi-2"):  # they have all 256 bytes, the others lose some
            assert decoded == text


def test_numbers_that_are_no_ids(name: str, load: Load) -> None:
    tok = load(name)
    for number in (-1, 2**32, 2**70):
        for call in (tok.decode, tok.decode_bytes):
            with pytest.raises(OverflowError):
                call([number])
        for look_up in (tok.token_bytes, tok.id_to_token):
            with pytest.raises(OverflowError):
                look_up(number)
    for wrong in ("15496", [None], ["a"], [1.5], None):
        with pytest.raises(TypeError):
            tok.decode(wrong)  # type: ignore[arg-type]
