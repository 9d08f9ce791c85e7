"""`scripts/try_package.py` installs a package apart from all others, and fails if it doesn't do its work."""

import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import try_package  # noqa: E402


def wheel(folder: Path) -> Path:
    """A wheel that installs, with a package in it that can do nothing."""
    path = folder / "fretsaw-1-py3-none-any.whl"
    files = {
        "fretsaw/__init__.py": "",
        "fretsaw-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: fretsaw\nVersion: 1\n",
        "fretsaw-1.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "fretsaw-1.dist-info/RECORD": "",
    }
    with zipfile.ZipFile(path, "w") as packed:
        for name, text in files.items():
            packed.writestr(name, text)
    return path


def test_a_package_that_does_nothing_fails(tmp_path: Path):
    with pytest.raises(try_package.Failed, match=r"No module named 'fretsaw\.bulk'"):
        try_package.use(wheel(tmp_path), Path(sys.executable))


def test_nothing_of_the_environment_leads_back_here(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "python"))
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    kept = try_package.environment()
    assert not {"PYTHONPATH", "VIRTUAL_ENV"} & set(kept)
    assert kept["FRETSAW_CACHE"] == ""
    assert "PATH" in kept
