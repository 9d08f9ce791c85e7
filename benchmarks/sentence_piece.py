"""Encoding from `.model` files against sentencepiece: 64 KiB of each text, one thread, lists of ids.

Both libraries encode the same text in one process, by turns, so that what else the machine does meets
both; ids are compared first. What is printed is how many times as fast ours is: the middle of the
rounds, and the range of their inner half. `--cold` gives a new tokenizer, with empty caches, to each
measurement of ours. `--clock cpu` counts processor time of the thread, for a machine with other work.

    python benchmarks/sentence_piece.py --data ../shared/data
"""

from __future__ import annotations

import argparse
import functools
import gzip
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import sentencepiece

import fretsaw

TEXTS = ("en_prose", "code_python", "multilingual", "zh_cn", "ja_nekodearu")
SIZE_BYTES = 64 << 10
CLOCKS = {"wall": time.perf_counter, "cpu": time.thread_time}


def seconds(run: Callable[[], object], clock: Callable[[], float], times: int) -> float:
    """How long one of some runs takes; letting go of the results does not count."""
    results = []
    start = clock()
    for _ in range(times):
        results.append(run())
    return (clock() - start) / times


def times_as_fast(
    content: bytes, text: str, rounds: int, clock: Callable[[], float], cold: bool
) -> list[float]:
    """How many times as fast ours is, in each round."""
    theirs = sentencepiece.SentencePieceProcessor(model_proto=content)
    ours = fretsaw.Tokenizer.from_str(content)
    if ours.encode_ids(text) != theirs.encode(text):
        raise SystemExit("ids differ")
    found = []
    for _ in range(rounds):
        slow = seconds(lambda: theirs.encode(text), clock, 1)
        if cold:
            ours = fretsaw.Tokenizer.from_str(content)
            # Tables are made when first needed; the cache is empty but for this.
            ours.encode_ids("a")
        encode = functools.partial(ours.encode_ids, text)
        found.append(slow / seconds(encode, clock, 1 if cold else 5))
    return sorted(found)


def main() -> None:
    """Prints a line for each file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of test data")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="", help="files with this in their name")
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    parser.add_argument("--cold", action="store_true")
    given = parser.parse_args()
    texts = {}
    for name in TEXTS:
        raw = gzip.decompress((given.data / "text" / f"{name}.txt.gz").read_bytes())
        texts[name] = raw[len(raw) // 3 :][:SIZE_BYTES].decode("utf-8", "ignore")
    print(f"{'':24}", *(f"{name:>18}" for name in texts))
    for path in sorted(given.data.glob("native/sentencepiece/*.gz")):
        if given.only not in path.name:
            continue
        content = gzip.decompress(path.read_bytes())
        cells = []
        for text in texts.values():
            found = times_as_fast(content, text, given.rounds, CLOCKS[given.clock], given.cold)
            low, high = found[len(found) // 4], found[-1 - len(found) // 4]
            cells.append(f"{statistics.median(found):.1f} [{low:.0f}-{high:.0f}]")
        print(f"{path.name.split('.')[-3][:24]:24}", *(f"{cell:>18}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
