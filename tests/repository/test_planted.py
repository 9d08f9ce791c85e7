"""The planted bugs apply to the sources as they are; `make planted` runs the tests that see them."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATCHES = sorted((ROOT / "tests" / "planted").glob("*.patch"))


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_a_patch_applies(patch: Path) -> None:
    command = shutil.which("git")
    assert command
    applied = subprocess.run(
        [command, "apply", "--check", str(patch)], cwd=ROOT, capture_output=True, text=True
    )
    assert applied.returncode == 0, applied.stderr
