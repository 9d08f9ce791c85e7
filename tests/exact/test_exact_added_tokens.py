"""Added tokens of every kind against the oracle: flags, overlaps, white space, odd contents.

Where the oracle panics, fretsaw raises an EncodeError.
"""

from __future__ import annotations

import itertools
import time
from typing import Any

import pytest
import tokenizers
from frozen import PROVE
from hypothesis import example, given, settings
from hypothesis import strategies as st
from small_tokenizers import Added, byte_level, tokenizer_json, unless_it_panics

import fretsaw

CONTENTS = (
    "a", "ab", "abc", "bc", "b", "ba", "aa", "aaa", "A", "<s>", "<s", "s>", "<", ">", "</s>", "<s><s>",
    " ", "  ", "   ", "\n", "\n\n", "\t", " a", "a ", " a ", " \n", "\u00a0", "\u3000", "_", "_a", "a_",
    "a b", "1", "12", "'s", "'", ".", "é", "e\u0301", "\u0301", "中", "中文", "🙂", "🏽", "\u200b", "\u200d",
    "Ġ", "Ġa", "\x00", "İ", "ß", "x" * 40, "[MASK]", "word", "two words",
)  # fmt: skip
BETWEEN = (
    *CONTENTS,
    "",
    " ",
    "x",
    "X",
    "-",
    "\t ",
    "\r\n",
    "9",
    "é",
    "\u2028",
    "\u0085",
    "٣",
    "²",
    "ー",
)

flags = st.booleans()
added_tokens = st.lists(
    st.builds(Added, st.sampled_from(CONTENTS), flags, flags, flags, flags, flags),
    max_size=8,
    unique_by=lambda token: token.content,
)
texts = st.lists(st.sampled_from(BETWEEN), max_size=10).map("".join)
pre_tokenizers: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.builds(byte_level, add_prefix_space=flags, use_regex=flags),
    st.builds(
        lambda individual, use_regex: {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "Digits", "individual_digits": individual},
                byte_level(use_regex=use_regex),
            ],
        },
        flags,
        flags,
    ),
)


def assert_same(json: str, batch: list[str]) -> None:
    """Ids and tokens of texts, by both; the decoded text too."""
    oracle, tok = tokenizers.Tokenizer.from_str(json), fretsaw.Tokenizer.from_str(json)
    assert tok.get_vocab() == oracle.get_vocab()
    for text in batch:
        expected = unless_it_panics(lambda text=text: oracle.encode(text))  # type: ignore[misc]
        if expected is None:
            with pytest.raises(fretsaw.EncodeError):
                tok.encode(text)
            continue
        found = tok.encode(text)
        assert (found.ids, found.tokens) == (expected.ids, expected.tokens), repr(text)
        assert tok.count(text) == len(expected.ids)
        for skip in (True, False):
            decoded = oracle.decode(expected.ids, skip_special_tokens=skip)
            assert tok.decode(expected.ids, skip_special_tokens=skip) == decoded


@settings(max_examples=20_000 if PROVE else 700)
@given(added_tokens, st.lists(texts, min_size=1, max_size=6), pre_tokenizers, flags)
@example(
    [Added("<s>", lstrip=True, rstrip=True), Added(" ")], ["a <s>  <s> b"], byte_level(), False
)
@example([], [""], byte_level(add_prefix_space=True), False)
@example([Added("a", rstrip=True), Added(" ", lstrip=True)], ["a "], byte_level(), False)
def test_random_added_tokens(
    added: list[Added], batch: list[str], pre_tokenizer: dict[str, Any], ignore_merges: bool
) -> None:
    assert_same(
        tokenizer_json(added, pre_tokenizer=pre_tokenizer, ignore_merges=ignore_merges), batch
    )


@pytest.mark.parametrize("flag_values", list(itertools.product((False, True), repeat=5)))
def test_every_combination_of_flags(flag_values: tuple[bool, ...]) -> None:
    batch = [
        f"{before}{content}{after}"
        for content in ("<s>", "ab", "é", "a b")
        for before in ("", " ", "x", "_", "  ", "\n\t", "é", "\u00a0", ".", "a")
        for after in ("", " ", "x", "_", "  ", " \n", "9", "\u3000", "'s", "b")
    ]
    assert_same(tokenizer_json([Added(word, *flag_values) for word in ("<s>", "ab", "é")]), batch)
    assert_same(tokenizer_json([Added("ab", *flag_values), Added("abc"), Added(" ")]), batch)


@pytest.mark.parametrize("normalized", [False, True])
def test_of_two_at_one_place_the_longest_or_the_first(normalized: bool) -> None:
    contents = ("ab", "abcab", "bca", "c", "cab")
    batch = ["".join(parts) for parts in itertools.product("abcx", repeat=5)]
    for order in itertools.permutations(contents, 3):
        assert_same(
            tokenizer_json([Added(content, normalized=normalized) for content in order]), batch
        )


@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("content", ["a", "Ġ", "ab", "<s>", "é", "Ã©", "Ċ"])
def test_contents_that_are_tokens_of_the_model(content: str, special: bool) -> None:
    batch = [f"a{content}b {content} {content}", "ab \né", "<s>ab<s>"]
    assert_same(tokenizer_json([Added(content, special=special)]), batch)


def test_an_empty_content_is_as_in_the_oracle() -> None:
    assert_same(tokenizer_json([Added("<s>"), Added("")]), ["", "a", "a<s>b", " "])


def many(count: int) -> str:
    """A file with many added tokens of several kinds that share beginnings."""
    return tokenizer_json(
        [
            Added(f"<|reserved_{at}|>", normalized=at % 2 == 0, special=at % 3 == 0)
            for at in range(count)
        ]
    )


def timed_load(json: str) -> tuple[fretsaw.Tokenizer, float]:
    """A tokenizer and the processor time that it took to load, in seconds."""
    start = time.process_time()
    tok = fretsaw.Tokenizer.from_str(json)
    return tok, time.process_time() - start


def test_many_added_tokens_load_in_linear_time_and_are_all_found() -> None:
    count, few = 300_000, many(30_000)
    tok, seconds = timed_load(many(count))
    assert seconds < 40 * min(timed_load(few)[1] for _ in range(3))
    first = tok.token_to_id("<|reserved_0|>")
    assert first is not None
    chosen = [*range(0, count, 997), count - 1]
    text = "".join(f"<|reserved_{at}|>" for at in chosen)
    assert tok.encode_ids(text) == [first + at for at in chosen]
    assert tok.encode_ids(f"<|reserved_{count}|>")[-1] < first
