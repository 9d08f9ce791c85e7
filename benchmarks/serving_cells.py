"""The cells about serving: streams, decoding, counts, texts that grow, an index of a text.

`push` and `decode` are measured beside the libraries that have such calls, whose text must equal Hugging
Face's; a round gives the time of an id, and that of all ids. The others compare two calls of fretsaw, as
their groups say. What takes time beside the call, as copying a text that grows, is not timed.
"""

from __future__ import annotations

import itertools
import random
import statistics
from collections.abc import Callable, Mapping
from typing import Any

import fretsaw
from fretsaw.cli._peers import Peer, leaving_out
from fretsaw.cli._rounds import Clock, estimate, time_rounds, timed

OURS = "fretsaw"
MOST_IDS = 10_000
PARTS = 400
"""How many parts of a text are counted in a round."""
COPIES = 16
"""How many copies of a text are extended in a round."""

Seconds = dict[str, list[float]]


def calls_on_ids(
    peers: Mapping[str, Peer], output: str, ids: list[int], out: dict[str, str], wanted: str
) -> dict[str, Callable[[], object]]:
    """The call of every library whose text is the wanted one; why others are out goes to `out`."""
    calls: dict[str, Callable[[], object]] = {}
    for name, peer in peers.items():
        if name in out:
            continue
        call = peer.stream if output == "push" else peer.decode
        if call is None:
            out[name] = "has no stream" if output == "push" else "does not decode"
            continue
        with leaving_out(name, out):
            if call(ids) == wanted:
                calls[name] = lambda call=call: call(ids)
            else:
                out[name] = "other text"
    return calls


def decode_threads(
    tok: fretsaw.Tokenizer, rows: list[list[int]], rounds: int, target_s: float
) -> Seconds:
    """`decode_batch` on two threads and on one."""
    calls: dict[str, Callable[[], object]] = {
        OURS: lambda: tok.decode_batch(rows, threads=2),
        "one thread": lambda: tok.decode_batch(rows, threads=1),
    }
    return in_rounds(calls, rounds, target_s)


def count(
    tok: fretsaw.Tokenizer, texts: list[str], rounds: int, target_s: float, clock: Clock
) -> Seconds:
    """`count` and `encode_ids` of the same texts."""
    assert [tok.count(text) for text in texts] == [len(tok.encode_ids(text)) for text in texts]
    calls: dict[str, Callable[[], object]] = {
        OURS: lambda: [tok.count(text) for text in texts],
        "encode_ids": lambda: [tok.encode_ids(text) for text in texts],
    }
    return in_rounds(calls, rounds, target_s, clock)


def extend(tok: fretsaw.Tokenizer, text: str, rounds: int, clock: Clock) -> Seconds:
    """The last 100 characters of a text added to the rest, and all of it encoded anew."""
    start = tok.start(text[:-100])
    whole = tok.encode_ids(text)
    found: Seconds = {OURS: [], "encode_ids": []}
    for _ in range(rounds):
        copies = [start.copy() for _ in range(COPIES)]
        each = iter(copies)
        found[OURS].append(
            timed(lambda each=each: tok.extend(next(each), text[-100:]), COPIES, clock)
        )
        found["encode_ids"].append(timed(lambda: tok.encode_ids(text), 1, clock))
        assert copies[0].ids == whole
    return found


def index(tok: fretsaw.Tokenizer, text: str, rounds: int, clock: Clock) -> Seconds:
    """How many times the median of counting any part of a short text that of a long one is."""
    both = [tok.index(text[: len(text) // 100]), tok.index(text)]
    ratios = []
    for number in range(rounds):
        short, long = (_any_part(of, random.Random(number), clock) for of in both)
        ratios.append(long / short)
    return {OURS: ratios}


def _any_part(of: fretsaw.TextIndex, source: random.Random, clock: Clock) -> float:
    """The median over some parts of a text."""
    ends = [sorted(source.choices(range(len(of) + 1), k=2)) for _ in range(PARTS)]
    return statistics.median(
        timed(lambda start=start, end=end: of.count(start, end), 1, clock) for start, end in ends
    )


def in_rounds(
    calls: Mapping[str, Callable[[], Any]],
    rounds: int,
    target_s: float,
    *clock: Clock,
) -> Seconds:
    """Some calls in turn."""
    estimates = {name: estimate(call, *clock) for name, call in calls.items()}
    return time_rounds(calls, estimates, rounds, target_s, *clock)


def repeated(text: str, size: int) -> str:
    """A text again and again, up to a size in characters."""
    return "".join(itertools.islice(itertools.cycle([text]), size // max(1, len(text)) + 1))[:size]
