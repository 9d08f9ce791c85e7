"""Timed calls, in rounds in which all are timed in turn, so that a slow moment hits all alike."""

import gc
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

__all__ = ["in_turn", "paired", "time_rounds", "timed"]

BUDGET_S = 10.0
"""About how long all rounds of one call may take."""


def timed(call: Callable[[], object], repeats: int = 1) -> float:
    """Seconds a call; as in `timeit`, without the garbage collector, whose work grows with what
    all the libraries together have loaded."""
    gc.disable()
    try:
        start = time.perf_counter()
        for _ in range(repeats):
            call()
        return (time.perf_counter() - start) / repeats
    finally:
        gc.enable()


def in_turn(names: Sequence[str], rounds: int) -> Iterator[tuple[int, str]]:
    """The names in each round, in an order that changes.

    >>> list(in_turn(["a", "b"], 2))
    [(0, 'a'), (0, 'b'), (1, 'b'), (1, 'a')]
    """
    for number in range(rounds):
        turn = number % len(names)
        for name in [*names[turn:], *names[:turn]]:
            yield number, name


def rounds_for(estimate_s: float, best_s: float, rounds: int) -> int:
    """How often a call is timed: less often if it can't be the best, or takes long.

    >>> [rounds_for(*case, 21) for case in ((0.1, 0.1), (2.0, 1.0), (1.0, 0.1), (5.0, 0.1))]
    [21, 5, 3, 1]
    """
    if estimate_s <= 3 * best_s:
        return max(3, min(rounds, int(BUDGET_S / estimate_s)))
    return 3 if estimate_s <= 1 else 1


def time_rounds(
    calls: Mapping[str, Callable[[], object]],
    estimates: Mapping[str, float],
    rounds: int,
    target_s: float,
) -> dict[str, list[float]]:
    """Seconds of each call, round by round. A measurement repeats its call for about `target_s`.

    The first call is ours: how often the others are timed depends on the best of them.
    """
    best = min(list(estimates.values())[1:] or estimates.values())
    most = {name: rounds_for(estimates[name], best, rounds) for name in calls}
    repeats = {name: max(1, int(target_s / estimates[name])) for name in calls}
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for number, name in in_turn(list(calls), rounds):
        if number < most[name]:
            seconds[name].append(timed(calls[name], repeats[name]))
    return seconds


def paired(ours: Sequence[float], theirs: Sequence[float]) -> list[float]:
    """How many times our time another's is, round by round, as far as both have rounds."""
    return [other / our for our, other in zip(ours, theirs, strict=False)]
