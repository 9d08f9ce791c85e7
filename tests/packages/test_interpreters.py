"""`scripts/interpreters.py` takes each CPython from 3.11 on once, and passes over what is none."""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import interpreters  # noqa: E402
import try_package  # noqa: E402


def program(folder: Path, name: str, answer: list[object] | None) -> Path:
    """A program that says what it is, or that fails."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    said = (
        "exit 127"
        if answer is None
        else f"echo '{json.dumps([*answer[:2], str(path), *answer[2:]])}'"
    )
    path.write_text(f"#!/bin/sh\n{said}\n")
    path.chmod(0o755)
    return path


def test_each_version_once_and_the_oldest_first(tmp_path: Path):
    first, second = tmp_path / "first", tmp_path / "second"
    newest = program(first, "python3.13", ["cpython", [3, 13], False])
    program(first, "python3.10", ["cpython", [3, 10], False])
    program(first, "python3.12", None)
    program(first, "python3", ["cpython", [3, 15], False])
    program(first, "python3.11-config", ["cpython", [3, 15], False])
    program(second, "python3.13", ["cpython", [3, 13], False])
    program(second, "python3.14", ["pypy", [3, 14], False])
    middle = program(second, "python3.12", ["cpython", [3, 12], False])
    found = interpreters.interpreters([first, second, tmp_path / "not there"])
    assert found == [middle, newest]


def test_free_threaded_from_the_version_that_pyo3_builds_for(tmp_path: Path):
    program(tmp_path, "python3.13t", ["cpython", [3, 13], True])
    newer = program(tmp_path, "python3.14t", ["cpython", [3, 14], True])
    usual = program(tmp_path, "python3.14", ["cpython", [3, 14], False])
    assert interpreters.interpreters([tmp_path]) == [usual, newer]


def test_the_environment_that_this_runs_in_is_no_place_to_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    made, kept = tmp_path / "made", tmp_path / "kept"
    for folder in (made, kept):
        (folder / "bin").mkdir(parents=True)
    (made / "pyvenv.cfg").touch()
    monkeypatch.setenv("PATH", f"{made / 'bin'}:{kept / 'bin'}")
    folders = interpreters.search_folders()
    assert kept / "bin" in folders
    assert made / "bin" not in folders


def test_a_wheel_is_tried_with_the_interpreter_that_it_is_for(tmp_path: Path):
    there = [tmp_path / name for name in ("python3.11", "python3.13", "python3.14t")]
    for name, program in zip(("cp311-cp311", "cp313-cp313", "cp314-cp314t"), there, strict=True):
        wheel = Path(f"fretsaw-0.1.0-{name}-manylinux_2_17_x86_64.whl")
        assert try_package.interpreter_for(wheel, there) == program
    assert try_package.interpreter_for(Path("fretsaw-0.1.0.tar.gz"), there) == there[0]
    with pytest.raises(try_package.Failed, match=r"no python3\.12 here"):
        try_package.interpreter_for(Path("fretsaw-0.1.0-cp312-cp312-a.whl"), there)
