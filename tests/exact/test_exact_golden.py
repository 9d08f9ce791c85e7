"""GPT-2 and SmolLM2 on the 10,000 golden strings, by every way to encode, and the reference too."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
import tokenizers
from frozen import IN_FIXTURES, golden_ids, golden_strings, sampled

import fretsaw
from fretsaw import reference

Load = Callable[[str], fretsaw.Tokenizer]
LoadOracle = Callable[[str], tokenizers.Tokenizer]

pytestmark = pytest.mark.parametrize("name", IN_FIXTURES)


def first_difference(found: list[list[int]], name: str) -> str | None:
    """The first string whose ids differ from the frozen ones."""
    assert len(found) == len(golden_ids(name)) == len(golden_strings()) == 10_000
    for text, ids, wanted in zip(golden_strings(), found, golden_ids(name), strict=True):
        if ids != wanted:
            return f"{text!r}: {ids} instead of {wanted}"
    return None


def test_encode_ids(name: str, load: Load) -> None:
    tok = load(name)
    assert first_difference([tok.encode_ids(text) for text in golden_strings()], name) is None


def test_encode(name: str, load: Load) -> None:
    tok = load(name)
    assert first_difference([tok.encode(text).ids for text in golden_strings()], name) is None


def test_encode_batch(name: str, load: Load) -> None:
    encodings = load(name).encode_batch(golden_strings())
    assert first_difference([encoding.ids for encoding in encodings], name) is None


def test_encode_batch_flat(name: str, load: Load) -> None:
    ids, row_offsets = load(name).encode_batch_flat(golden_strings())
    assert (str(ids.dtype), str(row_offsets.dtype)) == ("uint32", "int64")
    assert (len(row_offsets), row_offsets[0], row_offsets[-1]) == (10_001, 0, len(ids))
    rows = [ids[start:end].tolist() for start, end in pairwise(row_offsets)]
    assert first_difference(rows, name) is None


def test_encode_batch_ids(name: str, load: Load) -> None:
    rows = load(name).encode_batch_ids(golden_strings())
    assert first_difference(rows, name) is None


def test_count(name: str, load: Load) -> None:
    tok = load(name)
    wrong = [
        text
        for text, ids in zip(golden_strings(), golden_ids(name), strict=True)
        if tok.count(text) != len(ids)
    ]
    assert wrong == []


def test_tokens_equal_the_oracle(name: str, load: Load, load_oracle: LoadOracle) -> None:
    tok, oracle = load(name), load_oracle(name)
    for _, text in sampled(golden_strings(), 2_500):
        assert tok.encode(text).tokens == oracle.encode(text).tokens, repr(text)


def test_len_of_an_encoding_is_its_number_of_ids(name: str, load: Load) -> None:
    for _, text in sampled(golden_strings(), 500):
        encoding = load(name).encode(text)
        assert len(encoding) == len(encoding.ids) == len(encoding.tokens)


def test_the_reference(name: str, read_file: Callable[[str], bytes]) -> None:
    tok = reference.Tokenizer.from_str(read_file(name).decode("utf-8"))
    for at, text in sampled(golden_strings(), 1_500):
        assert tok.encode(text) == golden_ids(name)[at], repr(text)
