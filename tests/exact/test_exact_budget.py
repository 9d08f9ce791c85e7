"""Counts, budgets and growing texts against encoding the whole: every file, texts of every kind."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from frozen import PROVE, golden_strings

import fretsaw
from oracle.tables import ALL_NAMES

Load = Callable[[str], fretsaw.Tokenizer]

TEXTS = ("en_prose", "code_python", "multilingual", "nasty_misc", "nasty_normalization", "zh_cn")
ROUNDS = 40 if PROVE else 4

each_file = pytest.mark.parametrize("name", ALL_NAMES)


@cache
def corpus(data_dir: Path, name: str) -> str:
    with gzip.open(data_dir / "text" / f"{name}.txt.gz", "rt", encoding="utf-8") as file:
        return file.read(400_000)


def mixed(source: random.Random, data_dir: Path, tok: fretsaw.Tokenizer, size: int) -> str:
    """Stretches of texts, strings that are meant to be hard, and added tokens between."""
    added = [token.content for token in tok.get_added_tokens_decoder().values()] or ["<x>"]
    parts = []
    while sum(map(len, parts)) < size:
        text = corpus(data_dir, source.choice(TEXTS))
        at = source.randrange(len(text))
        parts.append(text[at : at + source.randrange(size // 3)])
        parts.append(source.choice(golden_strings())[:200])
        parts.append(
            source.choice(["", " ", "a", "\n"]) + source.choice(added) * source.randrange(3)
        )
        parts.append(source.choice(["", " ", "b", " c d", "\u0301 x"]))
    return "".join(parts).encode("utf-8", "replace").decode()


def test_calls(load: Load) -> None:
    tok = load("gpt2")
    text = "One two. Three four five!\n\nSix"
    assert tok.fits(text, 9) == (tok.count(text) <= 9)
    assert tok.truncate(text, 3) == ("One two.", 3)
    assert tok.truncate(text, 1, "left") == ("Six", 1)
    assert tok.chunk(text, 8) == ["One two. Three four five!\n", "\nSix"]
    assert tok.chunk(text, 6, boundary="paragraph") == ["One two. ", "Three four five!\n\n", "Six"]
    assert tok.chunk("", 8) == []
    assert tok.chunk("a b c d", 3, overlap=1) == ["a b c", " c d"]
    index = tok.index("é ü", special="none")
    assert [index.count(0, 3), index.count(1, 3), index.count(2, 2)] == [3, 2, 0]


def test_what_can_not_be(load: Load) -> None:
    tok = load("gpt2")
    for call in (lambda: tok.truncate("a", 2, "up"), lambda: tok.chunk("a", 2, boundary="word")):
        with pytest.raises(ValueError, match="must be"):
            call()
    with pytest.raises(ValueError, match="overlap"):
        tok.chunk("a", 2, overlap=2)
    with pytest.raises(fretsaw.EncodeError, match=r"byte 1 .* 1 ids"):
        tok.chunk("a🙂", 1)
    with pytest.raises(OverflowError):
        tok.fits("a", -1)
    index = tok.index("abc")
    for start, end in ((0, 4), (2, 1)):
        with pytest.raises(IndexError):
            index.count(start, end)
    state, other = tok.start("a"), load("smollm2")
    with pytest.raises(ValueError, match="another tokenizer"):
        other.extend(state, "b")
    with pytest.raises(fretsaw.EncodeError):
        tok.extend(state, "b", trusted=[(0, 2)])
    assert (state.ids, len(state), state.copy().ids) == ([64], 1, [64])


def test_long_texts_without_a_place_to_cut(load: Load) -> None:
    for name in ("gpt2", "llama2"):
        tok = load(name)
        for text in ("a" * 300_000, " " * 300_000, "\u0301" * 100_000):
            assert tok.fits(text, 10) is False
            count = tok.truncate(text, 100)[1]
            assert 90 < count <= 100
            assert "".join(tok.chunk(text, 2_000, boundary="sentence")) == text


@each_file
def test_an_index_counts_any_part(name: str, load: Load, data_dir: Path) -> None:
    tok = load(name)
    source = random.Random(f"index of {name}")
    for _ in range(ROUNDS):
        text = mixed(source, data_dir, tok, 6_000)
        special = source.choice(["all", "none"])
        index = tok.index(text, special=special)
        assert len(index) == len(text)
        assert index.count(0, len(text)) == tok.count(text, special=special)
        for _ in range(25):
            start = source.randrange(len(text) + 1)
            end = min(len(text), start + source.choice([0, 5, 600, 1_500, len(text)]))
            wanted = tok.count(text[start:end], special=special)
            assert index.count(start, end) == wanted, (special, start, end, text)


@each_file
def test_a_growing_text_has_the_ids_of_the_whole(name: str, load: Load, data_dir: Path) -> None:
    tok = load(name)
    source = random.Random(f"growing {name}")
    for _ in range(ROUNDS):
        text = mixed(source, data_dir, tok, 2_500)
        special = source.choice(["all", "none"])
        with_special = source.random() < 0.5
        at = source.randrange(300)
        spans = [(0, at)] if source.random() < 0.5 else None
        state = tok.start(text[:at], special=special, add_special_tokens=with_special)
        while at < len(text):
            more = text[at : at + source.choice([0, 1, 2, 9, 80, 700])]
            trusted = None
            if spans is not None:
                cut = sorted(source.choices(range(len(more) + 1), k=2))
                trusted = [(cut[0], cut[1])]
                spans += [(at + cut[0], at + cut[1])]
            before = state.ids
            keep, append = tok.extend(state, more, trusted=trusted)
            at += len(more)
            wanted = tok.encode_ids(
                text[:at], special=special, add_special_tokens=with_special, trusted=spans
            )
            assert state.ids == wanted == before[:keep] + append, (text[:at], more)
            assert len(state) == len(wanted)


@each_file
def test_what_fits(name: str, load: Load, data_dir: Path) -> None:
    tok = load(name)
    source = random.Random(f"fits {name}")
    for _ in range(ROUNDS * 2):
        text = mixed(source, data_dir, tok, source.choice([50, 3_000, 20_000]))
        count = tok.count(text)
        for most in (0, 1, 7, count // 2, count - 1, count, count + 1):
            assert tok.fits(text, most) == (count <= most)


@each_file
def test_what_is_cut_fits_and_is_not_too_short(name: str, load: Load, data_dir: Path) -> None:
    tok = load(name)
    source = random.Random(f"truncate {name}")
    added = tok.num_special_tokens_to_add(is_pair=False)
    for _ in range(ROUNDS * 3):
        text = mixed(source, data_dir, tok, source.choice([50, 3_000]))
        most = added + source.choice([0, 1, 2, 30, 300, 5_000])
        for direction in ("right", "left"):
            part, count = tok.truncate(text, most, direction)
            assert count == tok.count(part) <= most
            assert text.startswith(part) if direction == "right" else text.endswith(part)
            assert (part == text) == tok.fits(text, most)
            if part != text and most - added >= 30:
                assert count > (most - added) * 0.6, (text, most)


@each_file
def test_chunks_fit_and_cover_the_text(name: str, load: Load, data_dir: Path) -> None:
    tok = load(name)
    source = random.Random(f"chunks {name}")
    for _ in range(ROUNDS):
        text = mixed(source, data_dir, tok, 3_000)
        most = 24 + source.randrange(200)
        overlap = source.choice([0, 0, 1, 10])
        boundary = source.choice(["token", "sentence", "paragraph"])
        chunks = tok.chunk(text, most, overlap, boundary)
        assert all(tok.count(chunk) <= most for chunk in chunks)
        assert overlap or "".join(chunks) == text
        # Where a part may end, since a text can be in several places.
        ends = {0}
        for chunk in chunks:
            places = (
                (text.startswith(chunk, at), end, at + len(chunk))
                for end in ends
                for at in range(max(0, end - len(chunk) + 1), end + 1)
            )
            ends = {behind for found, end, behind in places if found and behind > end}
        assert len(text) in ends
