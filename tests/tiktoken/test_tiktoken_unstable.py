"""`encode_with_unstable` gives tiktoken's stable ids and, as a set, its completions."""

import pytest

from fretsaw.integrations import tiktoken as ours
from oracle.random_strings import random_strings

TEXTS = [
    "",
    "h",
    "hello fanta",
    "hello world",
    "hello  ",
    "hello \n \n",
    "x = 1\n    ",
    "a\n\n",
    " ",
    "\t",
    "caf\u00e9",
    "世界",
    "👋🏽",
    "12345",
    "don'",
    "it'r",
    "\u3000",
    "a \u0085",
    "a\x1c",
    "<|endoftext|>",
    "a<|endoftext|>",
    "a<|endoftext|> b",
    "aaaaaaaaaa",
]


def both(theirs, mine, text):
    for enc in (theirs, mine):
        stable, completions = enc.encode_with_unstable(text, allowed_special="all")
        assert len({tuple(ids) for ids in completions}) == len(completions)
        yield stable, {tuple(ids) for ids in completions}


@pytest.mark.parametrize("encoding", ["r50k_base", "p50k_base", "cl100k_base", "o200k_base"])
def test_texts(encoding, oracle):
    theirs, mine = oracle(encoding), ours.get_encoding(encoding)
    for text in TEXTS:
        expected, found = both(theirs, mine, text)
        assert found == expected, text


def test_random_texts(oracle):
    for name in ("r50k_base", "cl100k_base", "o200k_base"):
        theirs, mine = oracle(name), ours.get_encoding(name)
        for text in random_strings(33, 0, 40):
            # The cost grows with the square of the last piece.
            expected, found = both(theirs, mine, text[:40])
            assert found == expected, text[:40]
