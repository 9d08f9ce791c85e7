"""Everything that encodings say against the oracle's frozen digests: random strings and texts.

Of the blocks of each tokenizer some are checked always, another choice for each, and all to prove.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Final

import pytest
from compare_pipelines import silence
from frozen import HEX_DIGITS, PROVE, TESTS

import fretsaw
from oracle import encoding_jobs, inputs
from oracle.encoding_digests import digest_of, parameters
from oracle.encoding_jobs import BLOCKS, KINDS, Job
from oracle.tables import ALL_NAMES

Load = Callable[[str], fretsaw.Tokenizer]

MOST_TEXTS: Final = 100 if PROVE else 2

each_tokenizer = pytest.mark.parametrize("name", ALL_NAMES)


@cache
def frozen() -> dict[str, Any]:
    """All of encoding_digests.json."""
    path = TESTS / "golden" / "encoding_digests.json"
    document: dict[str, Any] = json.loads(path.read_text(encoding="ascii"))
    return document


@cache
def block(kind: str, number: int) -> list[Job]:
    return next(islice(encoding_jobs.blocks(kind), number, None))


def test_the_jobs_are_the_ones_that_the_digests_are_of() -> None:
    assert parameters() == frozen()["parameters"]
    assert sorted(frozen()["tokenizers"]) == sorted(ALL_NAMES)


@each_tokenizer
def test_random_strings(name: str, load: Load) -> None:
    tok, expected = load(name), frozen()["tokenizers"][name]
    first = ALL_NAMES.index(name)
    wrong = []
    for place, kind in enumerate(KINDS):
        for number in range(BLOCKS) if PROVE else [(first + place) % BLOCKS]:
            wanted = expected[kind][number * HEX_DIGITS : (number + 1) * HEX_DIGITS]
            with silence():
                found = digest_of(tok, block(kind, number))
            wrong += [f"{kind}: block {number}"] if found != wanted else []
    assert wrong == []


@each_tokenizer
def test_texts(name: str, load: Load, data_dir: Path) -> None:
    assert data_dir.is_dir()
    tok, expected = load(name), frozen()["tokenizers"][name]["text"]
    assert sorted(expected) == inputs.text_names()
    step = 5 * ALL_NAMES.index(name)
    names = [*expected][step % len(expected) :] + [*expected][: step % len(expected)]
    wrong = [
        text
        for text in names[:MOST_TEXTS]
        if digest_of(tok, [encoding_jobs.of_text(text)]) != expected[text]
    ]
    assert wrong == []
