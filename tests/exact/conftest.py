"""Tokenizers by name, as fretsaw and as the oracle load them."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import tokenizers

import fretsaw

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "scripts")]

ReadFile = Callable[[str], bytes]


@pytest.fixture(scope="session")
def read_file(request: pytest.FixtureRequest, fixture_dir: Path) -> ReadFile:
    """The content of the tokenizer.json of a name, from the fixtures or the data folder."""
    read: dict[str, bytes] = {}

    def read_once(name: str) -> bytes:
        if name not in read:
            path = fixture_dir / f"{name}.json.gz"
            if not path.exists():
                data_dir: Path = request.getfixturevalue("data_dir")
                path = data_dir / "tokenizers" / f"{name}.json.gz"
            read[name] = gzip.decompress(path.read_bytes())
        return read[name]

    return read_once


@pytest.fixture(scope="session")
def load(read_file: ReadFile) -> Callable[[str], fretsaw.Tokenizer]:
    """The tokenizer of a name; it neither truncates nor pads."""
    loaded: dict[str, fretsaw.Tokenizer] = {}

    def load_once(name: str) -> fretsaw.Tokenizer:
        if name not in loaded:
            loaded[name] = fretsaw.Tokenizer.from_str(read_file(name))
            loaded[name].no_truncation()
            loaded[name].no_padding()
        return loaded[name]

    return load_once


@pytest.fixture(scope="session")
def load_oracle(read_file: ReadFile) -> Callable[[str], tokenizers.Tokenizer]:
    """The oracle of a name; it neither truncates nor pads."""
    loaded: dict[str, tokenizers.Tokenizer] = {}

    def load_once(name: str) -> tokenizers.Tokenizer:
        if name not in loaded:
            loaded[name] = tokenizers.Tokenizer.from_str(read_file(name).decode("utf-8"))
            loaded[name].no_truncation()
            loaded[name].no_padding()
        return loaded[name]

    return load_once
