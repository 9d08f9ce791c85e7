"""Medians and how sure they are, by the bootstrap."""

from __future__ import annotations

import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

RESAMPLES = 1000
LEVEL = 0.95


@dataclass(frozen=True)
class Interval:
    """A median, and between what it lies at a level of 95 per cent."""

    median: float
    low: float
    high: float


def interval(values: Sequence[float]) -> Interval:
    """The median and its bootstrap interval, the same each time for the same values.

    >>> interval([2.0, 2.0, 2.0])
    Interval(median=2.0, low=2.0, high=2.0)
    """
    chance = random.Random(len(values))
    medians = sorted(
        statistics.median(chance.choices(values, k=len(values))) for _ in range(RESAMPLES)
    )
    cut = int(RESAMPLES * (1 - LEVEL) / 2)
    return Interval(statistics.median(values), medians[cut], medians[-1 - cut])
