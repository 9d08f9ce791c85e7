"""`token_table` as what llguidance makes its tokenizer of: same ids, and masks that tell the truth."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from llguidance import LLMatcher, LLTokenizer, TokenizerWrapper
from llguidance.numpy import allocate_token_bitmask, fill_next_token_bitmask

import fretsaw

TEXTS = ("Hello world", "  x = 12345;\n\n", "naïve café 🙂🙂", '{"a": [1, 2.5, null]}', "")


class Table:
    """What llguidance asks of a tokenizer."""

    def __init__(self, tok: fretsaw.Tokenizer) -> None:
        data, offsets = tok.token_table()
        self.tokens = [data[start:end].tobytes() for start, end in pairwise(offsets)]
        added = tok.get_added_tokens_decoder()
        self.special_token_ids = [id_ for id_, token in added.items() if token.special]
        self.eos_token_id = self.special_token_ids[-1]
        self.bos_token_id = None
        self.tok = tok

    def __call__(self, text: str) -> list[int]:
        """The ids of a text; bytes are refused, as llguidance expects it."""
        return self.tok.encode_ids(text, special="none", add_special_tokens=False)


@pytest.fixture(params=["gpt2", "smollm2", "llama2", "qwen3"])
def tok(request: pytest.FixtureRequest, fixture_dir: Path) -> fretsaw.Tokenizer:
    path = fixture_dir / f"{request.param}.json.gz"
    if not path.exists():
        data_dir: Path = request.getfixturevalue("data_dir")
        path = data_dir / "tokenizers" / f"{request.param}.json.gz"
    return fretsaw.Tokenizer.from_str(gzip.decompress(path.read_bytes()))


def test_ids_are_the_same(tok: fretsaw.Tokenizer) -> None:
    table = Table(tok)
    made = LLTokenizer(TokenizerWrapper(table))
    assert made.vocab_size == len(table.tokens)
    for text in TEXTS:
        ids = table(text)
        assert made.tokenize_str(text) == ids
        assert tok.decode(ids) == text


def test_every_id_is_in_its_place(tok: fretsaw.Tokenizer) -> None:
    data, offsets = tok.token_table()
    assert (data.dtype, offsets.dtype, offsets[0], offsets[-1]) == (
        np.uint8,
        np.int64,
        0,
        len(data),
    )
    for id_ in range(len(offsets) - 1):
        stands_for = data[offsets[id_] : offsets[id_ + 1]].tobytes()
        try:
            assert tok.token_bytes(id_) == stands_for
        except fretsaw.DecodeError:
            assert stands_for == b""


def test_a_mask_allows_what_the_grammar_does(tok: fretsaw.Tokenizer) -> None:
    table = Table(tok)
    made = LLTokenizer(TokenizerWrapper(table))
    grammar = LLMatcher.grammar_from_regex("(ab+c|[0-9]{2,5}!)")
    matcher = LLMatcher(made, grammar)
    mask = allocate_token_bitmask(1, made.vocab_size)
    fill_next_token_bitmask(matcher, mask)
    allowed = np.unpackbits(mask.view(np.uint8), bitorder="little")[: len(table.tokens)]
    starts: Callable[[bytes], object] = re.compile(rb"a(b*|b+c)|[0-9]{1,5}|[0-9]{2,5}!").fullmatch
    special = set(table.special_token_ids)
    wanted = [bool(starts(token)) and at not in special for at, token in enumerate(table.tokens)]
    assert [bool(bit) for bit in allowed] == wanted
