"""What serving costs beside encoding: streams, decoding, counts, growing texts, an index.

Each line is the median of rounds in which ours and the oracle's call, if it has one, take turns, in
microseconds a call; results are compared first. Run with `python benchmarks/serving.py [--rounds N]`; the
last line is JSON.

Peers other than Hugging Face have no such calls, or are measured by `run.py`.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

import tokenizers
from corpora import whole
from tokenizers.decoders import DecodeStream

import fretsaw

Call = Callable[[], object]


def timed(calls: dict[str, Call], rounds: int, per_call: int) -> dict[str, float]:
    """The median of each call, in microseconds, divided by how many things one call does."""
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(found) / per_call * 1e6 for name, found in seconds.items()}


def streams(
    tok: fretsaw.Tokenizer, oracle: tokenizers.Tokenizer, ids: list[int]
) -> dict[str, Call]:
    """All ids one by one: plain, with stops, and the oracle's stream."""

    def ours(**options: Any) -> str:
        push = tok.stream(**options).push
        return "".join([push(id_) for id_ in ids])

    def theirs() -> str:
        step = DecodeStream(skip_special_tokens=True).step
        return "".join([step(oracle, id_) or "" for id_ in ids])

    assert ours() == theirs()
    with_stops = {"stop": ["\nUser:", "<|im_end|>"]}
    return {"push": ours, "push, with stops": lambda: ours(**with_stops), "oracle": theirs}


def any_part(index: fretsaw.TextIndex) -> float:
    """The median over many parts of a text."""
    source = random.Random(0)
    seconds = []
    for _ in range(2_000):
        start, end = sorted(source.choices(range(len(index) + 1), k=2))
        began = time.perf_counter()
        index.count(start, end)
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds) * 1e6


def measured(rounds: int) -> dict[str, dict[str, float]]:
    """Every line: names of calls and their microseconds."""
    tok = fretsaw.get("gpt2")
    oracle = tokenizers.Tokenizer.from_str(tok.to_str())
    text = whole(["en_prose"]).decode()[:2_000_000]
    ids = tok.encode_ids(text[:100_000])[:10_000]
    rows = [ids] * 32
    assert tok.decode(ids) == oracle.decode(ids)
    found = {
        "stream, one id": timed(streams(tok, oracle, ids), rounds, len(ids)),
        "decode of 10,000 ids": timed(
            {"decode": lambda: tok.decode(ids), "oracle": lambda: oracle.decode(ids)}, rounds, 1
        ),
        "decode_batch of 32 times as many": timed(
            {
                "one thread": lambda: tok.decode_batch(rows, threads=1),
                "two threads": lambda: tok.decode_batch(rows, threads=2),
            },
            rounds,
            1,
        ),
        "64 KiB": timed(
            {
                "count": lambda: tok.count(text[:65_536]),
                "encode_ids": lambda: tok.encode_ids(text[:65_536]),
            },
            rounds,
            1,
        ),
    }
    conversation, more = text[:100_000], text[100_000:100_100]
    grown = [tok.start(conversation) for _ in range(rounds)]
    each = iter(grown)
    found["100 characters behind 100 KB"] = timed(
        {
            "extend": lambda: tok.extend(next(each), more),
            "encode_ids": lambda: tok.encode_ids(conversation + more),
        },
        rounds,
        1,
    )
    indexes = {"100 KB": tok.index(conversation), "10 MB": tok.index(text * 5)}
    found["index.count"] = {name: any_part(index) for name, index in indexes.items()}
    return found


def main() -> None:
    """Prints a table, and the same as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    found = measured(parser.parse_args().rounds)
    for name, calls in found.items():
        figures = ", ".join(f"{call} {microseconds:,.2f}" for call, microseconds in calls.items())
        print(f"{name}: {figures} µs")
    print(json.dumps(found))


if __name__ == "__main__":
    main()
