"""What the tests of the Python package share."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import fretsaw

sys.path.insert(0, str(Path(__file__).parent.parent / "exact"))


@pytest.fixture(scope="session")
def gpt2(gpt2_json: bytes) -> fretsaw.Tokenizer:
    """GPT-2 from its tokenizer.json."""
    return fretsaw.Tokenizer.from_str(gpt2_json)


@pytest.fixture(scope="session")
def gpt2_spec(gpt2_json: bytes) -> dict[str, Any]:
    """GPT-2's tokenizer.json, parsed."""
    spec: dict[str, Any] = json.loads(gpt2_json)
    return spec
