"""Counting pieces of text on a Ray cluster, for training on one machine.

A shard is a task; counts are merged by twos where they are, and one `PieceCounts` comes back.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import fretsaw
from fretsaw import PieceCounts, TrainError

__all__ = ["count_pieces"]

WAITING_PER_CPU = 2
"""How many shards a processor may have before it, so that those of an iterator do not pile up."""


def count_pieces(shards: Iterable[Any], *, threads: int = 1, **options: Any) -> PieceCounts:
    """Count the pieces of shards, each a source of `fretsaw.count_pieces`, whose options these are.

    A shard that is a path has to be there on every machine. A task takes `threads` processors. Ray is
    started on this machine if it is not yet. The result is that of counting everything in one place,
    but for `max_distinct`, which bounds each shard.

    Raises what `fretsaw.count_pieces` raises, and `TrainError` without Ray.

    >>> from fretsaw.integrations.ray import count_pieces
    >>> count_pieces([["a b"], ["b b"]]).as_dict()  # doctest: +SKIP
    {'a': 1, 'b': 1, 'Ġb': 2}
    """
    ray = _needed()
    if not ray.is_initialized():
        ray.init()
    count = ray.remote(num_cpus=threads)(_count)
    merge = ray.remote(num_cpus=1)(_sum)
    most = WAITING_PER_CPU * max(2, int(ray.cluster_resources().get("CPU", 1)))
    pending: list[Any] = []
    for shard in shards:
        pending.append(count.remote(shard, threads, options))
        if len(pending) > most:
            pending = _merged(ray, merge, pending)
    while len(pending) > 1:
        pending = _merged(ray, merge, pending)
    if not pending:
        return PieceCounts({})
    counts: PieceCounts = ray.get(pending[0])
    return counts


def _needed() -> Any:
    try:
        import ray  # type: ignore[import-not-found, unused-ignore]
    except ModuleNotFoundError:
        raise TrainError("counting on a cluster needs Ray: pip install 'fretsaw[ray]'") from None
    return ray


def _count(shard: Any, threads: int, options: dict[str, Any]) -> PieceCounts:
    return fretsaw.count_pieces(shard, threads=threads, **options)


def _sum(first: PieceCounts, second: PieceCounts) -> PieceCounts:
    return first.merge(second)


def _merged(ray: Any, merge: Any, pending: list[Any]) -> list[Any]:
    """The counts still to come, with the first two that are there merged by a task."""
    done, rest = ray.wait(pending, num_returns=2)
    ray.get(done)
    return [*rest, merge.remote(*done)]
