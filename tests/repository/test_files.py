"""Names and sizes of files, notes left behind, and the lists of dependencies."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("crates", "python", "tests", "scripts", "benchmarks", "docs", "examples", "fuzz", "loom")
BANNED_NAMES = {"utils", "util", "common", "helpers", "helper", "misc"}
MAX_LINES = 600
MAY_BE_LONG = {
    # Not generated, but one class, with a documented example for each of its methods.
    "python/fretsaw/_native.pyi",
    "crates/fretsaw/src/unicode/normalization/tables.rs",
    "crates/fretsaw/src/unicode/tables.rs",
}
NOTES = ("TO" + "DO", "FIX" + "ME", "XX" + "X:")
NOT_OURS = {"scripts/oracle/sentences.py"}
"""Texts for the oracle, among them code with a note in it."""


def files(*suffixes: str) -> list[Path]:
    return sorted(
        path
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
        if path.suffix in suffixes and "cache" not in str(path) and "target" not in path.parts
    )


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_no_file_has_a_name_that_says_nothing():
    assert [
        relative(path)
        for path in files(".py", ".pyi", ".rs", ".md")
        if BANNED_NAMES & {part.lower() for part in path.relative_to(ROOT).with_suffix("").parts}
    ] == []


def test_no_file_is_too_long():
    long = {
        relative(path)
        for path in files(".py", ".pyi", ".rs", ".md")
        if len(path.read_text().splitlines()) > MAX_LINES
    }
    assert long - MAY_BE_LONG == set()


def test_no_notes_are_left_behind():
    assert [
        f"{relative(path)}: {note}"
        for path in files(".py", ".pyi", ".rs", ".md", ".toml")
        for note in NOTES
        if note in path.read_text() and relative(path) not in NOT_OURS
    ] == []


def test_no_wheel_or_library_is_kept():
    listed = (ROOT / ".gitignore").read_text().splitlines()
    assert {"/target", "/.venv", "/python/fretsaw/*.so"} <= set(listed)


def documented(heading: str) -> set[str]:
    """The first column of the tables under a heading of docs/dependencies.md."""
    text = (ROOT / "docs" / "dependencies.md").read_text()
    section = text.split(f"## {heading}\n")[1].split("\n## ")[0]
    return set(re.findall(r"^\| `([\w-]+)` \|", section, re.M))


def test_every_crate_is_documented():
    used = set()
    alone = [ROOT / folder / "Cargo.toml" for folder in ("fuzz", "loom")]
    for manifest in [*(ROOT / "crates").glob("*/Cargo.toml"), *alone]:
        document = tomllib.loads(manifest.read_text())
        tables = [document, *document.get("target", {}).values()]
        for table in tables:
            for kind in ("dependencies", "dev-dependencies", "build-dependencies"):
                used |= set(table.get(kind, {}))
    assert documented("Rust") == used - {"fretsaw", "fretsaw-bulk"}


def test_every_package_is_documented():
    document = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project = document["project"]
    extras = project["optional-dependencies"].values()
    listed = [project["dependencies"], document["build-system"]["requires"], *extras]
    used = {re.split(r"[<>=~!\[ ]", entry)[0] for entries in listed for entry in entries}
    assert documented("Python") == used
