"""Every way to decode gives what tiktoken gives, errors included."""

import pytest
from test_tiktoken_encode import SPECIALS, outcome

import fretsaw
from fretsaw.integrations import tiktoken as ours
from oracle.random_strings import SplitMix64

UNKNOWN = {"r50k_base": 50257, "p50k_edit": 50284, "cl100k_base": 100256, "o200k_base": 199998}


def some_ids(enc, count):
    rng = SplitMix64(5)
    for _ in range(count):
        yield [rng.below(enc.max_token_value - 100) for _ in range(rng.below(12))]


def test_text(name, oracle, texts):
    theirs, mine, tok = oracle(name), ours.get_encoding(name), fretsaw.get(name)
    for text in [*texts[:500], *SPECIALS]:
        ids = theirs.encode(text, allowed_special="all")
        assert mine.decode(ids) == theirs.decode(ids)
        assert mine.decode_bytes(ids) == theirs.decode_bytes(ids)
        assert mine.decode_tokens_bytes(ids) == theirs.decode_tokens_bytes(ids)
        assert mine.decode_with_offsets(ids) == theirs.decode_with_offsets(ids)
        if name != "gpt2":
            assert tok.decode(ids) == theirs.decode(ids)


def test_any_ids(name, oracle):
    theirs, mine = oracle(name), ours.get_encoding(name)
    for ids in some_ids(theirs, 300):
        for errors in ("replace", "strict", "ignore", "backslashreplace"):
            expected = outcome(theirs.decode, ids, errors=errors)
            assert outcome(mine.decode, ids, errors=errors) == expected
        expected = outcome(theirs.decode_with_offsets, ids)
        assert outcome(mine.decode_with_offsets, ids) == expected
    batch = list(some_ids(theirs, 50))
    assert mine.decode_batch(batch) == theirs.decode_batch(batch)
    assert mine.decode_bytes_batch(batch) == theirs.decode_bytes_batch(batch)


def test_every_id(name, oracle):
    theirs, mine = oracle(name), ours.get_encoding(name)
    for id in range(theirs.max_token_value + 2):
        expected = outcome(theirs.decode_single_token_bytes, id)
        assert outcome(mine.decode_single_token_bytes, id) == expected
    assert mine.token_byte_values() == theirs.token_byte_values()


@pytest.mark.parametrize("encoding", UNKNOWN)
def test_unknown_ids(encoding, oracle):
    theirs, mine = oracle(encoding), ours.get_encoding(encoding)
    for id in (UNKNOWN[encoding], 2**32 - 1, 2**32, -1):
        for method, argument in (
            ("decode", [0, id]),
            ("decode_bytes", [id]),
            ("decode_single_token_bytes", id),
            ("decode_tokens_bytes", [0, id]),
            ("decode_batch", [[0], [id]]),
        ):
            expected = outcome(getattr(theirs, method), argument)
            assert outcome(getattr(mine, method), argument) == expected, (method, id)
    for wrong in ("ab", [0.5], [None], 7):
        assert outcome(mine.decode, wrong) == outcome(theirs.decode, wrong)
    expected = outcome(theirs.decode_batch, [[0]], num_threads=0)
    assert outcome(mine.decode_batch, [[0]], num_threads=0) == expected
