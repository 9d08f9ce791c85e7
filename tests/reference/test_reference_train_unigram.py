"""Training a unigram model: by hand, and the compiled trainer against the readable one."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import fretsaw
from fretsaw import spec
from fretsaw.reference import learn_unigram
from fretsaw.reference.unigram_steps import best_way, expected, maximize

WORDS = st.one_of(
    st.dictionaries(st.text("ab", min_size=1, max_size=12), st.integers(1, 9), max_size=40),
    st.dictionaries(st.text("▁abcdé漢", min_size=1, max_size=9), st.integers(1, 4), max_size=60),
    st.dictionaries(st.text(max_size=6), st.integers(1, 1000), max_size=12),
)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "shrinking_factor": st.sampled_from([0.1, 0.5, 0.9]),
        "max_piece_length": st.integers(1, 8),
        "n_sub_iterations": st.integers(0, 3),
        "seed_size": st.integers(0, 30),
        "byte_fallback": st.booleans(),
        "character_coverage": st.sampled_from([0.5, 0.9, 0.99]),
        "initial_alphabet": st.lists(st.sampled_from("abxyz")),
    },
)


def test_by_hand() -> None:
    # "ab" can be cut in two ways: "ab" has a share of 2/3, "a" with "b" has 1/3.
    scores = {"a": math.log(0.5), "b": math.log(0.5), "ab": math.log(0.5)}
    assert expected({"ab": 6}, scores) == pytest.approx({"a": 2.0, "b": 2.0, "ab": 4.0})
    assert best_way("abb", scores) == ["b", "ab"]
    # digamma(1) = -0.5772, digamma(2) = 0.4228, digamma(3) = 0.9228
    learned = maximize(scores, {"a": 1.0, "b": 0.4, "ab": 2.0}, keep_all=False)
    assert learned == pytest.approx({"a": -1.5, "ab": -0.5}, abs=1e-6)


def test_a_vocabulary_that_cannot_hold_the_characters() -> None:
    with pytest.raises(ValueError, match="vocab_size"):
        learn_unigram({"abc": 1}, 2)
    with pytest.raises(fretsaw.TrainError, match="vocab_size"):
        fretsaw.train(["abc"], model="unigram", vocab_size=2)


@settings(max_examples=300)
@given(WORDS, st.integers(0, 60), OPTIONS)
@example({"ab": 1, "ba": 1}, 3, {})  # all ways are equally likely
@example({"aaaa": 1}, 4, {})
@example({"a\0b": 2, "\0": 1, "ab": 1}, 3, {})
def test_the_compiled_trainer_learns_the_same(
    words: dict[str, int], more: int, options: dict[str, object]
) -> None:
    special = ["<unk>", "<s>"]
    alphabet = {*"".join(words), *options.get("initial_alphabet", [])}  # type: ignore[misc]
    size = len(alphabet) + len(special) + more + 256 * bool(options.get("byte_fallback"))
    wanted = learn_unigram(words, size, special, "<unk>", **options)  # type: ignore[arg-type]
    counts = fretsaw.PieceCounts(words)
    for threads in (1, 3):
        tok = fretsaw.train(
            counts=counts,
            model="unigram",
            vocab_size=size,
            special_tokens=special,
            threads=threads,
            **options,  # type: ignore[arg-type]
        )
        model = tok.model
        assert isinstance(model, spec.Unigram)
        made = list(model.vocab)
        assert [piece for piece, _ in made] == [piece for piece, _ in wanted]
        assert [score for _, score in made] == pytest.approx([score for _, score in wanted])
