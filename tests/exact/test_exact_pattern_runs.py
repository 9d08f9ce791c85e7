"""Regular expressions that mean runs of a set, and those that only look like it, against the oracle."""

from __future__ import annotations

import itertools
import json
from typing import Any, Final

import pytest
import tokenizers

import fretsaw

PATTERNS: Final = (
    *(
        "",
        "()",
        "(?:)",
        " {2,}",
        " +",
        r"\s+",
        r"\s",
        "[ab]{1,2}",
        "a{2}",
        "aa",
        r"[^\S\n]+",
        "é{1,3}",
    ),
    # Braces that are no number of times, and ranges that end in an operator.
    *("a{+2}", " {+2}", "a{2,+3}", "a{+2,}", "a{,2}", "a{ 2}", "a{}", "[!-&&b]", "a{0,2}", "a{2}+"),
    # Without regard to case some characters stand for several.
    *("(?i:ss)", "(?i:ssss)", "(?i:fffff)", "(?i:s)+", "(?i)ff+", "(?i:[ks])+"),
)
REFUSED: Final = ("a{100001}", "a{1,200000}", "a{1,4294967295}", "[", "a{3,2}(")
BEHAVIORS: Final = ("isolated", "removed", "merged_with_previous", "merged_with_next", "contiguous")
TEXTS: Final = (
    *("", "a", "aaa", "aaaaa b", "  a   b    ", "a{+2}", " {+2}", "a{}a{ 2}", '!"#&b', "ßß", "ﬀﬀf"),
    *("fffffﬀ", "SsSsß", "KkK\u212a", "\u3000 \n\n\u0085x", "ééééa", "a\u00a0 \u2003b"),
)


def split(pattern: str, behavior: str, invert: bool) -> dict[str, Any]:
    parts = {"pattern": {"Regex": pattern}, "invert": invert}
    return {"type": "Split", "behavior": behavior.title().replace("_", ""), **parts}


def document(pre_tokenizer: Any, normalizer: Any) -> str:
    model = {"type": "WordLevel", "vocab": {"<unk>": 0}, "unk_token": "<unk>"}
    return json.dumps({"pre_tokenizer": pre_tokenizer, "normalizer": normalizer, "model": model})


@pytest.mark.parametrize("pattern", PATTERNS)
def test_splits(pattern: str) -> None:
    for behavior, invert in itertools.product(BEHAVIORS, (False, True)):
        text = document(split(pattern, behavior, invert), None)
        ours, theirs = (kind.Tokenizer.from_str(text) for kind in (fretsaw, tokenizers))
        for sample in TEXTS:
            found, wanted = ours.encode(sample), theirs.encode(sample)
            assert found.offsets == wanted.offsets, (behavior, invert, sample)


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("content", ["", " ", "x", "é"])
def test_replaces(pattern: str, content: str) -> None:
    replace = {"type": "Replace", "pattern": {"Regex": pattern}, "content": content}
    # One piece a character says what each of them stands for.
    text = document(split(".|\n", "isolated", False), replace)
    ours, theirs = (kind.Tokenizer.from_str(text) for kind in (fretsaw, tokenizers))
    for sample in TEXTS:
        assert ours.normalize(sample) == theirs.normalizer.normalize_str(sample), sample
        assert ours.encode(sample).offsets == theirs.encode(sample).offsets, sample


@pytest.mark.parametrize("pattern", REFUSED)
def test_refused(pattern: str) -> None:
    text = document(split(pattern, "isolated", False), None)
    with pytest.raises(Exception, match=r"."):
        tokenizers.Tokenizer.from_str(text)
    with pytest.raises(fretsaw.SpecError, match=r"pre_tokenizer\.pattern"):
        fretsaw.Tokenizer.from_str(text)
