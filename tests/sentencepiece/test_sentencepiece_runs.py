"""Texts are encoded run by run: what stands side by side, what was seen before, long sums."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest
import sentencepiece
from frozen import PROVE
from sentencepiece_both import Both
from sentencepiece_texts import PARTS, SEED, model_file, model_names, text_files
from sentencepiece_trained import OPTIONS, trained
from sentencepiece_wire import Model, Piece

import fretsaw

SIDES = sorted(
    {
        *PARTS,
        "e",
        "か",
        "\u3099",
        "\u0308",
        "①",
        "㍿",
        "\u200e",
        "\ufdfa",
        "\u2003",
        "½",
        "ｶ",
        "(",
        ".",
    }
)
SEARCHES = ("unigram", "bpe")

each_option = pytest.mark.parametrize("name", OPTIONS)
each_search = pytest.mark.parametrize("search", SEARCHES)


def side_by_side() -> Iterator[str]:
    """Every two parts next to each other, alone and in a text."""
    for first, second in itertools.product(SIDES, SIDES):
        yield first + second
        yield f"the {first}{second}, ab"


@each_search
@each_option
def test_parts_side_by_side(search: str, name: str) -> None:
    both = Both(trained(search, name))
    for text in side_by_side():
        assert both.ours.encode_ids(text) == both.theirs.encode(text), text


@pytest.mark.parametrize("name", model_names())
def test_parts_side_by_side_in_real_models(name: str) -> None:
    both = Both(model_file(name))
    for text in side_by_side():
        assert both.ours.encode_ids(text) == both.theirs.encode(text), text


@pytest.mark.parametrize("name", model_names())
def test_texts_again_and_in_another_order(name: str) -> None:
    both = Both(model_file(name))
    size = 20_000 if PROVE else 1_500
    rng = random.Random(SEED)
    parts = []
    for text in text_files().values():
        starts = [rng.randrange(max(1, len(text) - size)) for _ in range(2)]
        parts += [text[start : start + size] for start in starts]
    known = {text: both.theirs.encode(text) for text in parts}
    for _ in range(3):
        rng.shuffle(parts)
        for text in parts:
            assert both.ours.encode_ids(text) == known[text], text[:80]


@pytest.mark.parametrize(
    "name", ["t5-v1_1.spiece.model", "test_ja_model.model", "nmt.vocab.joint.spm"]
)
def test_sums_that_start_again(name: str) -> None:
    both = Both(model_file(name))
    parts = [text[:30_000] for text in text_files().values()]
    for text in ("".join(parts[::2]), "".join(parts[1::2]), "漢" * 60_000, "the " * 60_000):
        assert both.ours.encode_ids(text) == both.theirs.encode(text), text[:80]


@each_search
def test_close_scores(search: str) -> None:
    """Ways whose sums differ in the last bits, deep in a text."""
    rng = random.Random(SEED)
    for seed in range(40 if PROVE else 6):
        base = Model.read(trained(search, "plain"))
        letters = "abc▁"
        pieces = {"".join(rng.choices(letters, k=rng.randrange(1, 5))) for _ in range(60)}
        scores = [rng.choice([-1.0, -1.0000001, -2.0, -2.0000002, -3.1]) for _ in pieces]
        base.pieces = base.pieces[:3] + [
            Piece(piece, score) for piece, score in zip(sorted(pieces), scores, strict=True)
        ]
        content = base.content()
        ours = fretsaw.Tokenizer.from_str(content)
        theirs = sentencepiece.SentencePieceProcessor(model_proto=content)
        for _ in range(20):
            text = "".join(rng.choices("aabbc d", k=rng.choice([10, 100, 5000])))
            assert ours.encode_ids(text) == theirs.encode(text), (seed, text[:60])


@each_search
def test_marks_at_the_end_fall_away(search: str) -> None:
    """However many runs they are: as pieces of their own, as symbols, behind spaces and between."""
    rng = random.Random(SEED)
    for seed in range(24):
        base = Model.read(trained(search, "plain"))
        kinds = [rng.choice([1, 4, 5]) for _ in range(4)]
        pieces = ["▁", "▁a", "a▁", "▁▁"][: rng.choice([1, 2, 4])]
        base.pieces = [one for one in base.pieces[:3] if one.piece not in pieces] + [
            *(Piece(piece, -2.0, kind) for piece, kind in zip(pieces, kinds, strict=False)),
            *(Piece(letter, -1.0) for letter in "ab."),
        ]
        if seed % 2:
            base.normalizer.pop(2, None)  # The map of characters.
        content = base.content()
        ours = fretsaw.Tokenizer.from_str(content)
        theirs = sentencepiece.SentencePieceProcessor(model_proto=content)
        for _ in range(150):
            head = "".join(rng.choices("aab漢é. ▁", k=rng.choice([0, 3, 40])))
            text = head + "".join(rng.choices(" ▁", [1, 4], k=rng.randrange(1, 24)))
            known = theirs.encode(text)
            assert ours.encode_ids(text) == known, (seed, text)
            assert ours.encode_ids(text, special="none") == known, (seed, text)
