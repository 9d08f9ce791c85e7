"""Every limit that docs/limits.md names has a test that is there."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_each_limit_names_tests_that_are_there():
    table = (ROOT / "docs" / "limits.md").read_text()
    rows = [line for line in table.splitlines() if line.startswith("| ") and " --- " not in line]
    named = {row: re.findall(r"`(\w+)`", row.split("|")[4]) for row in rows[1:]}
    sources = [*(ROOT / "tests").rglob("*.py"), *(ROOT / "crates").rglob("*.rs")]
    there = {
        name for path in sources for name in re.findall(r"\b(?:def|fn) (\w+)\(", path.read_text())
    }
    assert {name for names in named.values() for name in names} <= there
    unproven = [row for row, names in named.items() if not names]
    assert all("none: " in row or row.count("memory |") == 1 for row in unproven), unproven
