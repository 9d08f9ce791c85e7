"""The benchmark programs run, on tiny inputs; what they measure is not looked at."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from frozen import TESTS

BENCHMARKS = TESTS.parent / "benchmarks"


def run(*arguments: str) -> str:
    """The standard output of a benchmark that must succeed."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=BENCHMARKS,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_run(tmp_path: Path) -> None:
    path = tmp_path / "numbers.json"
    options = ["--quick", "--rounds", "5", "--texts", "en_prose", "--tokenizers", "gpt2"]
    printed = run("run.py", *options, "--json", str(path))
    assert "fretsaw" in printed
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["setting"]["cpu"]
    assert len(document["results"]) == 6
    for result in document["results"]:
        assert {"fretsaw", "tokenizers"} <= set(result["peers"])
        assert result["peers"]["fretsaw"]["times_fretsaw"] == 1.0


def test_linear() -> None:
    printed = run("linear.py", "--small-bytes", "1000", "--large-bytes", "10000", "--rounds", "1")
    assert printed.count(" times") == 11
