"""Batches as padded matrices against the oracle's padded encodings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
import pytest
import tokenizers

import fretsaw
from fretsaw.spec import TemplateProcessing
from oracle.random_strings import random_strings
from oracle.tables import ALL_NAMES

Load = Callable[[str], fretsaw.Tokenizer]
LoadOracle = Callable[[str], tokenizers.Tokenizer]

SETTINGS: Final[list[dict[str, Any]]] = [
    {},
    {"direction": "left", "pad_id": 3, "pad_type_id": 2, "pad_token": "x"},
    {"pad_to_multiple_of": 8},
    {"length": 700, "direction": "left"},
]


@pytest.fixture
def both(load: Load, load_oracle: LoadOracle, name: str) -> Iterator[tuple[Any, Any]]:
    tok, oracle = load(name), load_oracle(name)
    yield tok, oracle
    for each in (tok, oracle):
        each.no_padding()
        each.no_truncation()


@pytest.mark.parametrize("name", ALL_NAMES)
@pytest.mark.parametrize("add_special_tokens", [True, False])
def test_matrices(both: tuple[Any, Any], add_special_tokens: bool) -> None:
    tok, oracle = both
    texts = [text[:200] for text in random_strings(77, 0, 40)] + ["", "Hello world"]
    for setting in SETTINGS:
        for truncation in (None, 9):
            for each in (tok, oracle):
                each.enable_padding(**setting)
                if truncation:
                    each.enable_truncation(truncation)
                else:
                    each.no_truncation()
            wanted = oracle.encode_batch(texts, add_special_tokens=add_special_tokens)
            for threads in (1, 2):
                batch = tok.encode_batch_flat(
                    texts, add_special_tokens=add_special_tokens, padding=True, threads=threads
                )
                assert len(batch) == len(texts)
                for field in ("ids", "attention_mask", "type_ids", "special_tokens_mask"):
                    rows = [getattr(encoding, field) for encoding in wanted]
                    assert getattr(batch, field).tolist() == rows, (setting, truncation, field)


GPT2: Final = fretsaw.get("gpt2")


def test_shapes_and_types() -> None:
    tok = fretsaw.Tokenizer.from_str(GPT2.to_str())
    tok.enable_padding()
    batch = tok.encode_batch_flat(["a b", "c"], padding=True)
    assert (batch.ids.dtype, batch.type_ids.dtype) == (np.uint32, np.uint32)
    assert (batch.attention_mask.dtype, batch.special_tokens_mask.dtype) == (np.uint8, np.uint8)
    assert batch.ids.shape == (2, 2)
    assert repr(batch) == "PaddedBatch(shape=(2, 2))"
    assert tok.encode_batch_flat([], padding=True).ids.shape == (0, 0)


def test_what_can_not_be_a_matrix() -> None:
    tok = fretsaw.Tokenizer.from_str(GPT2.to_str())
    with pytest.raises(ValueError, match="call that first"):
        tok.encode_batch_flat(["a"], padding=True)
    tok.enable_padding(length=2)
    with pytest.raises(
        fretsaw.EncodeError, match="text at index 1: the text has 3 ids, which is more"
    ):
        tok.encode_batch_flat(["a", "a b c", "a b c d"], padding=True)
    with pytest.raises(TypeError, match="text at index 1 must be str"):
        tok.encode_batch_flat(["a", 1], padding=True)  # type: ignore[list-item]


def test_processors_that_put_a_text_in_several_places() -> None:
    tok = fretsaw.Tokenizer.from_str(GPT2.to_str())
    tok.post_processor = TemplateProcessing(
        ["$A:0", "[B]:1", "$A:2"], ["$A", "$B"], special_tokens=[("[B]", 50)]
    )
    oracle = tokenizers.Tokenizer.from_str(tok.to_str())
    for each in (tok, oracle):
        each.enable_padding()
    texts = ["a b", "", "Hello world, hello"]
    batch, wanted = tok.encode_batch_flat(texts, padding=True), oracle.encode_batch(texts)
    for field in ("ids", "attention_mask", "type_ids", "special_tokens_mask"):
        assert getattr(batch, field).tolist() == [getattr(one, field) for one in wanted]
