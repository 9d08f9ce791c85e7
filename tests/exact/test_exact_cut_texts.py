"""A long text is cut into parts for several threads: nothing of the result tells where."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
import tokenizers
from frozen import PROVE

import fretsaw
from oracle.random_strings import random_strings
from oracle.tables import ALL_NAMES

Load = Callable[[str], fretsaw.Tokenizer]
LoadOracle = Callable[[str], tokenizers.Tokenizer]

CUT = ("cl100k-gpt35turbo", "deepseek-v3", "gpt2", "llama3.1", "modernbert", "qwen3")
"""Some whose texts are cut."""
LONG_BYTES = 256 << 10
"""Texts from this size on are cut."""


def long_text(tok: fretsaw.Tokenizer, seed: int) -> str:
    """Words, random strings, added tokens and white space, a little longer than what is cut."""
    source = random.Random(f"long text {seed}")
    parts = list(random_strings(seed, 0, 1_500))
    parts += [
        " of the words",
        "\n\n  and\tmore",
        "  ",
        "e\u0301",
        "漢字かな。",
        "🙂",
        "don't",
        "1234567",
    ] * 200
    added = tok.get_added_tokens_decoder().values()
    parts += [token.content for token in added][:30] * 20
    text = ""
    while len(text.encode()) < LONG_BYTES + 50_000:
        text += "".join(source.choices(parts, k=2_000))
    return text


def serial(tok: fretsaw.Tokenizer, text: str, **options: object) -> fretsaw.Encoding:
    """As one thread encodes it."""
    return tok.encode_batch([text, ""], threads=1, **options)[0]  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ALL_NAMES if PROVE else CUT)
def test_parts_make_the_whole(name: str, load: Load, load_oracle: LoadOracle) -> None:
    tok, oracle = load(name), load_oracle(name)
    for seed in range(4 if PROVE else 1):
        text = long_text(tok, seed)
        whole = tok.encode(text)
        wanted = oracle.encode(text)
        assert whole.ids == wanted.ids
        assert whole.tokens == wanted.tokens
        assert whole.offsets == wanted.offsets
        assert whole.word_ids == wanted.word_ids
        ids, row_offsets = tok.encode_batch_flat([text], threads=3)
        assert ids.tolist() == wanted.ids
        assert row_offsets.tolist() == [0, len(wanted.ids)]
        for special in ("all", "none"):
            known = serial(tok, text, special=special)
            assert tok.encode(text, special=special).ids == known.ids
            assert tok.encode_batch([text], special=special, threads=2)[0].offsets == known.offsets


@pytest.mark.parametrize("name", CUT)
def test_a_text_without_a_place_to_cut(name: str, load: Load) -> None:
    tok = load(name)
    for part in ("漢", "a", " ", "\n", "\u0301", "=", "🙂"):
        text = part * (LONG_BYTES // len(part.encode()) + 10)
        assert tok.encode(text).ids == serial(tok, text).ids


@pytest.mark.parametrize("name", CUT)
def test_an_error_is_the_whole_texts(name: str, load: Load) -> None:
    tok = load(name)
    added = tok.get_added_tokens_decoder().values()
    token = next(token.content for token in added if token.special)
    text = "some words, and " * (LONG_BYTES // 10) + token + " more of them" * 100
    with pytest.raises(fretsaw.EncodeError) as one:
        tok.encode(text, special="error")
    with pytest.raises(fretsaw.EncodeError) as other:
        serial(tok, text, special="error")
    assert str(other.value) == f"text at index 0: {one.value}"


def test_cut_and_filled_up_as_the_settings_say(read_file: Callable[[str], bytes]) -> None:
    tok = fretsaw.Tokenizer.from_str(read_file("gpt2"))
    text = long_text(tok, 9)
    for direction in ("left", "right"):
        tok.enable_truncation(50_000, direction=direction)
        tok.enable_padding(length=120_000, direction=direction)
        whole, known = tok.encode(text), serial(tok, text)
        assert (whole.ids, whole.offsets) == (known.ids, known.offsets)
        assert whole.attention_mask == known.attention_mask
