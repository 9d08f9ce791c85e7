"""Offsets that are summed from ids, on text made of few parts: what normalizers take away or make longer,
added tokens, characters that vocabularies lack."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any, Final

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


METASPACE: Final = {
    "type": "Metaspace",
    "replacement": "▁",
    "prepend_scheme": "always",
    "split": True,
}
MARKED: Final = {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, METASPACE]}
TRIM: Final = {
    "type": "ByteLevel",
    "trim_offsets": True,
    "add_prefix_space": True,
    "use_regex": True,
}


def unigram(*tokens: str) -> dict[str, Any]:
    return {"type": "Unigram", "vocab": [[token, -1.0] for token in tokens], "unk_id": 0}


def word_piece(prefix: str, unknown: str, *tokens: str) -> dict[str, Any]:
    vocab = {token: place for place, token in enumerate(tokens)}
    most = {"max_input_chars_per_word": 100}
    return {
        **{"type": "WordPiece", "vocab": vocab, "unk_token": unknown},
        **{"continuing_subword_prefix": prefix, **most},
    }


@pytest.mark.parametrize(
    ("model", "pre_tokenizer", "post_processor", "samples"),
    [
        # The unknown token of a Unigram model is white space.
        (
            *(unigram("<unk>", "▁", "a", "▁a", "b"), METASPACE, TRIM),
            ["a\nb", "a\u3000b x", "\r", "x\u0085 a", " a\n"],
        ),
        # WordPiece's prefix where a mark is in front of words.
        (
            *(word_piece("##", "<unk>", "<unk>", "▁", "##a", "##b", "▁a"), MARKED, None),
            ["b  ", "b  a", "ab ba", " b", "aab  bb "],
        ),
        # An unknown token that is a word too.
        (
            word_piece("##", "unk", "unk", "b", "##b", "##unk", "x", "bunk", "."),
            *({"type": "BertPreTokenizer"}, None, ["unkb.qq", "unk.q unkb", "qqunk"]),
        ),
        (
            word_piece("", "unk", "unk", "b", "x", "bunk"),
            *({"type": "BertPreTokenizer"}, None, ["b.q.unkb unk", "unkunk q.unk"]),
        ),
    ],
)
def test_tokens_that_stand_for_other_text(
    model: Any, pre_tokenizer: Any, post_processor: Any, samples: list[str]
) -> None:
    text = json.dumps(
        {"model": model, "pre_tokenizer": pre_tokenizer, "post_processor": post_processor}
    )
    ours, theirs = (kind.Tokenizer.from_str(text) for kind in (fretsaw, tokenizers))
    for sample in samples:
        assert ours.encode(sample).offsets == theirs.encode(sample).offsets, sample
