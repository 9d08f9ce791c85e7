"""What the tests of the Python package share."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import fretsaw
import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "exact"))


@pytest.fixture(scope="session")
def gpt2() -> fretsaw.Tokenizer:
    """The built-in GPT-2."""
    return fretsaw.get("gpt2")


@pytest.fixture(scope="session")
def gpt2_spec(gpt2_json: bytes) -> dict[str, Any]:
    """GPT-2's tokenizer.json, parsed."""
    spec: dict[str, Any] = json.loads(gpt2_json)
    return spec
