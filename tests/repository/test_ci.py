"""`.ci/run`, the Makefile, and that a skipped test can be made to count as a failure."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

SKIPPING = """
import pytest
def test_passes(): pass
@pytest.mark.skip(reason="no data")
def test_skipped(): pass
"""


@pytest.mark.parametrize(("options", "code"), [([], 0), (["--fail-on-skip"], 1)])
def test_a_skip_fails_on_demand(tmp_path: Path, options: list[str], code: int):
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    (tmp_path / "test_one.py").write_text(SKIPPING)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rs", *options, "."]
    # The run that this is part of may have options of its own.
    env = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    result = subprocess.run(
        command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert result.returncode == code, result.stdout
    assert "no data" in result.stdout
    assert ("test_skipped" in result.stdout) is bool(code)


def test_ci_runs_lint_and_tests():
    script = ROOT / ".ci" / "run"
    subprocess.run(["bash", "-n", str(script)], check=True)
    assert script.stat().st_mode & 0o111
    text = script.read_text()
    for part in (
        "set -euo pipefail",
        "make lint",
        "make test",
        "scripts/fuzz.py --each 5 --seed 1",
        "--check",
        "--fail-on-skip",
        "chromium",
    ):
        assert part in text


def test_the_makefile_has_its_targets():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    wanted = {"run", "build", "test", "lint", "bench", "oracle", "planted", "prove", "clean"}
    wanted |= {"bench-against", "bench-quick", "fuzz"}
    wanted |= {"wheel", "sdist", "crate", "sbom", "deny", "newcomer"}
    assert wanted <= targets
