"""Random small pipelines against the oracle: what loads gives the same, what is refused is refused."""

from __future__ import annotations

import re
from typing import Final

import pytest
from compare_pipelines import Counts, differences, silence
from frozen import PROVE
from random_pipelines import TEXTS, make_case
from shrink_pipelines import shrink

SEED: Final = 2026
PIPELINES: Final = 20_000 if PROVE else 500
PART: Final = PIPELINES // 5

REFUSED: Final = (
    "a template behind another one",
    "the second sequence",
    "which special_tokens does not have",
    "two added tokens",
    "empty when normalized",
    "when the file is read",
    "length` is 0",
    "can't handle this text behind the ones before it",
)
"""What fretsaw alone may refuse."""


@pytest.mark.parametrize("start", range(0, PIPELINES, PART))
def test_random_pipelines(start: int) -> None:
    counts = Counts()
    for index in range(start, start + PART):
        case = make_case(SEED, index)
        with silence():
            found = next(differences(case, counts), None)
        if found is not None:
            small, difference = shrink(case, found)
            pytest.fail(f"pipeline {SEED}/{index}: {difference.line(small)}")
    assert counts.loaded > 0.85 * PART
    assert counts.texts >= 6 * TEXTS * counts.loaded
    assert counts.refused_by_both < 0.1 * PART
    assert counts.unsupported.total() < 0.1 * PART, counts.unsupported
    for message in counts.unsupported:
        assert any(re.search(reason, message) for reason in REFUSED), message


def test_the_same_numbers_make_the_same_case() -> None:
    assert make_case(1, 2) == make_case(1, 2)
    assert make_case(1, 2) != make_case(1, 3)
