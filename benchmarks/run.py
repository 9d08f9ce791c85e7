"""Times fretsaw beside the libraries that people use, and checks that all give the same ids.

A cell is one kind of request: 140 bytes, many times 140 bytes, 4 KiB and more, in three texts. Before
a cell is timed, every library's ids are compared with those of Hugging Face tokenizers; who differs
is named and left out. Then come rounds: in each, every library is timed in turn, in an order that
changes, so that a slow moment hits all alike. Reported are the median of the rounds with minimum and
maximum, and the median of the ratios of each round. "Warm" inputs were encoded before by the same
tokenizer; "cold" ones meet one that was just loaded. Ids come as lists of int everywhere.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpora import MIB, NAMES, Cell, Corpus, cells_of, load_corpus
from peers import PEERS, Peer, load_peers, versions

FIXTURES = Path(__file__).parent.parent / "tests" / "fixtures"
ORACLE = "tokenizers"
WANTED_RATIOS = {"64 KiB": 60.0, "512 x 140 bytes": 25.0}
"""What `--check` asks of fretsaw against Hugging Face tokenizers: GPT-2, English, warm."""


@dataclass
class Result:
    """The times of one cell, in seconds a call, one for each round."""

    tokenizer: str
    corpus: str
    cell: Cell
    seconds: dict[str, list[float]]
    left_out: dict[str, str] = field(default_factory=dict)

    def ratio(self, name: str) -> float:
        """How many times the time of fretsaw another library takes, median over rounds."""
        pairs = zip(self.seconds[name], self.seconds["fretsaw"], strict=True)
        return statistics.median(other / ours for other, ours in pairs)

    def as_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        return {
            "tokenizer": self.tokenizer,
            "corpus": self.corpus,
            "cell": self.cell.label,
            "bytes": self.cell.size_bytes,
            "state": "cold" if self.cell.cold else "warm",
            "left_out": self.left_out,
            "peers": {
                name: {
                    "median_s": statistics.median(times),
                    "min_s": min(times),
                    "max_s": max(times),
                    "mb_per_s": self.cell.size_bytes / statistics.median(times) / 1e6,
                    "times_fretsaw": self.ratio(name),
                }
                for name, times in self.seconds.items()
            },
        }


def call_of(peer: Peer, cell: Cell) -> Callable[[], object]:
    """What is timed."""
    if cell.batch:
        texts = list(cell.texts)
        return lambda: peer.batch(texts)
    [text] = cell.texts
    return lambda: peer.one(text)


def ids_of(peer: Peer, cell: Cell) -> list[list[int]]:
    """The ids of a cell, the way they are timed."""
    return peer.batch(list(cell.texts)) if cell.batch else [peer.one(cell.texts[0])]


def agreeing(peers: dict[str, Peer], cell: Cell) -> tuple[dict[str, Peer], dict[str, str]]:
    """Who gives the oracle's ids, and why the others are left out."""
    wanted = ids_of(peers[ORACLE], cell)
    kept: dict[str, Peer] = {}
    left_out: dict[str, str] = {}
    for name, peer in peers.items():
        try:
            if ids_of(peer, cell) == wanted:
                kept[name] = peer
            else:
                left_out[name] = "other ids"
        except Exception as error:
            left_out[name] = f"fails: {error}"
    if "fretsaw" not in kept:
        raise SystemExit(f"fretsaw in {cell.label}: {left_out['fretsaw']}")
    return kept, left_out


def timed(call: Callable[[], object], repeats: int) -> float:
    """Seconds a call; as in `timeit`, without the garbage collector, whose work grows with what
    all the other libraries have loaded."""
    gc.disable()
    try:
        start = time.perf_counter()
        for _ in range(repeats):
            call()
        return (time.perf_counter() - start) / repeats
    finally:
        gc.enable()


def time_warm(
    peers: dict[str, Peer], cell: Cell, rounds: int, target_s: float
) -> dict[str, list[float]]:
    """Interleaved rounds; each measurement repeats its call for about `target_s`."""
    calls = {name: call_of(peer, cell) for name, peer in peers.items()}
    repeats = {name: max(1, int(target_s / timed(call, 1))) for name, call in calls.items()}
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    names = list(calls)
    for number in range(rounds):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            seconds[name].append(timed(calls[name], repeats[name]))
    return seconds


def time_cold(names: list[str], file: bytes, cell: Cell, rounds: int) -> dict[str, list[float]]:
    """Interleaved rounds, each with a tokenizer that was just loaded; loading is not timed."""
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for number in range(rounds):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            seconds[name].append(timed(call_of(PEERS[name](file), cell), 1))
    return seconds


def measure(tokenizer: str, corpora: list[Corpus], options: argparse.Namespace) -> list[Result]:
    """All cells of one tokenizer."""
    file = gzip.decompress((FIXTURES / f"{tokenizer}.json.gz").read_bytes())
    peers, missing = load_peers(file)
    if not {"fretsaw", ORACLE} <= set(peers):
        raise SystemExit(f"needs fretsaw and {ORACLE}: {missing}")
    results = []
    for corpus in corpora:
        for cell in cells_of(corpus, options.quick):
            kept, left_out = agreeing(peers, cell)
            if cell.cold:
                rounds = 1 if options.quick else options.rounds
                seconds = time_cold(list(kept), file, cell, rounds)
            else:
                seconds = time_warm(kept, cell, options.rounds, options.target_ms / 1e3)
            result = Result(tokenizer, corpus.name, cell, seconds, {**missing, **left_out})
            print_result(result)
            results.append(result)
    return results


def print_result(result: Result) -> None:
    """One block of the table."""
    state = "cold" if result.cell.cold else "warm"
    print(f"\n{result.tokenizer}, {result.corpus}, {result.cell.label} ({state})")
    for name, times in result.seconds.items():
        median = statistics.median(times)
        print(
            f"  {name:<11} {median * 1e6:>12,.2f} us  ({min(times) * 1e6:,.2f} to "
            f"{max(times) * 1e6:,.2f})  {result.cell.size_bytes / median / 1e6:>8,.1f} MB/s  "
            f"{result.ratio(name):>7.2f} x fretsaw's time"
        )
    for name, reason in result.left_out.items():
        print(f"  {name:<11} left out: {reason}")


def cpu_model() -> str:
    """The processor's name, where the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())


def setting(corpora: list[Corpus], names: list[str], options: argparse.Namespace) -> dict[str, Any]:
    """What the numbers depend on."""
    return {
        "cpu": cpu_model(),
        "threads": len(os.sched_getaffinity(0)),
        "threads_used": "single texts: 1; batches: each library's default",
        "python": platform.python_version(),
        "versions": versions(names),
        "rounds": options.rounds,
        "quick": options.quick,
        "corpora": {
            corpus.name: {
                "bytes": len(corpus.text.encode()),
                "sha256": corpus.sha256,
                "source": corpus.source,
            }
            for corpus in corpora
        },
    }


def too_slow(results: list[Result]) -> list[str]:
    """The cells where fretsaw is less far ahead of the oracle than it must be."""
    found = []
    for result in results:
        wanted = WANTED_RATIOS.get(result.cell.label)
        if wanted and (result.tokenizer, result.corpus) == ("gpt2", "en_prose"):
            ratio = result.ratio(ORACLE)
            if ratio < wanted:
                found.append(f"{result.cell.label}: {ratio:.1f} times, wanted {wanted:.0f}")
    return found


def parse_arguments() -> argparse.Namespace:
    """Command line."""
    parser = argparse.ArgumentParser(description="Time fretsaw beside other libraries.")
    parser.add_argument("--tokenizers", nargs="+", default=["gpt2", "smollm2"], metavar="NAME")
    parser.add_argument("--texts", nargs="+", default=list(NAMES), choices=NAMES, metavar="TEXT")
    parser.add_argument("--rounds", type=int, default=7, help="at least 5")
    parser.add_argument("--target-ms", type=float, default=30.0, help="of one measurement")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers to a file")
    parser.add_argument("--quick", action="store_true", help="small inputs, to see that it runs")
    parser.add_argument("--check", action="store_true", help="exit with 1 if fretsaw is too slow")
    options = parser.parse_args()
    if options.rounds < 5:
        parser.error("--rounds must be 5 or more")
    if options.check and options.quick:
        parser.error("--check needs the full sizes, not --quick")
    if options.quick:
        options.target_ms = min(options.target_ms, 0.2)
    return options


def main() -> int:
    """Runs, prints, and writes what was asked for."""
    options = parse_arguments()
    corpora = [load_corpus(name, 32_768 if options.quick else 2 * MIB) for name in options.texts]
    results = [result for name in options.tokenizers for result in measure(name, corpora, options)]
    timed_names = sorted({name for result in results for name in result.seconds})
    facts = setting(corpora, timed_names, options)
    print("\n" + json.dumps(facts, indent=2))
    if options.json:
        document = {"setting": facts, "results": [result.as_json() for result in results]}
        options.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    slow = too_slow(results) if options.check else []
    for line in slow:
        print(f"too slow: {line}", file=sys.stderr)
    return 1 if slow else 0


if __name__ == "__main__":
    raise SystemExit(main())
