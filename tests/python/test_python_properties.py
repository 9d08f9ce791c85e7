"""Properties of any text: decoding inverts encoding; a batch is its texts; all ways to encode agree."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
import tokenizers
from frozen import PROVE
from hypothesis import given, settings
from hypothesis import strategies as st

import fretsaw

EXAMPLES = 10_000 if PROVE else 300

characters = st.characters(exclude_categories=["Cs"])
fragments = st.sampled_from(
    ["the", " The", "'s", "'LL", "  ", "\n\n", "\t", "1234", "é", "e\u0301", "猫", "🙂", "\u00a0",
     "<|endoftext|>", "<|im_start|>", "<|", "|>", "\x00", "\u2028", "_", "==", "\u200d"]
)  # fmt: skip
texts = st.lists(
    st.one_of(characters, fragments, st.text(characters, max_size=6)), max_size=20
).map("".join)


@pytest.fixture(scope="module", params=["gpt2", "smollm2"])
def both(
    request: pytest.FixtureRequest, gpt2_json: bytes, smollm2_json: bytes
) -> tuple[fretsaw.Tokenizer, tokenizers.Tokenizer, bool]:
    """A tokenizer, its oracle, and whether it has all bytes."""
    json = {"gpt2": gpt2_json, "smollm2": smollm2_json}[request.param]
    oracle = tokenizers.Tokenizer.from_str(json.decode())
    return fretsaw.Tokenizer.from_str(json), oracle, request.param == "gpt2"


Both = tuple[fretsaw.Tokenizer, tokenizers.Tokenizer, bool]


@settings(max_examples=EXAMPLES)
@given(texts)
def test_as_the_oracle_and_back(both: Both, text: str) -> None:
    tok, oracle, has_all_bytes = both
    found, expected = tok.encode(text), oracle.encode(text)
    assert (found.ids, found.tokens) == (expected.ids, expected.tokens)
    decoded = tok.decode(found.ids, skip_special_tokens=False)
    assert decoded == oracle.decode(found.ids, skip_special_tokens=False)
    if has_all_bytes:
        assert decoded == text
        assert tok.decode_bytes(found.ids, skip_special_tokens=False) == text.encode()


@settings(max_examples=EXAMPLES)
@given(st.lists(texts, max_size=6), st.sampled_from([0, 1, 2, 3]))
def test_a_batch_is_its_texts(both: Both, batch: list[str], threads: int) -> None:
    tok = both[0]
    single = [tok.encode_ids(text) for text in batch]
    assert [encoding.ids for encoding in tok.encode_batch(batch, threads=threads)] == single
    assert [tok.encode(text).ids for text in batch] == single
    assert [tok.count(text) for text in batch] == list(map(len, single))
    flat, row_offsets = tok.encode_batch_flat(batch, threads=threads)
    assert [flat[start:end].tolist() for start, end in pairwise(row_offsets)] == single
    decoded = tok.decode_batch(single, threads=threads)
    assert decoded == [tok.decode(ids) for ids in single]


@settings(max_examples=EXAMPLES)
@given(texts, texts)
def test_results_do_not_depend_on_what_came_before(both: Both, before: str, text: str) -> None:
    tok = both[0]
    first = tok.encode_ids(text)
    tok.encode_ids(before)
    tok.encode_batch([before + text, text + before])
    assert tok.encode_ids(text) == first


@settings(max_examples=EXAMPLES)
@given(texts, texts)
def test_decoding_of_a_concatenation(both: Both, one: str, other: str) -> None:
    """Ids of texts put together stand for the texts together; they need not be the whole's ids."""
    tok, _, has_all_bytes = both
    ids = tok.encode_ids(one) + tok.encode_ids(other)
    data = tok.decode_bytes(ids, skip_special_tokens=False)
    if has_all_bytes:
        assert data == (one + other).encode()
    assert data.decode("utf-8", "replace") == tok.decode(ids, skip_special_tokens=False)


@settings(max_examples=EXAMPLES)
@given(st.lists(st.integers(0, 2**32 - 1) | st.integers(0, 51_000), max_size=30), st.booleans())
def test_any_ids_decode_as_the_oracle(both: Both, ids: list[int], skip: bool) -> None:
    tok, oracle, _ = both
    expected = oracle.decode(ids, skip_special_tokens=skip)
    assert tok.decode(ids, skip_special_tokens=skip) == expected
    stream = tok.stream(skip_special_tokens=skip)
    assert "".join([*map(stream.push, ids), stream.finish()]) == expected


def test_options_are_keywords(gpt2: fretsaw.Tokenizer) -> None:
    calls: list[Callable[..., object]] = [gpt2.encode, gpt2.encode_ids, gpt2.count]
    for call in calls:
        with pytest.raises(TypeError):
            call("a", True)
        with pytest.raises(TypeError):
            call("a", unheard_of=1)
    with pytest.raises(TypeError):
        gpt2.decode([1], True)  # type: ignore[call-arg]
