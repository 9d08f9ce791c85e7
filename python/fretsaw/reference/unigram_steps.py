"""The steps of training a unigram model: what is expected, what it is worth, what can go.

`train_unigram` says how they make a model. Scores are a dict of the pieces that are left, in the order
that decides ties. A character that is not among them is unknown.
"""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Iterator, Mapping

Scores = dict[str, float]
UNKNOWN_PENALTY = 10.0
LEAST_EXPECTED = 0.5


def expected(words: Mapping[str, int], scores: Scores) -> dict[str, float]:
    """Return how often each piece is to be expected, over all ways to cut the words."""
    sums: dict[str, float] = dict.fromkeys(scores, 0.0)
    for word, count in words.items():
        edges = [list(pieces_at(word, start, scores)) for start in range(len(word))]
        forward = [0.0] + [-math.inf] * len(word)
        for start, pieces in enumerate(edges):
            for piece, score in pieces:
                end = start + len(piece)
                forward[end] = log_sum(forward[end], forward[start] + score)
        backward = [-math.inf] * len(word) + [0.0]
        for start in reversed(range(len(word))):
            for piece, score in edges[start]:
                onward = score + backward[start + len(piece)]
                backward[start] = log_sum(backward[start], onward)
                if piece in sums:
                    sums[piece] += count * math.exp(forward[start] + onward - forward[-1])
    return sums


def pieces_at(word: str, start: int, scores: Scores) -> Iterator[tuple[str, float]]:
    """Yield pieces that start there with their scores, and the character if it is unknown."""
    if word[start] not in scores:
        yield word[start], min([0.0, *scores.values()]) - UNKNOWN_PENALTY
    longest = max(map(len, scores), default=0)
    for end in range(start + 1, min(len(word), start + longest) + 1):
        if word[start:end] in scores:
            yield word[start:end], scores[word[start:end]]


def log_sum(one: float, other: float) -> float:
    """Return the logarithm of a sum whose parts are given by logarithms; `other` is finite."""
    most = max(one, other)
    return most + math.log(math.exp(one - most) + math.exp(other - most))


def maximize(scores: Scores, counts: Mapping[str, float], keep_all: bool) -> Scores:
    """Return scores by expected counts; what is expected too seldom goes, or only characters do."""
    kept = {
        piece: max(counts[piece], LEAST_EXPECTED)
        for piece in scores
        if float32(counts[piece]) >= LEAST_EXPECTED or (keep_all and len(piece) > 1)
    }
    of_all = digamma(sum(kept.values())) if kept else 0.0
    return {piece: rounded(digamma(count) - of_all) for piece, count in kept.items()}


def cut(
    words: Mapping[str, int], scores: Scores, longer_left: int, keep_unused: bool = False
) -> Scores:
    """Return the characters and the `longer_left` longer pieces that would be missed most.

    Longer pieces that are on no best way stay only with `keep_unused`, behind all others.
    """
    uses: Counter[str] = Counter()
    for word, count in words.items():
        for piece in best_way(word, scores):
            uses[piece] += count
    longer = [piece for piece in scores if len(piece) > 1 and (uses[piece] or keep_unused)]
    losses = {piece: loss(piece, uses, scores) if uses[piece] else -math.inf for piece in longer}
    longer.sort(key=lambda piece: -losses[piece])
    stay = set(longer[: max(0, longer_left)])
    return {piece: score for piece, score in scores.items() if len(piece) == 1 or piece in stay}


def loss(piece: str, uses: Mapping[str, int], scores: Scores) -> float:
    """Return how much less likely the text is if the piece becomes the best way without it."""
    without = best_way(piece, {other: scores[other] for other in scores if other != piece})
    total = sum(uses.values())
    total_without = total + uses[piece] * (len(without) - 1)
    as_it_is = math.log(uses[piece]) - math.log(total)
    instead = sum(math.log(uses.get(other, 0) + uses[piece]) for other in without)
    instead -= len(without) * math.log(total_without)
    return float32(uses[piece] * (as_it_is - instead))


def best_way(word: str, scores: Scores) -> list[str]:
    """Return the pieces with the highest sum; of equal ways to a place the longest last piece."""
    best = [0.0] + [-math.inf] * len(word)
    last = [""] * (len(word) + 1)
    for start in range(len(word)):
        for piece, score in pieces_at(word, start, scores):
            end = start + len(piece)
            if best[start] + score > best[end]:
                best[end], last[end] = best[start] + score, piece
    way: list[str] = []
    end = len(word)
    while end:
        way.append(last[end])
        end -= len(last[end])
    return way


def float32(number: float) -> float:
    """Return the nearest 32-bit float."""
    return float(struct.unpack("f", struct.pack("f", number))[0])


def rounded(score: float) -> float:
    """Return the nearest multiple of 2^-20."""
    return round(score * 2**20) / 2**20


def digamma(x: float) -> float:
    """Return the logarithmic derivative of the gamma function, for x > 0.

    >>> round(digamma(1.0), 6)
    -0.577216
    """
    below = 0.0
    while x < 7:
        below -= 1 / x
        x += 1
    square = 1 / (x - 0.5) ** 2
    series = square / 24 - square**2 * 7 / 960 + square**3 * 31 / 8064 - square**4 * 127 / 30720
    return below + math.log(x - 0.5) + series
