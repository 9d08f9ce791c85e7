"""Large inputs against the oracle's frozen digests: code points, random strings, whole texts."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from frozen import digest, digests, digests_of, with_digests, wrong_blocks

import fretsaw
from oracle import inputs

Load = Callable[[str], fretsaw.Tokenizer]

each_tokenizer = pytest.mark.parametrize("name", with_digests())


@cache
def sweep(context: str) -> tuple[list[str], ...]:
    """Every scalar value in one context, in blocks."""
    return tuple(inputs.sweep_blocks(inputs.SWEEP_CONTEXTS[context]))


def parameters() -> dict[str, Any]:
    """How the digests were made."""
    found: dict[str, Any] = digests()["parameters"]
    return found


@each_tokenizer
def test_the_file_is_the_one_that_the_digests_are_of(
    name: str, read_file: Callable[[str], bytes]
) -> None:
    assert hashlib.sha256(read_file(name)).hexdigest() == digests_of(name)["sha256"]


def test_the_inputs_are_the_ones_that_the_digests_are_of() -> None:
    made = parameters()
    assert inputs.random_strings_sha256() == made["random"]["sha256"]
    assert made["sweep"] == {"block": inputs.SWEEP_BLOCK, "contexts": inputs.SWEEP_CONTEXTS}
    assert made["with_special_tokens"]["count"] == inputs.SPECIAL_COUNT


def test_the_sweep_is_of_every_scalar_value() -> None:
    for context in inputs.SWEEP_CONTEXTS:
        assert len(sweep(context)) == 272
        assert sum(map(len, sweep(context))) == 1_112_064


@each_tokenizer
@pytest.mark.parametrize("context", list(inputs.SWEEP_CONTEXTS))
def test_every_scalar_value(name: str, context: str, load: Load) -> None:
    expected = digests_of(name)["sweep"][context]
    assert wrong_blocks(load(name), sweep(context), expected) == []


@each_tokenizer
def test_random_strings(name: str, load: Load) -> None:
    expected = digests_of(name)["random"]
    assert wrong_blocks(load(name), inputs.random_blocks(), expected) == []


@each_tokenizer
def test_random_strings_with_special_tokens(name: str, load: Load) -> None:
    blocks = inputs.random_blocks()[: inputs.SPECIAL_COUNT // inputs.RANDOM_BLOCK]
    expected = digests_of(name)["with_special_tokens"]
    assert digest(load(name), blocks, special=True) == expected


@cache
def text_of(name: str) -> str:
    """One text of the data folder, checked against its SHA-256."""
    data = inputs.text_bytes(name)
    assert hashlib.sha256(data).hexdigest() == parameters()["text"][name]
    return data.decode("utf-8")


@each_tokenizer
def test_texts(name: str, load: Load, data_dir: Path) -> None:
    assert data_dir.is_dir()
    frozen = digests_of(name)
    tok = load(name)
    wrong = []
    for text_name, expected in frozen["text"].items():
        text = text_of(text_name)
        found = {
            "lines": digest(tok, inputs.line_batches(text)),
            "whole": digest(tok, [[text]]),
        }
        wrong += [f"{text_name}: {cut}" for cut in found if found[cut] != expected[cut]]
    assert sorted(frozen["text"]) == inputs.text_names()
    assert wrong == []
