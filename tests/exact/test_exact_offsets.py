"""Offsets that are summed from ids, on text made of few parts: what normalizers take away or make longer,
added tokens, characters that vocabularies lack."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Final

import pytest
import tokenizers
from frozen import PROVE

import fretsaw
from oracle.tables import ALL_NAMES

PARTS: Final = (
    *"abcdefgstYZ019.,!?'\"`",
    *("  ", "   ", " ", " ", "\n", "\n\n", "\r\n", "\t", "\u3000", "\u00a0", "\u0085", "▁"),
    *("é", "ß", "İ", "ﬁ", "…", "“", "’", "漢", "字", "😀", "👍🏽", "e\u0301", "\u200b", "\u00ad"),
    *(
        "``",
        "''",
        "'s",
        "'re",
        "'LL",
        "the",
        " of",
        " Hello",
        "World",
        "ing",
        "²",
        "½",
        "\0",
        "\x1f",
    ),
    *(
        "<|startoftext|>",
        "<|endoftext|>",
        "<pad>",
        "<s>",
        "</s>",
        "[CLS]",
        "[MASK]",
        "<extra_id_0>",
    ),
)

KINDS: Final = (
    *("albert-v5save", "bert-base-uncased", "clip-vit", "envit5", "gpt-neox", "gpt2", "llama2"),
    *("mbart-zero-scores", "modernbert", "t5-custom-32k", "t5-v1_1-xxl", "xlnet-base-cased"),
)
"""One of each way in which text is moved or passed over."""


def texts(name: str, count: int) -> Iterator[str]:
    source = random.Random(f"offsets of {name}")
    for _ in range(count):
        few = source.sample(PARTS, source.randint(1, 12))
        yield "".join(source.choices(few, k=source.randint(0, 40)))


@pytest.mark.parametrize("name", ALL_NAMES if PROVE else KINDS)
def test_offsets_before_anything_else(
    name: str,
    load: Callable[[str], fretsaw.Tokenizer],
    load_oracle: Callable[[str], tokenizers.Tokenizer],
) -> None:
    tok, oracle = load(name), load_oracle(name)
    for text in texts(name, 20_000 if PROVE else 400):
        found, wanted = tok.encode(text), oracle.encode(text)
        assert (found.offsets, found.ids) == (wanted.offsets, wanted.ids), text
