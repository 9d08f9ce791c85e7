"""How likely text is with unigram models of ours, of Hugging Face's and of sentencepiece's.

All are trained on the same lines, nine of ten, with one space between words, so that all see the same
words. Printed is the logarithm of the likelihood a word, summed over all ways to cut it, of the text
that was trained on and of the tenth line. Words with a character that one of the models does not know
are left out.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from train import text_of

SIZES = (("en_prose", 4_000_000, 8_000), ("multilingual", 2_000_000, 8_000))
RUNS = 3
MARK = "\N{LOWER ONE EIGHTH BLOCK}"
LONGEST_WORD = 40
"""Longer words are left out: sums over all ways to cut them may run out of exponents."""

Scores = Mapping[str, float]


def with_fretsaw(lines: Sequence[str], size: int) -> Scores:
    """Ours."""
    import fretsaw

    tok = fretsaw.train(list(lines), model="unigram", vocab_size=size)
    return dict(json.loads(tok.to_str())["model"]["vocab"])


def with_hugging_face(lines: Sequence[str], size: int) -> Scores:
    """Hugging Face tokenizers."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=size, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False
    )
    tokenizer.train_from_iterator(lines, trainer)
    return dict(json.loads(tokenizer.to_str())["model"]["vocab"])


def with_sentencepiece(lines: Sequence[str], size: int) -> Scores:
    """SentencePiece, without the limits to pieces that the others don't have."""
    import sentencepiece

    with tempfile.TemporaryDirectory() as folder:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines),
            model_prefix=f"{folder}/m",
            vocab_size=size,
            model_type="unigram",
            normalization_rule_name="identity",
            character_coverage=1.0,
            split_by_unicode_script=False,
            split_by_number=False,
            max_sentence_length=1 << 24,
            bos_id=-1,
            eos_id=-1,
            num_threads=2,
            minloglevel=2,
        )
        model = sentencepiece.SentencePieceProcessor(model_file=f"{folder}/m.model")
    return {model.id_to_piece(i): model.get_score(i) for i in range(model.get_piece_size())}


def log_likelihood(words: Mapping[str, int], scores: Scores) -> float:
    """Of all words, each summed over all ways to cut it."""
    shares = {piece: math.exp(score) for piece, score in scores.items() if piece != "<unk>"}
    longest = max(map(len, shares))
    whole = 0.0
    for word, count in words.items():
        sums = [1.0] + [0.0] * len(word)
        for end in range(1, len(word) + 1):
            for start in range(max(0, end - longest), end):
                sums[end] += sums[start] * shares.get(word[start:end], 0.0)
        whole += count * math.log(sums[-1])
    return whole


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
