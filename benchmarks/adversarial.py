"""Looks for texts that take long: short patterns repeated to a megabyte, under every tokenizer.

Candidates are drawn with a fixed seed from what splits, normalizers and models tell apart (and from each
vocabulary's own tokens), tried at a small size, and the slowest are tried again at full size and at a
tenth of it. A text fails that takes more than 8 times as long as prose, byte for byte, or more than
15 times as long as its tenth: twice what a linear time gives, since clocks are noisy; what fails is
measured again before it is believed.

    python benchmarks/adversarial.py --seconds 600              all files of $FRETSAW_DATA/tokenizers
    python benchmarks/adversarial.py --seconds 60 gpt2.json.gz  some
"""

from __future__ import annotations

import argparse
import gzip
import os
import random
import sys
import time
from pathlib import Path
from typing import NamedTuple

import fretsaw

SEED = 0x5EED
TRIED_BYTES = 20_000
WHOLE_BYTES = 1_000_000
TRIED_AGAIN = 4
"""So many of the slowest are tried at full size."""
MOST_TIMES_PROSE = 8.0
MOST_TIMES_TENTH = 15.0
ROUNDS = 3
PROSE = (
    "It was the best of times, it was the worst of times, it was the age of wisdom, and they'd walked "
    "12 miles; “well,” she said — naïve as ever.\n"
)
UNITS = [
    *("a", "e", "ab", "z", "A", "the", "é", "ß", "ж", "漢", "한", "ह", "ि", "\u0301"),
    *("\u0300\u0323", "ﬁ", "㎏"),
    *("1", "9", "½", "٣", " ", "  ", "\n", "\r\n", "\t", "\xa0", "\u3000", "\u2028", "\x85", "'", "'s", "’"),
    *(".", "!", "-", "=", "/", "_", "#", "##", "<", "<|", "|>", "<s>", "<|endoftext|", "[MASK", "▁", "Ġ"),
    *("\u200d", "\ufe0f", "😀", "🇩", "\x00", "\ufffd", "İ", "Σ", "ſ", "\U0010ffff", "\u1100", "\u1161"),
]  # fmt: skip


class Slow(NamedTuple):
    """A pattern, how long its repetition takes compared with prose and with a tenth of it."""

    times_prose: float
    times_tenth: float
    pattern: str


def repeated(pattern: str, size_bytes: int) -> str:
    """The pattern again and again, up to about so many bytes."""
    return pattern * max(1, size_bytes // len(pattern.encode()))


def seconds(tok: fretsaw.Tokenizer, text: str, rounds: int) -> float:
    """Processor time for encoding a megabyte of such text, the least of some rounds."""
    found = []
    for _ in range(rounds):
        start = time.process_time()
        tok.encode_ids(text)
        found.append(time.process_time() - start)
    return min(found) * 1e6 / len(text.encode())


def drawn(tok: fretsaw.Tokenizer, source: random.Random) -> str:
    """The next pattern to try."""
    kind = source.random()
    parts = [source.choice(UNITS) for _ in range(source.randint(1, 4))]
    if kind < 0.3:
        tokens = [tok.id_to_token(source.randrange(tok.get_vocab_size())) or "" for _ in range(2)]
        parts[0] = tokens[0].replace("Ġ", " ").replace("▁", " ")
        parts[-1:] = [tokens[1][:-1]]
    if kind > 0.8:
        parts.insert(0, source.choice(UNITS) * source.randint(2, 300))
    return "".join(parts) or "a"


def search(tok: fretsaw.Tokenizer, budget_seconds: float, source: random.Random) -> list[Slow]:
    """The slowest patterns that were found in the time, at full size."""
    enough = time.monotonic() + budget_seconds / 2  # the other half is for the full size
    tried: dict[str, float] = {}
    queue = UNITS[::-1]
    while queue or time.monotonic() < enough:
        pattern = queue.pop() if queue else drawn(tok, source)
        tried[pattern] = seconds(tok, repeated(pattern, TRIED_BYTES), 1)
    usual = seconds(tok, repeated(PROSE, WHOLE_BYTES), ROUNDS)
    slowest = sorted(tried, key=lambda pattern: -tried[pattern])[:TRIED_AGAIN]
    return sorted((measured(tok, pattern, usual) for pattern in slowest), reverse=True)


def measured(tok: fretsaw.Tokenizer, pattern: str, usual: float) -> Slow:
    """A pattern at full size; what seems to fail is measured again."""
    slow = Slow(0.0, 0.0, pattern)
    for rounds in (1, ROUNDS, 3 * ROUNDS):
        tenth = seconds(tok, repeated(pattern, WHOLE_BYTES // 10), rounds)
        whole = seconds(tok, repeated(pattern, WHOLE_BYTES), rounds)
        slow = Slow(whole / usual, 10 * whole / tenth, pattern)
        if not fails(slow):
            break
    return slow


def fails(slow: Slow) -> bool:
    """Whether a text takes too long."""
    return slow.times_prose > MOST_TIMES_PROSE or slow.times_tenth > MOST_TIMES_TENTH


def loaded(path: Path) -> fretsaw.Tokenizer:
    """The tokenizer of a packed file."""
    return fretsaw.Tokenizer.from_str(gzip.decompress(path.read_bytes()))


def files(names: list[str]) -> list[Path]:
    """The files to try: of the data folder, or those that come with the tests."""
    data = os.environ.get("FRETSAW_DATA")
    fixtures = Path(__file__).resolve().parent.parent / "tests" / "fixtures"
    folder = Path(data, "tokenizers") if data else fixtures
    found = sorted(folder.glob("*.json.gz"))
    return [path for path in found if not names or path.name in names]


def main() -> int:
    """Command line; exit code 1 where a text takes too long."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="files of the folder; all by default")
    parser.add_argument("--seconds", type=float, default=600, help="for all files together")
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    chosen = files(options.names)
    print(f"seed {options.seed}, {len(chosen)} files, {WHOLE_BYTES:,} bytes of each pattern")
    failed = 0
    for path in chosen:
        tok = loaded(path)
        for slow in search(tok, options.seconds / len(chosen), random.Random(options.seed))[:2]:
            state = "FAILS" if fails(slow) else ""
            failed += fails(slow)
            print(
                f"{path.name.removesuffix('.json.gz'):<28}{slow.times_prose:6.1f} times prose "
                f"{slow.times_tenth:6.1f} times its tenth  {slow.pattern[:40]!r} {state}",
                flush=True,
            )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
