"""Shows that time grows as the text does: texts without variety, 1 MB against 10 MB.

The ratio of the times should be about that of the sizes. Fifty or more would mean quadratic work.
"""

from __future__ import annotations

import argparse
import gzip
import time
from pathlib import Path

import fretsaw

FIXTURES = Path(__file__).parent.parent / "tests" / "fixtures"

UNITS = {
    "one letter": "a",
    "spaces": " ",
    "newlines": "\n",
    "ab": "ab",
    "a word without a break": "thequickbrownfoxjumpsoverthelazydog",
    "combining marks": "\u0301",
    "digits": "1234567890",
    "signs": "=",
    "NUL": "\x00",
    "Han": "\u4e2d\u6587",
    "half a marker": "<|endoftext|",
}


def seconds_to_encode(tok: fretsaw.Tokenizer, text: str, rounds: int) -> float:
    """The least processor time of some rounds, which other programs disturb less than the clock."""
    found = []
    for _ in range(rounds):
        start = time.process_time()
        tok.encode_ids(text)
        found.append(time.process_time() - start)
    return min(found)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Time small against large texts of one unit.")
    parser.add_argument("--tokenizer", default="gpt2", choices=["gpt2", "smollm2"])
    parser.add_argument("--small-bytes", type=int, default=1_000_000)
    parser.add_argument("--large-bytes", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    file = gzip.decompress((FIXTURES / f"{options.tokenizer}.json.gz").read_bytes())
    tok = fretsaw.Tokenizer.from_str(file)
    sizes = (options.small_bytes, options.large_bytes)
    print(f"{options.tokenizer}: {sizes[0]:,} and {sizes[1]:,} bytes, best of {options.rounds}")
    for name, unit in UNITS.items():
        small, large = (
            seconds_to_encode(tok, unit * (size // len(unit.encode())), options.rounds)
            for size in sizes
        )
        print(
            f"  {name:<24} {small * 1e3:>9.2f} ms {large * 1e3:>10.2f} ms"
            f"  {large / small:>6.1f} times"
        )


if __name__ == "__main__":
    main()
