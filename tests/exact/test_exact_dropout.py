"""BPE dropout: the distribution over whole segmentations is the oracle's, and the one of its rules."""

from __future__ import annotations

import dataclasses
import heapq
import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence

import pytest
import tokenizers
from chances import agree, fits
from frozen import PROVE
from small_tokenizers import tokenizer_json

import fretsaw

DRAWS = 40_000 if PROVE else 4_000
MERGES = [("a", "b"), ("b", "a"), ("ab", "a"), ("ab", "ab"), ("a", "a"), ("c", "ab"), ("b", "b")]
SMALL = tokenizer_json(merges=MERGES)
CHARACTERS = json.dumps(
    {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": "?",
            "continuing_subword_prefix": None,
            "end_of_word_suffix": "$",
            "fuse_unk": True,
            "byte_fallback": True,
            "ignore_merges": False,
            "vocab": {
                **{"?": 0, "a": 1, "b": 2, "ab": 3, "b$": 4, "ab$": 5, "aba": 6, "abab$": 7},
                **{"<0xC3>": 8, "<0xA9>": 9, "bab$": 10},
            },
            "merges": ["a b", "a b$", "ab a", "ab ab$", "b ab$"],
        },
    }
)
REAL_WORDS = ["Hello", " tokenization", " naïve🙂", "antidisestablishmentarianism", " the"]


def ours(text: str, dropout: float, words: Sequence[str]) -> list[Counter[Hashable]]:
    tok = fretsaw.Tokenizer.from_str(text)
    tok.model = dataclasses.replace(tok.model, dropout=dropout)  # type: ignore[type-var]
    return [
        Counter(map(tuple, tok.encode_batch_ids([word] * DRAWS, seed=2**40 + place)))
        for place, word in enumerate(words)
    ]


def theirs(text: str, dropout: float, words: Sequence[str]) -> list[Counter[Hashable]]:
    oracle = tokenizers.Tokenizer.from_str(text)
    oracle.model.dropout = dropout
    return [
        Counter(tuple(encoding.ids) for encoding in oracle.encode_batch([word] * DRAWS))
        for word in words
    ]


@pytest.mark.parametrize("dropout", [0.05, 0.3, 0.5, 0.9, 0.99, 1.0])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        (SMALL, ["ab", "abab", "ababab", "aaaa", "cabbaab", "abab cab", "aaaaaaaaaaaaaaaaaaaa"]),
        (CHARACTERS, ["ab", "abab", "ababéabab", "xéab", "abababab"]),
    ],
    ids=["bytes", "characters"],
)
def test_small_vocabularies(text: str, words: list[str], dropout: float) -> None:
    for word, one, other in zip(
        words, ours(text, dropout, words), theirs(text, dropout, words), strict=True
    ):
        assert agree(one, other), word


@pytest.mark.parametrize("dropout", [0.1, 0.5, 0.95])
@pytest.mark.parametrize("name", ["gpt2", "smollm2"])
def test_real_vocabularies(name: str, dropout: float, read_file: Callable[[str], bytes]) -> None:
    text = read_file(name).decode()
    found = ours(text, dropout, REAL_WORDS), theirs(text, dropout, REAL_WORDS)
    for word, one, other in zip(REAL_WORDS, *found, strict=True):
        assert agree(one, other), word


def test_a_wrong_probability_is_seen() -> None:
    for right, wrong in ((0.3, 0.4), (0.9, 0.95)):
        assert not agree(ours(SMALL, right, ["abab"])[0], theirs(SMALL, wrong, ["abab"])[0])


Queue = tuple[tuple[int, int], ...]
State = tuple[tuple[str, ...], Queue, Queue]


def probabilities(word: str, dropout: float) -> dict[Hashable, float]:
    """How probable each segmentation is, by following every choice to its end.

    A symbol is at the place of its first character; places inside one are empty. The queue has ranks
    and places, lowest first. What is taken from it is put off, or merged if it still fits; then what
    was put off comes back.
    """
    ranks = {pair: rank for rank, pair in enumerate(MERGES)}
    start = tuple(word)
    pairs = enumerate(itertools.pairwise(start))
    first: Queue = tuple(sorted((ranks[pair], at) for at, pair in pairs if pair in ranks))
    found: dict[Hashable, float] = defaultdict(float)
    states: dict[State, float] = {(start, first, ()): 1.0}
    while states:
        after: dict[State, float] = defaultdict(float)
        for (symbols, queue, put_off), probability in states.items():
            if not queue:
                found[tuple(filter(None, symbols))] += probability
                continue
            entry, rest = queue[0], queue[1:]
            after[symbols, rest, (*put_off, entry)] += probability * dropout
            merged, new = merge(symbols, entry, ranks)
            back = tuple(heapq.merge(sorted([*put_off, *new]), rest))
            after[merged, back, ()] += probability * (1 - dropout)
        states = {state: share for state, share in after.items() if share > 1e-13}
    total = sum(found.values())
    return {outcome: share / total for outcome, share in found.items()}


def merge(
    symbols: tuple[str, ...], entry: tuple[int, int], ranks: dict[tuple[str, str], int]
) -> tuple[tuple[str, ...], list[tuple[int, int]]]:
    """The symbols after an entry's turn, and the new pairs."""
    rank, at = entry
    places = [place for place, symbol in enumerate(symbols) if symbol]
    if at not in places or at == places[-1]:
        return symbols, []
    here = places.index(at)
    right = places[here + 1]
    now = ranks.get((symbols[at], symbols[right]))
    if now is None or "".join(MERGES[now]) != "".join(MERGES[rank]):
        return symbols, []
    after = list(symbols)
    after[at], after[right] = "".join(MERGES[rank]), ""
    places.pop(here + 1)
    pairs = [(places[i], places[i + 1]) for i in (here - 1, here) if 0 <= i < len(places) - 1]
    new = [
        (ranks[after[one], after[two]], one)
        for one, two in pairs
        if (after[one], after[two]) in ranks
    ]
    return tuple(after), new


@pytest.mark.parametrize("dropout", [0.1, 0.5, 0.8])
@pytest.mark.parametrize("word", ["ab", "aba", "abab", "aaaa", "cabba"])
def test_probabilities_by_the_rules(word: str, dropout: float) -> None:
    tok = fretsaw.Tokenizer.from_str(SMALL)
    drawn = Counter(
        {
            tuple(tok.id_to_token(id_) for id_ in ids): count  # type: ignore[attr-defined]
            for ids, count in ours(SMALL, dropout, [word])[0].items()
        }
    )
    exact = probabilities(word, dropout)
    assert fits(drawn, exact)
    if len(exact) > 1:
        assert not fits(drawn, probabilities(word, min(1.0, dropout + 0.1)))
