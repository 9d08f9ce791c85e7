"""Sampling follows from its seed and has sentencepiece's distribution."""

from __future__ import annotations

import collections
import math

import pytest
import sentencepiece
from chances import agree
from sentencepiece_both import Both
from sentencepiece_trained import trained

DRAWS = 4000


@pytest.mark.parametrize(
    ("model_type", "nbest_size", "alpha"),
    [
        ("unigram", -1, 0.3),
        ("unigram", -1, 0.0),
        ("unigram", 5, 0.5),
        ("bpe", -1, 0.2),
        ("bpe", 4, 0.5),
    ],
)
def test_distribution(model_type: str, nbest_size: int, alpha: float) -> None:
    both = Both(trained(model_type, "plain"))
    sentencepiece.set_random_generator_seed(11)
    options = {"enable_sampling": True, "nbest_size": nbest_size, "alpha": alpha}
    text = "tokens again 漢"
    theirs = collections.Counter(tuple(both.theirs.encode(text, **options)) for _ in range(DRAWS))
    ours = collections.Counter(
        tuple(
            id
            for id, *_ in both.ours.sample_pieces(
                text, nbest_size=nbest_size, alpha=alpha, seed=seed
            )
        )
        for seed in range(DRAWS)
    )
    assert len(ours) > 2
    assert agree(ours, theirs)


def test_what_can_be_asked() -> None:
    both = Both(trained("unigram", "plain"))
    assert both.ours.sample_pieces("tokens", seed=3) == both.ours.sample_pieces("tokens", seed=3)
    plain = both.ours.encode_pieces("tokens again")
    for size in (0, 1):
        assert both.ours.sample_pieces("tokens again", nbest_size=size, alpha=0.1) == plain
    bpe = Both(trained("bpe", "plain")).ours
    assert bpe.sample_pieces("tokens again", alpha=0.0) == bpe.encode_pieces("tokens again")
    assert [piece for _, piece, *_ in bpe.sample_pieces("ab a", alpha=1.0)] == [*"▁ab▁a"]
    for alpha in (-0.5, math.nan, math.inf):
        with pytest.raises(ValueError, match="alpha"):
            bpe.sample_pieces("a", alpha=alpha)
    with pytest.raises(ValueError, match="one way"):
        bpe.nbest_pieces("a", 3)
    with pytest.raises(ValueError, match="one way"):
        Both(trained("char", "plain")).ours.sample_pieces("a")
