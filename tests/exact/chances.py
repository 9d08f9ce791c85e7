"""Whether two lots of draws, or draws and probabilities, agree: Pearson's test over whole outcomes.

The statistic is compared with a bound that a chi-squared variable of so many degrees of freedom
passes with a probability of less than one in a thousand million (Laurent and Massart 2000, lemma 1),
so that all comparisons of the suite together raise a false alarm less than once in a million runs.
Outcomes too rare for that approximation are counted as one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping
from typing import Final

RARE: Final = 20
"""Outcomes that are expected less often are counted as one."""

FALSE_ALARM: Final = 1e-9


def bound(degrees: int) -> float:
    """What a chi-squared variable hardly ever passes."""
    x = -math.log(FALSE_ALARM)
    return degrees + 2 * math.sqrt(degrees * x) + 2 * x


def passes(statistic: float, cells: int) -> bool:
    """Whether a statistic over so many cells is one of equal distributions."""
    return cells < 2 or statistic <= bound(cells - 1)


def agree(one: Counter[Hashable], other: Counter[Hashable]) -> bool:
    """Whether two lots of draws can be of one distribution."""
    totals = one.total(), other.total()
    cells, rest = [], (0, 0)
    for outcome in one | other:
        counts = one[outcome], other[outcome]
        if min(totals) * sum(counts) >= RARE * sum(totals):
            cells.append(counts)
        else:
            rest = rest[0] + counts[0], rest[1] + counts[1]
    if sum(rest):
        cells.append(rest)
    statistic = 0.0
    for counts in cells:
        for count, total in zip(counts, totals, strict=True):
            expected = sum(counts) * total / sum(totals)
            statistic += (count - expected) ** 2 / expected
    return passes(statistic, len(cells))


def fits(draws: Counter[Hashable], probabilities: Mapping[Hashable, float]) -> bool:
    """Whether draws can be of a distribution; never where one has no probability at all."""
    assert math.isclose(sum(probabilities.values()), 1.0, rel_tol=1e-9)
    if not draws.keys() <= probabilities.keys():
        return False
    cells, rest = [], (0.0, 0.0)
    for outcome, probability in probabilities.items():
        cell = float(draws[outcome]), probability * draws.total()
        if cell[1] >= RARE:
            cells.append(cell)
        else:
            rest = rest[0] + cell[0], rest[1] + cell[1]
    if rest[1] >= 1.0:
        cells.append(rest)
    return passes(sum((count - mean) ** 2 / mean for count, mean in cells), len(cells))
