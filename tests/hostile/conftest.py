"""What the tests of hostile use share."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hostile_runs import Run, run_in


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs a program in `tmp_path`."""

    def run(program: str, path: str | bytes = "") -> subprocess.CompletedProcess[str]:
        return run_in(tmp_path, program, path)

    return run


@pytest.fixture
def vocabulary(tmp_path: Path, gpt2_json: bytes) -> Path:
    """A tokenizer.json in a folder of its own."""
    path = tmp_path / "vocabulary" / "tokenizer.json"
    path.parent.mkdir()
    path.write_bytes(gpt2_json)
    return path
