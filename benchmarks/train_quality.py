"""How likely text is with unigram models of ours, of Hugging Face's and of sentencepiece's.

All are trained on the same lines, nine of ten, with one space between words, so that all see the same
words. Printed is the logarithm of the likelihood a word, summed over all ways to cut it, of the text
that was trained on and of the tenth line. Words with a character that one of the models does not know
are left out.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from train import text_of

sys.path.append(str(Path(__file__).resolve().parents[1] / "scripts"))

from oracle.unigram_training import (
    Scores,
    log_likelihood,
    with_hugging_face,
    with_sentencepiece,
)

SIZES = (("en_prose", 4_000_000, 8_000), ("multilingual", 2_000_000, 8_000))
RUNS = 3
MARK = "\N{LOWER ONE EIGHTH BLOCK}"
LONGEST_WORD = 40
"""Longer words are left out: sums over all ways to cut them may run out of exponents."""


def with_fretsaw(lines: Sequence[str], size: int) -> Scores:
    """Ours."""
    import fretsaw

    tok = fretsaw.train(list(lines), model="unigram", vocab_size=size)
    return dict(json.loads(tok.to_str())["model"]["vocab"])


ENGINES: dict[str, Callable[[Sequence[str], int], Scores]] = {
    "fretsaw": with_fretsaw,
    "tokenizers": with_hugging_face,
    "sentencepiece": with_sentencepiece,
}


def compare(engines: Sequence[str]) -> None:
    """Prints a table for each text."""
    for name, size_bytes, size in SIZES:
        text = text_of((name,), size_bytes).decode("utf-8", "ignore")
        lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
        held_out, seen = lines[::10], [line for at, line in enumerate(lines) if at % 10]
        # The oracles are trained three times, and the best run counts.
        models = {
            engine: [ENGINES[engine](seen, size) for _ in range(1 if engine == "fretsaw" else RUNS)]
            for engine in engines
        }
        # sentencepiece lacks characters that it knows from "<unk>" alone.
        known = set.intersection(*(set(scores) for runs in models.values() for scores in runs))
        parts = []
        for part in (seen, held_out):
            words = Counter(MARK + word for line in part for word in line.split())
            parts.append(
                {w: n for w, n in words.items() if known >= set(w) and len(w) < LONGEST_WORD}
            )
        print(f"{name}, {size_bytes / 1e6:.0f} MB, unigram {size:,}: log likelihood a word")
        for engine, runs in models.items():
            best = [max(log_likelihood(words, scores) for scores in runs) for words in parts]
            on_seen, on_held_out = (
                value / sum(words.values()) for value, words in zip(best, parts, strict=True)
            )
            print(
                f"  {engine:<14} trained on {on_seen:>9.4f}, held out {on_held_out:>9.4f}",
                flush=True,
            )
