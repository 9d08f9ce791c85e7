"""Added tokens in the white space that another one takes: ids, tokens and offsets as the oracle's.

A token with `rstrip` takes the white space behind it, and a later one is still found in that space.
"""

import random

import pytest
import tokenizers
from tokenizers import AddedToken, models, normalizers

import fretsaw

NEWLINES = ["\n", "\n\n", "\n\n\n"]


def oracle(first: AddedToken) -> tokenizers.Tokenizer:
    """A small tokenizer of Gemma's kind: spaces are marks, newlines added tokens."""
    vocab = [
        "<unk>",
        *NEWLINES,
        "\u2581",
        "a",
        "b",
        ".",
        "\u2581a",
        "\u2581\u2581",
        "ab",
        "\u2581ab",
    ]
    merges = [("\u2581", "a"), ("\u2581", "\u2581"), ("a", "b"), ("\u2581a", "b")]
    ids = {token: id for id, token in enumerate(vocab)}
    tok = tokenizers.Tokenizer(models.BPE(ids, merges, unk_token="<unk>", fuse_unk=True))
    tok.normalizer = normalizers.Replace(" ", "\u2581")
    tok.add_tokens([AddedToken(text, normalized=False) for text in NEWLINES])
    tok.add_special_tokens([first, AddedToken("<e>", normalized=False)])
    return tok


@pytest.mark.parametrize(
    "first",
    [
        AddedToken("<x>", rstrip=True, normalized=False),
        AddedToken("<x>", rstrip=True, lstrip=True, normalized=False),
        AddedToken("<x>", lstrip=True, normalized=False),
        AddedToken("<x>", single_word=True, rstrip=True, normalized=False),
    ],
    ids=["rstrip", "both", "lstrip", "single_word"],
)
def test_tokens_in_taken_space(first: AddedToken) -> None:
    known = oracle(first)
    tok = fretsaw.Tokenizer.from_str(known.to_str())
    draw = random.Random(7)
    parts = [
        "<x>",
        "<x>",
        "<e>",
        " ",
        "  ",
        "\n",
        "\n\n",
        "a",
        "ab",
        ".",
        " ab",
        " " * 70,
        "ab" * 30,
    ]
    texts = [
        "<x> \n ab",
        "<x>\n ab",
        "<x>" + " " * 70 + "\n ab <e><e>",
        "<x> \n" + " " * 70 + "ab<e>",
    ]
    texts += ["".join(draw.choices(parts, k=draw.randint(1, 14))) for _ in range(1500)]
    for text in texts:
        want, got = known.encode(text), tok.encode(text)
        assert got.offsets == want.offsets, text
        assert got.ids == want.ids == list(tok.encode_ids(text)), text
        assert got.tokens == want.tokens, text
        assert tok.count(text) == len(want.ids), text
