"""Reads `definitions.toml`: the cells that are measured, by name, and the goals of their groups."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("definitions.toml")

OUTPUTS = {
    *("ids", "object", "lists", "flat", "offsets"),
    *("load", "load_json", "first", "memory", "threads", "slope"),
    *("push", "decode", "decode_threads", "count", "extend", "index"),
}
STATES = {"warm", "cold"}


@dataclass(frozen=True)
class Shape:
    """How many texts a request has, and how long each is."""

    count: int
    text_bytes: int
    requests: int
    """How many requests of distinct texts there are where the text suffices; all are timed together."""


KIB = 1024
SHAPES = {
    "140B": Shape(1, 140, 256),
    "32x140B": Shape(32, 140, 16),
    "512x140B": Shape(512, 140, 4),
    "4KiB": Shape(1, 4 * KIB, 64),
    "64KiB": Shape(1, 64 * KIB, 12),
    "1MiB": Shape(1, 1024 * KIB, 3),
    "4MiB": Shape(1, 4096 * KIB, 2),
    "64KiB-docs": Shape(16, 64 * KIB, 2),
    "0.9MB-docs": Shape(20, 900_000, 1),
    # Texts of which the first ids are taken, as many as the name says.
    "10000ids": Shape(1, 128 * KIB, 1),
    "32x10000ids": Shape(32, 128 * KIB, 1),
    # A text, and how much is added to it; a text, and how much longer another one is.
    "100KB+100": Shape(1, 100_100, 1),
    "100KB-10MB": Shape(1, 10_000_000, 1),
}


@dataclass(frozen=True)
class Cell:
    """One thing that is measured."""

    group: str
    tokenizer: str
    text: str
    shape: str
    output: str
    state: str
    quick: bool
    goals: dict[str, float]
    """What is asked for, by the names that `definitions.toml` explains."""

    @property
    def name(self) -> str:
        """`group/tokenizer/text/shape`."""
        return f"{self.group}/{self.tokenizer}/{self.text}/{self.shape}"


@dataclass(frozen=True)
class Definitions:
    """All of the file."""

    texts: dict[str, list[str]]
    stand_ins: dict[str, dict[str, str]]
    groups: dict[str, str]
    """What each group is, in words."""
    cells: list[Cell]


def load_definitions(path: Path = FILE) -> Definitions:
    """The cells in the order of the file; a name or value that is unknown is a `ValueError`."""
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    cells = [
        cell
        for name, group in document["group"].items()
        for part in group["parts"]
        for cell in _cells(name, group, part)
    ]
    definitions = Definitions(
        document["texts"],
        document["stand_ins"],
        {name: group["what"] for name, group in document["group"].items()},
        cells,
    )
    _check(definitions)
    return definitions


def chosen(cells: list[Cell], quick: bool, pattern: str | None) -> list[Cell]:
    """The cells that are quick, or whose name has a pattern (with `*`) in it."""
    kept = [cell for cell in cells if cell.quick or not quick]
    return [cell for cell in kept if not pattern or fnmatchcase(cell.name, f"*{pattern}*")]


def _cells(name: str, group: dict[str, Any], part: dict[str, Any]) -> Iterator[Cell]:
    settings = {**group, **part}
    goals = {
        key: float(settings[key])
        for key in ("goal", "goal_tokenizers", "most", "most_ms", "most_mib")
        if key in settings
    }
    quick = set(part.get("quick", []))
    for tokenizer, text, shape in itertools.product(
        part["tokenizers"], part["texts"], part["shapes"]
    ):
        is_quick = f"{tokenizer}/{text}/{shape}" in quick
        quick.discard(f"{tokenizer}/{text}/{shape}")
        state = settings.get("state", "warm")
        yield Cell(name, tokenizer, text, shape, settings["output"], state, is_quick, goals)
    if quick:
        raise ValueError(f"group {name}: quick names no cell: {sorted(quick)}")


def _check(definitions: Definitions) -> None:
    names = [cell.name for cell in definitions.cells]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"cells of the same name: {sorted(twice)}")
    for cell in definitions.cells:
        for value, known in (
            (cell.text, definitions.texts),
            (cell.shape, SHAPES),
            (cell.output, OUTPUTS),
            (cell.state, STATES),
        ):
            if value not in known:
                raise ValueError(f"{cell.name}: {value!r} is not known")
        if not cell.goals:
            raise ValueError(f"{cell.name}: no goal")
