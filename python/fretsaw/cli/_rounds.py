"""Timed calls, in rounds in which all are timed in turn, so that a slow moment hits all alike."""

import gc
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

__all__ = ["Clock", "estimate", "in_turn", "paired", "rounds_of", "time_rounds", "timed"]

BUDGET_S = 10.0
"""About how long all rounds of one call may take."""
SHORT_S = 0.2
LEAST_S = 1e-7
"""No call is quicker; a coarse clock says so of some."""


Clock = Callable[[], float]


def timed(call: Callable[[], object], repeats: int = 1, clock: Clock = time.perf_counter) -> float:
    """Seconds a call; as in `timeit`, without the garbage collector, whose work grows with what
    all the libraries together have loaded."""
    gc.disable()
    try:
        start = clock()
        for _ in range(repeats):
            call()
        return (clock() - start) / repeats
    finally:
        gc.enable()


def estimate(call: Callable[[], object], clock: Clock = time.perf_counter) -> float:
    """About how long a call takes: the least of three, or the first if that is long already."""
    first = timed(call, clock=clock)
    again = [timed(call, clock=clock) for _ in range(2)] if first < SHORT_S else []
    return max(min(first, *again) if again else first, LEAST_S)


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
    [21, 5, 5, 1]
    """
    if estimate_s <= 3 * best_s:
        return max(3, min(rounds, int(BUDGET_S / estimate_s)))
    return 5 if estimate_s <= 1 else 1


def rounds_of(estimates: Mapping[str, float], rounds: int) -> dict[str, int]:
    """How often each is timed; the first is ours, and what the others get depends on the best of them.

    >>> rounds_of({"ours": 0.01, "good": 0.1, "slow": 0.5}, 21)
    {'ours': 21, 'good': 21, 'slow': 5}
    """
    best = min(list(estimates.values())[1:] or estimates.values())
    return {name: rounds_for(estimate, best, rounds) for name, estimate in estimates.items()}


def time_rounds(
    calls: Mapping[str, Callable[[], object]],
    estimates: Mapping[str, float],
    rounds: int,
    target_s: float,
    clock: Clock = time.perf_counter,
) -> dict[str, list[float]]:
    """Seconds of each call, round by round. A measurement repeats its call for about `target_s`."""
    most = rounds_of(estimates, rounds)
    repeats = {name: max(1, int(target_s / estimates[name])) for name in calls}
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for number, name in in_turn(list(calls), rounds):
        if number < most[name]:
            seconds[name].append(timed(calls[name], repeats[name], clock))
    return seconds


def paired(ours: Sequence[float], theirs: Sequence[float]) -> list[float]:
    """How many times our time another's is, round by round, as far as both have rounds."""
    return [other / our for our, other in zip(ours, theirs, strict=False)]
