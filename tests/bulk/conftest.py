"""Corpora for the tests of bulk work."""

from pathlib import Path

import pytest
from bulk_corpora import sentences

import fretsaw


@pytest.fixture(scope="session")
def gpt2() -> fretsaw.Tokenizer:
    return fretsaw.get("gpt2")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A text file of 3,000 lines."""
    path = tmp_path / "corpus.txt"
    path.write_text("".join(text + "\n" for text in sentences(3000)))
    return path
