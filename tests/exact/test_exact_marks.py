"""SentencePiece's marks in every constellation: normalizers and Metaspace that make them of spaces."""

from __future__ import annotations

import itertools
import json
import random
from typing import Any

import pytest
import tokenizers

import fretsaw

MARK = "\u2581"
TOKENS = [
    *("<unk>", "<s>", MARK, "a", "b", "c", ".", "é", "\n", MARK * 2, MARK + "a", "ab", MARK + "ab"),
    *("a" + MARK, "b" + MARK + "a", "ca", "cab", MARK + "c", ".a", " ", MARK + "b", "bc", "aa"),
]
SPACE = {"type": "Replace", "pattern": {"String": " "}, "content": MARK}
SPACE_REGEX = {"type": "Replace", "pattern": {"Regex": " "}, "content": MARK}
PREPEND = {"type": "Prepend", "prepend": MARK}
SQUEEZE = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}


def sequence(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Sequence", "normalizers": list(parts)}


LONG = {"type": "Replace", "pattern": {"String": "ab."}, "content": MARK}
"""A text that is replaced, and may come about again where `c` is taken away."""

NORMALIZERS = [
    *(None, SPACE, SPACE_REGEX, sequence(PREPEND, SPACE), sequence(SPACE, PREPEND)),
    *(sequence(SPACE), sequence(PREPEND, PREPEND, SPACE), sequence(SQUEEZE, SPACE), SQUEEZE),
    *({"type": "Lowercase"}, sequence(SPACE, {"type": "Replace", **SPACE, "content": "b"})),
    {"type": "Strip", "strip_left": True, "strip_right": False},
    *(sequence(LONG, SPACE), sequence(SPACE, LONG), sequence(LONG, {**SPACE, "content": "b"})),
    sequence(LONG, {"type": "Replace", "pattern": {"String": "c"}, "content": ""}),
    *(LONG, sequence(SPACE, LONG, {"type": "Lowercase"}), {**LONG, "content": ""}),
]
METASPACES = [
    {"type": "Metaspace", "replacement": MARK, "prepend_scheme": scheme, "split": split}
    for scheme in ("always", "first", "never")
    for split in (True, False)
]
WORDS = [
    {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, metaspace]}
    for metaspace in METASPACES
]
SPLIT = {
    "type": "Split",
    "pattern": {"String": " "},
    "behavior": "MergedWithPrevious",
    "invert": False,
}
SPLIT_LONG = {**SPLIT, "pattern": {"String": "ab."}, "behavior": "MergedWithNext"}
PRE_TOKENIZERS = [None, *METASPACES, *WORDS, SPLIT, SPLIT_LONG, {"type": "BertPreTokenizer"}]


def models(seed: int) -> list[dict[str, Any]]:
    """A model of each kind over the same tokens."""
    chance = random.Random(seed)
    vocab = {token: id for id, token in enumerate(TOKENS)}
    merges = [
        (token[:at], token[at:])
        for token in TOKENS
        for at in range(1, len(token))
        if token[:at] in vocab and token[at:] in vocab and not token.startswith("<")
    ]
    chance.shuffle(merges)
    scored = [(token, -chance.random() * 9) for token in TOKENS]
    bpe = {"type": "BPE", "vocab": vocab, "merges": merges, "unk_token": "<unk>"}
    return [
        {**bpe, "fuse_unk": True},
        {**bpe, "ignore_merges": True},
        {"type": "Unigram", "vocab": scored, "unk_id": 0},
        {"type": "WordLevel", "vocab": vocab, "unk_token": "<unk>"},
        {
            "type": "WordPiece",
            "vocab": vocab,
            "unk_token": "<unk>",
            "continuing_subword_prefix": "",
            "max_input_chars_per_word": 9,
        },
    ]


def texts(seed: int) -> list[str]:
    """Strings of what matters here, added tokens among it."""
    chance = random.Random(seed)
    parts = [*"abc.é’", *"   ", "\n", "\u3000", "\u00a0", MARK, MARK, "<s>", "A", "\u0085", "世"]
    made = ["", " ", "  ", MARK, "a", " a", "a ", " \n a"]
    made += ["ab.", "abc.", "aab.b.", "ab.ab.c", "aabb..", "abab.."]
    return made + ["".join(chance.choices(parts, k=chance.randrange(1, 16))) for _ in range(60)]


def document(normalizer: Any, pre_tokenizer: Any, model: Any, normalized: bool) -> str:
    added = {"id": 1, "content": "<s>", "single_word": False, "lstrip": False, "rstrip": False}
    return json.dumps(
        {
            "added_tokens": [{**added, "normalized": normalized, "special": True}],
            "normalizer": normalizer,
            "pre_tokenizer": pre_tokenizer,
            "model": model,
        }
    )


@pytest.mark.parametrize("normalizer", range(len(NORMALIZERS)))
def test_marks(normalizer: int) -> None:
    for at, (pre_tokenizer, normalized) in enumerate(
        itertools.product(PRE_TOKENIZERS, (False, True))
    ):
        for model in models(at):
            text = document(NORMALIZERS[normalizer], pre_tokenizer, model, normalized)
            theirs = tokenizers.Tokenizer.from_str(text)
            ours = fretsaw.Tokenizer.from_str(text)
            for sample in texts(at):
                expected, found = theirs.encode(sample), ours.encode(sample)
                for field in ("offsets", "ids", "tokens", "offsets", "word_ids"):
                    assert getattr(found, field) == getattr(expected, field), (sample, text)


def test_a_changed_tokenizer_forgets_what_pieces_meant() -> None:
    """Pieces that are cached keep their spaces: a component that is set makes them mean others."""
    for before, after in itertools.permutations(
        [(SPACE, None), (None, None), (None, METASPACES[0]), (None, WORDS[0]), (SPACE, SPLIT)], 2
    ):
        for model in models(7):
            ours = fretsaw.Tokenizer.from_str(document(*before, model, False))
            wanted = fretsaw.Tokenizer.from_str(document(*after, model, False))
            samples = texts(8)
            ours.encode_batch(samples)
            ours.normalizer, ours.pre_tokenizer = wanted.normalizer, wanted.pre_tokenizer
            assert ours.fingerprint == wanted.fingerprint
            expected = [encoding.ids for encoding in wanted.encode_batch(samples)]
            assert [encoding.ids for encoding in ours.encode_batch(samples)] == expected
