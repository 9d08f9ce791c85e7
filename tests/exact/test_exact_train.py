"""Training: vocabulary and merges are Hugging Face's, byte for byte."""

from __future__ import annotations

import gzip
import json
import os
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from case_files import Case, read_group
from tokenizers import trainers as theirs

import fretsaw
from fretsaw import spec, trainers

PROVE = bool(os.environ.get("FRETSAW_PROVE"))
BYTES = tokenizers.pre_tokenizers.ByteLevel.alphabet()
BYTE_LEVEL = spec.ByteLevel(add_prefix_space=False)
EMPTY: dict[str, spec.Model] = {
    "Bpe": spec.BPE({}, []),
    "WordPiece": spec.WordPiece({}, unk_token="[UNK]"),
    "WordLevel": spec.WordLevel({}, unk_token="[UNK]"),
}


def pipeline(kind: str, **stages: Any) -> str:
    """A tokenizer.json with an empty model of a kind."""
    return spec.Spec(EMPTY[kind], **stages).to_json()


def learned(saved: str) -> tuple[list[tuple[str, int]], list[Any], list[Any]]:
    """Vocabulary, merges and added tokens of a tokenizer.json."""
    file = json.loads(saved)
    model = file["model"]
    added = [[token["content"], token["id"], token["special"]] for token in file["added_tokens"]]
    return sorted(model["vocab"].items()), model.get("merges", []), added


def by_oracle(file: str, kind: str, texts: Iterable[str], options: dict[str, Any]) -> Any:
    """What Hugging Face learns."""
    tokenizer = tokenizers.Tokenizer.from_str(file)
    trainer = getattr(theirs, f"{kind}Trainer")(show_progress=False, **options)
    tokenizer.train_from_iterator(texts, trainer)
    return learned(tokenizer.to_str())


def by_us(file: str, kind: str, texts: Iterable[str], options: dict[str, Any]) -> Any:
    """What we learn; it has to load there as well, and to say the same."""
    tok = fretsaw.Tokenizer.from_str(file)
    tok.train_from_iterator(texts, getattr(trainers, f"{kind}Trainer")(**options))
    saved = tok.to_str()
    assert learned(tokenizers.Tokenizer.from_str(saved).to_str()) == learned(saved)
    return learned(saved)


def check(file: str, kind: str, texts: Sequence[str], **options: Any) -> None:
    """Both learn the same; where symbols have affixes, the order of their ids is told."""
    expected = by_oracle(file, kind, texts, options)
    if kind != "WordLevel":
        options["affixed_order"] = [token for token, _ in sorted(expected[0], key=lambda t: t[1])]
    assert by_us(file, kind, texts, options) == expected


def lines(data_dir: Path, name: str, size_bytes: int) -> list[str]:
    """The first lines of a text of the data folder, with their ends."""
    with gzip.open(data_dir / "text" / f"{name}.txt.gz") as text:
        return text.read(size_bytes).decode("utf-8", "ignore").splitlines(keepends=True)


@pytest.mark.parametrize("case", read_group("training"), ids=lambda case: case.id)
def test_cases(case: Case) -> None:
    kind = {"BPE": "Bpe"}.get(case.options["trainer"], case.options["trainer"])
    name = case.options.get("pre_tokenizer")
    file = pipeline(kind, pre_tokenizer=getattr(spec, name)() if name else None)
    vocab, merges, _ = by_us(file, kind, case.input, case.options["args"])
    assert dict(vocab) == case.expected["vocab"]
    assert merges == case.expected.get("merges", [])


SIZES = (300, 1000, 8000, 32_000, 100_000) if PROVE else (300, 1000, 8000)
NAMES = ("en_prose", "code_python", "multilingual", "zh_cn", "ja_nekodearu", "ko")


@pytest.mark.parametrize("name", NAMES)
def test_texts(data_dir: Path, name: str) -> None:
    texts = lines(data_dir, name, 4_000_000 if PROVE else 150_000)
    file = pipeline("Bpe", pre_tokenizer=BYTE_LEVEL)
    for size in SIZES:
        check(file, "Bpe", texts, vocab_size=size, initial_alphabet=BYTES)


@pytest.mark.parametrize("name", ["en_prose", "zh_cn"])
def test_texts_in_other_ways(data_dir: Path, name: str) -> None:
    texts = lines(data_dir, name, 2_000_000 if PROVE else 100_000)
    bert = pipeline(
        "WordPiece", normalizer=spec.BertNormalizer(), pre_tokenizer=spec.BertPreTokenizer()
    )
    check(bert, "WordPiece", texts, vocab_size=3000, special_tokens=["[UNK]", "[CLS]"])
    metaspace = pipeline("Bpe", normalizer=spec.NFKC(), pre_tokenizer=spec.Metaspace())
    check(metaspace, "Bpe", texts, vocab_size=4000)
    check(pipeline("Bpe"), "Bpe", texts[:200], vocab_size=2000)
    words = pipeline("WordLevel", pre_tokenizer=spec.Whitespace())
    check(words, "WordLevel", texts, vocab_size=500, special_tokens=["[UNK]"])


ALONE: list[dict[str, Any]] = [
    {"vocab_size": 0},
    {"min_frequency": 3},
    {"special_tokens": ["<s>", "e", "th", "<s>"]},
    {"special_tokens": [tokenizers.AddedToken("<m>", lstrip=True), "</s>"]},
    {"limit_alphabet": 10},
    {"initial_alphabet": ["é", "xyz", "漢"]},
    {"continuing_subword_prefix": "##"},
    {"end_of_word_suffix": "</w>"},
    {"continuing_subword_prefix": "@", "end_of_word_suffix": "</w>"},
    {"max_token_length": 1},
    {"max_token_length": 3},
    {"max_token_length": 6},
]


@pytest.mark.parametrize("options", ALONE, ids=str)
def test_options_alone(data_dir: Path, options: dict[str, Any]) -> None:
    texts = lines(data_dir, "en_prose", 40_000)
    file = pipeline("Bpe", pre_tokenizer=spec.Whitespace())
    check(file, "Bpe", texts, **{"vocab_size": 700, **options})


def random_options(rng: random.Random) -> dict[str, Any]:
    """Some options of `BpeTrainer`; affixes are of other characters than the texts, see docs/exactness.md."""
    chosen: dict[str, Any] = {"vocab_size": rng.choice([0, 12, 30, 60, 200])}
    if rng.random() < 0.4:
        chosen["min_frequency"] = rng.choice([1, 2, 5])
    if rng.random() < 0.3:
        chosen["special_tokens"] = rng.sample(["<s>", "a", "ab", "aa", "##b", "b</w>"], 3)
    if rng.random() < 0.3:
        chosen["initial_alphabet"] = rng.sample(["x", "y", "a"], 2)
    if rng.random() < 0.4:
        chosen["continuing_subword_prefix"] = rng.choice(["##", "_", ""])
    if rng.random() < 0.4:
        chosen["end_of_word_suffix"] = rng.choice(["</w>", "_", ""])
    if rng.random() < 0.4:
        chosen["max_token_length"] = rng.randrange(8)
    return chosen


def test_random_options_on_texts_full_of_ties() -> None:
    rng = random.Random(7)
    file = pipeline("Bpe", pre_tokenizer=spec.WhitespaceSplit())
    for _ in range(5000 if PROVE else 500):
        letters = rng.choice(["ab", "abc", "abcdefgh", "'ab"])
        words = ["".join(rng.choices(letters, k=rng.randrange(1, 9))) for _ in range(40)]
        options = random_options(rng)
        # Which of equally rare characters go is up to the oracle's mood.
        counts = Counter("".join(words))
        wanted = set(options.get("initial_alphabet", ()))
        order = sorted(counts.keys() - wanted, key=lambda char: -counts[char])
        sure = [
            len(wanted) + at
            for at in range(1, len(order))
            if counts[order[at - 1]] != counts[order[at]]
        ]
        if sure and rng.random() < 0.3:
            options["limit_alphabet"] = rng.choice(sure)
        check(file, "Bpe", [" ".join(words)], **options)


def test_threads_show_nowhere(data_dir: Path) -> None:
    texts = lines(data_dir, "multilingual", 300_000)
    for model in ("bpe", "wordpiece", "wordlevel"):
        saved = {
            fretsaw.train(texts, model=model, vocab_size=2000, threads=threads).to_str()
            for threads in (1, 2, 3, 8)
        }
        assert len(saved) == 1


def test_added_tokens_that_are_there_already() -> None:
    marks = [spec.AddedToken("<m>", special=True, normalized=False), spec.AddedToken("é b")]
    texts = ["a<m>b é b", "é b a é", "<m><m> ab"] * 3
    for pre_tokenizer in (BYTE_LEVEL, spec.Metaspace(), None):
        file = pipeline("Bpe", added_tokens=marks, pre_tokenizer=pre_tokenizer)
        expected = by_oracle(file, "Bpe", texts, {"vocab_size": 40})
        assert by_us(file, "Bpe", texts, {"vocab_size": 40})[:2] == expected[:2]


def test_lists_of_texts_and_files(tmp_path: Path) -> None:
    file = pipeline("Bpe", pre_tokenizer=BYTE_LEVEL)
    texts = ["low lower\r\n", "\n", "newest  widest\n", "last"]
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_bytes("".join(texts).encode())
    theirs_, ours = tokenizers.Tokenizer.from_str(file), fretsaw.Tokenizer.from_str(file)
    theirs_.train([str(corpus)], theirs.BpeTrainer(vocab_size=40, show_progress=False))
    ours.train([str(corpus)], trainers.BpeTrainer(vocab_size=40))
    assert learned(ours.to_str()) == learned(theirs_.to_str())
    nested = fretsaw.Tokenizer.from_str(file)
    nested.train_from_iterator([texts[:2], texts[2:]], trainers.BpeTrainer(vocab_size=40))
    assert nested.to_str() == ours.to_str()
