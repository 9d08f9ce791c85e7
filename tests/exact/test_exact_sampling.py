"""Unigram sampling: the distribution over whole segmentations is the oracle's, and that of its rules.

An outcome is the ids and the token strings.
"""

from __future__ import annotations

import copy
import dataclasses
import json
import math
import random
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import pytest
import tokenizers
from chances import agree, fits
from frozen import PROVE
from small_tokenizers import unless_it_panics

import fretsaw

DRAWS = 40_000 if PROVE else 4_000
ALPHAS = [0.02, 0.2, 0.5, 0.9, 1.0]
SIZES = [None, 1, 2, 5, 64]
VOCAB: list[tuple[str, float]] = [
    *[("<unk>", 0.0), ("a", -1.0), ("b", -1.5), ("ab", -2.1), ("ba", -2.0), ("aba", -2.9)],
    *[("bb", -3.0), ("c", -2.5), ("aa", -2.0), ("xy", -3.0), ("é", -7.0), ("éa", -4.0)],
]
BYTES = [*VOCAB, *((f"<0x{byte:02X}>", -6.0) for byte in (0x78, 0xE6, 0x97, 0xA5))]
TEXTS = ["abab", "aaaaa", "éabéa", "xabxyzab", "日ab日語", "a<unk>x<unk>>b"]
WORDS = ["▁tokenization", "Hello", "▁unbelievably", "▁日本語のテキスト", "aaaaaaaaaa"]

LoadFile = Callable[[str], bytes]


def document(vocab: list[tuple[str, float]], unk_id: int | None = 0, **fields: Any) -> str:
    """A tokenizer.json of nothing but a model; its vocabulary falls back to bytes if it has some."""
    fallback = any(token.startswith("<0x") for token, _ in vocab)
    around = ("normalizer", "pre_tokenizer", "post_processor", "decoder", "truncation", "padding")
    model = {"type": "Unigram", "unk_id": unk_id, "byte_fallback": fallback, "vocab": vocab}
    return json.dumps(
        {
            **{"version": "1.0", "added_tokens": []},
            **dict.fromkeys(around),
            "model": model,
            **fields,
        }
    )


def with_sampling(
    tok: fretsaw.Tokenizer, alpha: float | None, nbest_size: int | None
) -> fretsaw.Tokenizer:
    tok = copy.copy(tok)
    tok.model = dataclasses.replace(tok.model, alpha=alpha, nbest_size=nbest_size)  # type: ignore[type-var]
    return tok


def ours(text: str, alpha: float | None, nbest_size: int | None) -> fretsaw.Tokenizer:
    return with_sampling(fretsaw.Tokenizer.from_str(text), alpha, nbest_size)


def theirs(text: str, alpha: float | None, nbest_size: int | None) -> tokenizers.Tokenizer:
    oracle = tokenizers.Tokenizer.from_str(text)
    oracle.model.alpha = alpha
    oracle.model.nbest_size = nbest_size
    return oracle


def draws(tok: fretsaw.Tokenizer, text: str, count: int = DRAWS) -> Counter[Hashable]:
    encodings = tok.encode_batch([text] * count, seed=count)
    return Counter((tuple(encoding.ids), tuple(encoding.tokens)) for encoding in encodings)


def oracle_draws(oracle: tokenizers.Tokenizer, text: str, count: int = DRAWS) -> Counter[Hashable]:
    encodings = oracle.encode_batch([text] * count)
    return Counter((tuple(encoding.ids), tuple(encoding.tokens)) for encoding in encodings)


@pytest.mark.parametrize("nbest_size", SIZES)
@pytest.mark.parametrize("alpha", ALPHAS)
def test_small_vocabularies(alpha: float, nbest_size: int | None) -> None:
    for vocab in (VOCAB, BYTES):
        text = document(vocab)
        tok, oracle = ours(text, alpha, nbest_size), theirs(text, alpha, nbest_size)
        for word in TEXTS:
            assert agree(draws(tok, word), oracle_draws(oracle, word)), word


@pytest.mark.parametrize("seed", range(400 if PROVE else 40))
def test_random_vocabularies_with_ties(seed: int) -> None:
    # Of equal ways it depends on the queue which are among the best.
    source = random.Random(f"sampling {seed}")
    letters = "abcé"[: source.randint(1, 4)]
    longer = {"".join(source.choices(letters, k=source.randint(1, 4))) for _ in range(10)}
    vocab = [("u", -1.0), *((token, -float(source.randint(1, 3))) for token in sorted(longer))]
    text = document(vocab)
    for nbest_size in (2, 3, 7):
        tok, oracle = ours(text, 0.1, nbest_size), theirs(text, 0.1, nbest_size)
        for _ in range(3):
            word = "".join(source.choices(letters + "uz", k=source.randint(3, 12)))
            one, other = draws(tok, word, 600), oracle_draws(oracle, word, 600)
            # A way that is drawn so often by one is missed by the other once in 100,000 times.
            often = {way for way, count in [*one.items(), *other.items()] if count > 12}
            assert often <= one.keys() & other.keys(), (vocab, word)
            assert agree(one, other), (vocab, word)


@pytest.mark.parametrize("nbest_size", [None, 8])
@pytest.mark.parametrize("name", ["t5-small", "xlm-roberta", "albert-v5save"])
def test_real_vocabularies(
    name: str,
    nbest_size: int | None,
    load: Callable[[str], fretsaw.Tokenizer],
    read_file: LoadFile,
) -> None:
    tok = with_sampling(load(name), 0.2, nbest_size)
    oracle = theirs(read_file(name).decode(), 0.2, nbest_size)
    oracle.no_truncation()
    oracle.no_padding()
    for word in WORDS:
        assert agree(draws(tok, word), oracle_draws(oracle, word)), word


def test_a_wrong_alpha_is_seen() -> None:
    text = document(VOCAB)
    for nbest_size, right, wrong in ((None, 0.1, 0.7), (5, 0.2, 3.0), (64, 0.2, 1.0)):
        other = oracle_draws(theirs(text, wrong, nbest_size), "ababba")
        assert not agree(draws(ours(text, right, nbest_size), "ababba"), other)


def test_another_number_of_ways_is_seen() -> None:
    text = document(VOCAB)
    assert not agree(
        draws(ours(text, 0.2, 5), "ababba"), oracle_draws(theirs(text, 0.2, 6), "ababba")
    )


Way = tuple[int, ...]
SCORES = dict(VOCAB)
IDS = {token: place for place, (token, _) in enumerate(VOCAB)}


def ways(text: str) -> Iterator[tuple[str, ...]]:
    """Every way to cut a text of known characters."""
    if not text:
        yield ()
    for token in SCORES:
        if text.startswith(token):
            yield from ((token, *rest) for rest in ways(text[len(token) :]))


def outcome(way: tuple[str, ...]) -> Hashable:
    return tuple(IDS[token] for token in way), way


def of_all_ways(text: str, alpha: float) -> dict[Hashable, float]:
    """The probability of each way where any may be chosen, by the oracle's rules."""
    sums = [0.0]
    for end in range(1, len(text) + 1):
        terms = [
            alpha * (score + sums[end - len(token)])
            for token, score in SCORES.items()
            if text[:end].endswith(token)
        ]
        sums.append(math.log(sum(map(math.exp, terms))))

    def weight(token: str, end: int) -> float:
        return math.exp(sums[end - len(token)] + alpha * SCORES[token])

    found: dict[Hashable, float] = {}
    for way in ways(text):
        probability, end = 1.0, len(text)
        for token in reversed(way):
            total = sum(weight(other, end) for other in SCORES if text[:end].endswith(other))
            probability *= weight(token, end) / total
            end -= len(token)
        found[outcome(way)] = probability
    return found


def of_best_ways(text: str, alpha: float, count: int) -> dict[Hashable, float]:
    """The probability of each of the best ways; there is no tie at the last."""
    scored = sorted(
        ((sum(SCORES[token] for token in way), way) for way in ways(text)), reverse=True
    )
    assert len(scored) <= count or scored[count - 1][0] - scored[count][0] > 1e-9
    weights = {outcome(way): math.exp(alpha * score) for score, way in scored[:count]}
    return {way: weight / sum(weights.values()) for way, weight in weights.items()}


@pytest.mark.parametrize("word", ["ab", "abab", "ababba", "éaba", "bbaabab"])
def test_probabilities_by_the_rules(word: str) -> None:
    text = document(VOCAB)
    for alpha in (0.1, 0.5, 1.0):
        assert fits(draws(ours(text, alpha, None), word), of_all_ways(word, alpha)), alpha
        assert fits(draws(ours(text, alpha, 10**6), word), of_best_ways(word, alpha, 10**6)), alpha
    assert fits(draws(ours(text, 0.3, 2), "abab"), of_best_ways("abab", 0.3, 2))
    assert not fits(draws(ours(text, 0.1, None), "ababba"), of_all_ways("ababba", 0.6))


@pytest.mark.parametrize(("alpha", "nbest_size"), [(None, None), (None, 7), (0.0, None), (0.0, 7)])
def test_without_alpha_it_is_the_best_way(alpha: float | None, nbest_size: int | None) -> None:
    text = document(VOCAB)
    tok, oracle = ours(text, alpha, nbest_size), theirs(text, alpha, nbest_size)
    for word in TEXTS:
        assert set(draws(tok, word, 5)) == set(oracle_draws(oracle, word, 5))


@pytest.mark.parametrize("nbest_size", [None, 1, 2, 5])
@pytest.mark.parametrize("word", ["", "ab", "abz", "zzz", "abxy", "xab", "xy"])
def test_without_an_unknown_token(word: str, nbest_size: int | None) -> None:
    # The oracle has an exception for this, or panics over it, or finds nothing.
    text = document(VOCAB, unk_id=None)
    tok, oracle = ours(text, 0.5, nbest_size), theirs(text, 0.5, nbest_size)
    try:
        expected = unless_it_panics(lambda: oracle.encode(word).ids)
    except Exception:
        expected = None
    if expected is None:
        with pytest.raises(fretsaw.EncodeError, match="unknown token"):
            tok.encode(word, seed=1)
    else:
        assert tok.encode_ids(word, seed=1) == expected


@pytest.mark.parametrize("alpha", [1.5, 4.0, 1e300])
def test_where_the_oracle_panics_is_an_error(alpha: float) -> None:
    text = document(VOCAB)
    word = "abab" * 20
    assert unless_it_panics(lambda: theirs(text, alpha, None).encode(word).ids) is None
    with pytest.raises(fretsaw.EncodeError, match="can't be weighted"):
        ours(text, alpha, None).encode(word, seed=1)
    # Of the best ways it takes the best, there and here.
    best = theirs(text, alpha, 4).encode(word).ids if alpha > 4 else None
    assert best is None or ours(text, alpha, 4).encode_ids(word, seed=1) == best


def test_long_pieces() -> None:
    text = document(VOCAB)
    for word in ("ab" * 2000, "a" * 300, "z" * 5000):
        for nbest_size in (None, 1, 16):
            tok = ours(text, 0.1, nbest_size)
            encoding = tok.encode(word, seed=3)
            assert "".join(encoding.tokens) == word
