"""`Encoding` and its inputs: what is refused and how it says so, batches, threads, pickles, long texts."""

from __future__ import annotations

import asyncio
import copy
import pickle
import time
from typing import Any

import numpy as np
import pytest

import fretsaw
from fretsaw.spec import BertProcessing

GPT2 = fretsaw.get("gpt2")

WRONG: list[tuple[str, tuple[Any, ...], str]] = [
    ("encode", (1,), "text must be str, got int"),
    ("encode", (b"a",), "text must be str, got bytes"),
    ("encode", (["a"],), "text must be str, got list"),
    ("encode", ("a", 1), "text must be str, got int"),
    ("encode", ("a", ["b"]), "text must be str, got list"),
    ("encode", ("a", None, True), "pre-tokenized input must be a list of str, got str"),
    ("encode", (["a"], "b", True), "pre-tokenized input must be a list of str, got str"),
    ("encode", (["a", 1], None, True), "word 1 of the text must be str, got int"),
    ("encode_batch", ("ab",), "a batch must be a sequence of str, got one str"),
    ("encode_batch", (1,), "not an instance of 'Sequence'"),
    ("encode_batch", (["a", 1],), "text at index 1 must be str, got int"),
    ("encode_batch", (["a", ("a",)],), "text at index 1 must be str, got tuple"),
    ("encode_batch", (["a", ("a", "b", "c")],), "text at index 1 must be str, got tuple"),
    ("encode_batch", (["a", ("a", 1)],), "text at index 1 must be str, got int"),
    ("encode_batch", (["ab"], True), "pre-tokenized input at index 0 must be a list of str"),
    ("encode_batch", ([["a", 1]], True), "word 1 of the text at index 0 must be str, got int"),
    ("encode_batch", ([["a", ["b"]]], True), "pre-tokenized input at index 0 must be a list"),
    ("encode_batch", ([["a"], (["a"], "b")], True), "input at index 1 must be a list of str"),
]


@pytest.mark.parametrize(("method", "arguments", "message"), WRONG)
def test_wrong_types_say_what_and_where(method: str, arguments: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        getattr(GPT2, method)(*arguments)


@pytest.mark.parametrize("pair", ["b", ""])
def test_trusted_goes_with_a_single_text(pair: str) -> None:
    with pytest.raises(TypeError, match="trusted goes with a single text"):
        GPT2.encode("a", pair, trusted=[(0, 1)])
    with pytest.raises(TypeError, match="trusted goes with a single text"):
        GPT2.encode(["a"], is_pretokenized=True, trusted=[(0, 1)])


SURROGATES: list[tuple[str, tuple[Any, ...], str]] = [
    ("encode", ("a", "b\ud800"), "text has a lone surrogate at character 1"),
    ("encode", (["a", "\udfff"], None, True), "word 1 of the text has a lone surrogate"),
    ("encode_batch", (["a", ("a", "b\ud800")],), "text at index 1 has a lone surrogate"),
    ("encode_batch", ([["a"], ["\ud800"]], True), "word 0 of the text at index 1 has a lone"),
]


@pytest.mark.parametrize(("method", "arguments", "message"), SURROGATES)
def test_lone_surrogates(method: str, arguments: Any, message: str) -> None:
    with pytest.raises(fretsaw.EncodeError, match=message):
        getattr(GPT2, method)(*arguments)


def test_lists_tuples_and_arrays_of_words() -> None:
    words = ["Hello", " wörld"]
    expected = GPT2.encode(words, is_pretokenized=True)
    for given in (tuple(words), np.array(words), np.array(words, dtype=object)):
        assert GPT2.encode(given, is_pretokenized=True) == expected
        assert GPT2.encode_batch([given], is_pretokenized=True) == [expected]
        assert GPT2.encode_batch([(given, words)], True) == [GPT2.encode(words, words, True)]
    assert expected.offsets == [(0, 5), (0, 2), (2, 4), (4, 6)]
    assert GPT2.encode_batch(np.array(words)) == GPT2.encode_batch(words)


def test_two_words_are_no_pair_and_two_lists_are() -> None:
    assert GPT2.encode_batch([("a", "b")], True)[0].n_sequences == 1
    assert GPT2.encode_batch([("a", "b")])[0].n_sequences == 2
    assert GPT2.encode_batch([(["a"], ["b"])], True)[0].n_sequences == 2
    assert [len(one) for one in GPT2.encode_batch([[], ([], [])], True)] == [0, 0]


MIXED = ["Hello world", ("one", " two"), "", ("", "é ﬁ 🙂"), ["a", "b c"], " x" * 500] * 30


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_batches_equal_single_calls(threads: int) -> None:
    tok = copy.copy(GPT2)
    tok.enable_truncation(7, stride=2)
    single = [tok.encode(*((one,) if isinstance(one, str) else one)) for one in MIXED]
    assert tok.encode_batch(MIXED, threads=threads) == single
    assert tok.encode_batch_fast(MIXED, threads=threads) == single
    assert asyncio.run(tok.async_encode_batch(MIXED, threads=threads)) == single


def test_an_encoding_keeps_the_tokenizer_it_came_from() -> None:
    """What is worked out later is that of the call, whatever changed since."""
    tok = copy.copy(GPT2)
    late, early = tok.encode("Hello tokenizers"), tok.encode("Hello tokenizers")
    assert early.offsets == [(0, 5), (5, 11), (11, 16)]
    tok.enable_truncation(1)
    tok.enable_padding(length=9)
    tok.add_tokens(["tok"])
    assert (late.offsets, late.tokens, late.overflowing) == (early.offsets, early.tokens, [])
    assert late == early


def test_pickles_and_changes_are_independent() -> None:
    tok = copy.copy(GPT2)
    tok.enable_truncation(2)
    for made in (tok.encode("one two three four"), tok.encode("é", "ﬁ"), fretsaw.Encoding()):
        again = pickle.loads(pickle.dumps(made))
        assert again == made
        assert again.overflowing == made.overflowing
        again.pad(9, pad_token="x")
        assert again != made
        assert len(again) == 9
        assert len(made) < 9


@pytest.mark.parametrize(
    "state", [(), ((),), ([1], [], [], [], [], [], [], [], []), ([],) * 7 + ([(0, 0, 1)], [])]
)
def test_broken_pickles_are_refused(state: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        fretsaw.Encoding._restore(state)


def test_texts_whose_special_tokens_take_all_room() -> None:
    tok = copy.copy(GPT2)
    tok.post_processor = BertProcessing(sep=("B", 33), cls=("A", 32))
    tok.enable_truncation(2)
    assert tok.encode("Hello").ids == [32, 33]
    assert [part.ids for part in tok.encode("Hello").overflowing] == [[32, 15496, 33]]
    # Less than the special tokens of a pair: nothing is cut, as in the oracle.
    assert tok.encode("Hello", "Hello").ids == [32, 15496, 33, 15496, 33]


@pytest.mark.parametrize("method", ["pad", "truncate"])
def test_directions(method: str) -> None:
    with pytest.raises(ValueError, match="direction"):
        getattr(GPT2.encode("a"), method)(3, direction="up")


def test_a_stride_that_leaves_nothing() -> None:
    made = GPT2.encode("one two three")
    with pytest.raises(ValueError, match="stride is 2"):
        made.truncate(2, stride=2)
    assert made.ids == [505, 734, 1115]
    made.truncate(3, stride=5)
    assert made.overflowing == []


def seconds_for_offsets(text: str) -> float:
    """The least processor time of some rounds."""
    found = []
    for _ in range(4):
        made = GPT2.encode(text)
        start = time.process_time()
        offsets = made.offsets
        found.append(time.process_time() - start)
        assert offsets[-1][1] == len(text)
    return min(found)


@pytest.mark.parametrize("unit", ["a", " ", "the fox é", "\u0301", "<|endoftext|>", "中"])
def test_offsets_take_time_in_proportion(unit: str) -> None:
    """A megabyte takes about eight times as long as an eighth of it; quadratic would be 64 times."""
    size = 1_000_000 // len(unit.encode())
    small, large = seconds_for_offsets(unit * (size // 8)), seconds_for_offsets(unit * size)
    assert large < 40 * small + 0.1
