"""Long texts without variety: the oracle's ids for 100 KB, and decoding inverts for 1 MB (10 to prove).

How long they take is for `benchmarks/linear.py`; here they only have to end.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
import tokenizers
from frozen import IN_FIXTURES, PROVE

import fretsaw

Load = Callable[[str], fretsaw.Tokenizer]
LoadOracle = Callable[[str], tokenizers.Tokenizer]

UNITS = {
    "one letter": "a",
    "spaces": " ",
    "newlines": "\n",
    "ab": "ab",
    "a word without a break": "thequickbrownfoxjumpsoverthelazydog",
    "combining marks": "\u0301",
    "stacked marks": "e\u0301\u0323\u0308",
    "digits": "1234567890",
    "signs": "=",
    "apostrophes": "'",
    "contractions": "'s",
    "NUL": "\x00",
    "Han": "\u4e2d\u6587",
    "emoji": "\U0001f468\u200d\U0001f469",
    "space and newline": " \n",
    "no-break spaces": "\u00a0",
    "half a marker": "<|endoftext|",
    "markers": "<|endoftext|>",
}

each_unit = pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)


def repeated(unit: str, size_bytes: int) -> str:
    """A unit over and over, about so many bytes, with something else at the end."""
    return unit * (size_bytes // len(unit.encode())) + "."


@each_unit
@pytest.mark.parametrize("name", IN_FIXTURES)
def test_100_kb_as_the_oracle(name: str, unit: str, load: Load, load_oracle: LoadOracle) -> None:
    text = repeated(unit, 100_000)
    ids = load_oracle(name).encode(text).ids
    assert load(name).encode_ids(text) == ids
    assert load(name).count(text) == len(ids)


@each_unit
def test_decoding_inverts(unit: str, load: Load) -> None:
    tok = load("gpt2")
    text = repeated(unit, 10_000_000 if PROVE else 1_000_000)
    ids = tok.encode_ids(text)
    assert tok.decode(ids, skip_special_tokens=False) == text
    assert tok.encode_batch_flat([text], threads=2)[0].tolist() == ids
