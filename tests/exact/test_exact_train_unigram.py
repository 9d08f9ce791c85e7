"""Training a unigram model: no less likely text than with the oracles' models, whose runs differ."""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from pathlib import Path

import pytest
import tokenizers

import fretsaw
from fretsaw import spec
from oracle.unigram_training import log_likelihood, with_hugging_face, with_sentencepiece

PROVE = bool(os.environ.get("FRETSAW_PROVE"))
MARK = "▁"
RUNS = 3
LESS = 0.001
"""By how much, relatively, the logarithm may be worse than the best oracle's."""


def lines_of(path: Path, size_bytes: int) -> list[str]:
    """Lines that every trainer takes for the same words: one space between them."""
    text = gzip.decompress(path.read_bytes())[:size_bytes].decode("utf-8", "ignore")
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def by_us(lines: list[str], size: int, threads: int = 0) -> dict[str, float]:
    tok = fretsaw.train(lines, model="unigram", vocab_size=size, threads=threads)
    file = json.loads(tok.to_str())
    assert tokenizers.Tokenizer.from_str(tok.to_str()).get_vocab_size() == size
    assert isinstance(tok.model, spec.Unigram)
    return dict(file["model"]["vocab"])


CORPORA = [("en_prose", 150_000, 1000)]
if PROVE:
    CORPORA += [
        ("en_prose", 2_000_000, 8000),
        ("code_python", 1_000_000, 4000),
        ("multilingual", 1_000_000, 8000),
    ]


@pytest.mark.parametrize(("name", "size_bytes", "size"), CORPORA)
def test_text_is_as_likely_as_with_the_best_oracle(
    data_dir: Path, name: str, size_bytes: int, size: int
) -> None:
    lines = lines_of(data_dir / "text" / f"{name}.txt.gz", size_bytes)
    held_out, seen = lines[::10], [line for at, line in enumerate(lines) if at % 10]
    ours = by_us(seen, size)
    theirs = [with_hugging_face(seen, size) for _ in range(RUNS)]
    theirs += [with_sentencepiece(seen, size) for _ in range(RUNS)]
    # sentencepiece lacks characters that it knows from "<unk>" alone.
    known = set.intersection(*(set(scores) for scores in [ours, *theirs]))
    for part in (seen, held_out):
        words = Counter(MARK + word for line in part for word in line.split())
        # A run of 40 characters or more is no word; sums over its ways may run out of exponents.
        words = Counter({w: n for w, n in words.items() if known >= set(w) and len(w) < 40})
        best = max(log_likelihood(words, scores) for scores in theirs)
        assert log_likelihood(words, ours) >= best + LESS * best


def test_threads_change_nothing(data_dir: Path) -> None:
    lines = lines_of(data_dir / "text" / "multilingual.txt.gz", 2_000_000 if PROVE else 200_000)
    size = 8000 if PROVE else 2000
    one = by_us(lines, size, threads=1)
    assert all(by_us(lines, size, threads=threads) == one for threads in (2, 3, 8))


@pytest.mark.parametrize("name", ["zh_cn", "ja_nekodearu"])
def test_text_without_spaces(data_dir: Path, name: str) -> None:
    lines = lines_of(data_dir / "text" / f"{name}.txt.gz", 200_000)
    tok = fretsaw.train(
        lines, model="unigram", vocab_size=3000, character_coverage=0.9995, byte_fallback=True
    )
    vocab = tok.get_vocab()
    assert len(vocab) == 3000
    assert vocab["<0x00>"] == 1
    assert tok.decode(tok.encode(lines[0]).ids) == lines[0]
    assert len(tok.encode(lines[0])) < 0.9 * len(lines[0])
