"""The benchmark programs run, on tiny inputs; what they measure is not looked at."""

from __future__ import annotations

import csv
import doctest
import json
import subprocess
import sys
from pathlib import Path

import pytest
from frozen import TESTS

from fretsaw.cli import _peers, _rounds

BENCHMARKS = TESTS.parent / "benchmarks"


def run(*arguments: str, code: int = 0) -> str:
    """The standard output of a benchmark that must end with that code."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=BENCHMARKS,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return done.stdout


@pytest.fixture
def definitions(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import definitions

    return definitions


def test_bulk() -> None:
    table = run("bulk.py", "--bytes", "1e4", "--rounds", "1")
    runs = json.loads(table.splitlines()[-1])["runs"]
    assert all(len(found) == 1 for way, found in runs.items() if way.startswith("fretsaw"))
    assert "fretsaw, jsonl to .bin" in table


def test_definitions(definitions) -> None:
    found = definitions.load_definitions()
    names = [cell.name for cell in found.cells]
    assert 320 <= len(names) <= 360
    assert len(definitions.chosen(found.cells, quick=True, pattern=None)) == 46
    assert {cell.group for cell in found.cells} == set(found.groups)
    some = definitions.chosen(found.cells, quick=False, pattern="flat-*/gpt2/zh")
    assert {cell.group for cell in some} == {"byte-level-flat-other", "byte-level-flat-cold"}


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('output = "object"', 'output = "objects"', "'objects' is not known"),
        ('quick = ["gpt2/en/140B"]', 'quick = ["gpt3/en/140B"]', "quick names no cell"),
        ('tokenizers = ["gpt2"]', 'tokenizers = ["gpt2", "gpt2"]', "cells of the same name"),
        ("goal = 2.5\n", "", "no goal"),
        ('shapes = ["0.9MB-docs"]', 'shapes = ["9MB-docs"]', "'9MB-docs' is not known"),
    ],
)
def test_definitions_that_are_wrong(
    definitions, tmp_path: Path, before: str, after: str, message: str
) -> None:
    text = definitions.FILE.read_text(encoding="utf-8")
    assert before in text
    path = tmp_path / "definitions.toml"
    path.write_text(text.replace(before, after), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        definitions.load_definitions(path)


def test_texts_are_different_slices(definitions) -> None:
    from corpora import requests

    data = "".join(f"line {number} é\n" for number in range(1000)).encode()
    found = requests(data, 4, 100, 8)
    assert [len(request) for request in found] == [4] * 8
    assert len({text for request in found for text in request}) == 32
    assert [len(request) for request in requests(data, 500, 100, 2)] == [len(data) // 100]
    assert requests(data, 1, 10**6, 2) == [[data.decode()]]


def test_examples(definitions) -> None:
    import intervals

    for module in (intervals, _peers, _rounds):
        found = doctest.testmod(module)
        assert (found.failed, found.attempted > 0) == (0, True), module


def test_one_tiny_cell(tmp_path: Path) -> None:
    printed = run("run.py", "--smoke", "--out", str(tmp_path))
    assert printed.startswith("1 cells in ")
    with (tmp_path / "speed" / "cells.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    timed = {row["library"]: row for row in rows if not row["left_out"]}
    assert {"fretsaw", "tokenizers"} <= set(timed)
    assert float(timed["fretsaw"]["ratio"]) == 1.0
    assert float(timed["tokenizers"]["median"]) > 0
    assert json.loads((tmp_path / "speed" / "setting.json").read_text())["cpu"]
    assert "byte-level-ids.svg" in (tmp_path / "speed.md").read_text(encoding="utf-8")
    assert (tmp_path / "speed" / "byte-level-ids.svg").read_text().endswith("</svg>\n")


def test_tiny_cells_of_serving(tmp_path: Path) -> None:
    run("run.py", "--smoke", "--only", "serving-*/gpt2/*", "--quick", "--out", str(tmp_path))
    with (tmp_path / "speed" / "cells.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if not row["left_out"]]
    by_output: dict[str, set[str]] = {}
    for row in rows:
        by_output.setdefault(row["output"], set()).add(row["library"])
        assert float(row["median"]) > 0
    assert {"fretsaw", "tokenizers"} <= by_output["push"] & by_output["decode"]
    assert by_output["decode_threads"] == {"fretsaw", "one thread"}
    assert by_output["count"] == by_output["extend"] == {"fretsaw", "encode_ids"}
    assert by_output["index"] == {"fretsaw"}


def test_gil() -> None:
    program = [sys.executable, "gil.py", "--calls", "1", "--sizes", "64KiB", "--texts", "zh_cn"]
    done = subprocess.run(
        program, cwd=BENCHMARKS, capture_output=True, text=True, timeout=240, check=False
    )
    # Without a shared library of Python, or a C compiler, it says so.
    assert done.returncode in (0, 3), done.stderr
    if done.returncode == 3:
        assert done.stderr.startswith("needs a ")
        return
    (found,) = json.loads(done.stdout.splitlines()[-1]).values()
    assert {"count", "encode", "encode_ids", "encode_batch", "decode"} <= set(found)
    # What is held is some of what the call takes, whatever the machine does.
    assert all(held > 0 and own >= 0 for held, own in found.values())


def test_no_such_cell() -> None:
    run("run.py", "--only", "gpt9", code=2)


def test_linear() -> None:
    printed = run("linear.py", "--small-bytes", "1000", "--large-bytes", "10000", "--rounds", "1")
    assert printed.count(" times") == 11


def measured(definitions, ours: list[float], theirs: list[float], **goals: float):
    from report import Measured

    cell = definitions.Cell("g", "gpt2", "en", "140B", "ids", "warm", False, goals)
    found = {"fretsaw": ours, "other": theirs}
    result = {"bytes": 140, "texts": 1, "found": found, "left_out": {"third": "not installed"}}
    return Measured.of(cell, result)


@pytest.mark.parametrize(
    ("ours", "theirs", "goals", "faults"),
    [
        ([1.0] * 5, [3.0] * 5, {"goal": 2}, []),
        ([1.0] * 5, [1.5] * 5, {"goal": 2}, ["1.50 (1.50 to 1.50), wanted 2"]),
        ([1.0] * 5, [0.5] * 5, {"goal": 1}, ["behind other: 0.50 (0.50 to 0.50)"]),
        # The goal is inside the interval.
        ([1.0] * 5, [0.5, 1.9, 1.9, 2.1, 9.0], {"goal": 2}, []),
        ([1.0] * 5, [3.0] * 5, {"goal": 1, "goal_tokenizers": 4}, []),
        ([2e-4] * 5, [1.0] * 5, {"goal": 1, "most_ms": 0.1}, ["0.2 ms, wanted 0.1"]),
    ],
)
def test_verdicts(definitions, ours, theirs, goals, faults) -> None:
    assert measured(definitions, ours, theirs, **goals).faults() == faults


def test_a_goal_against_hugging_face_alone(definitions) -> None:
    from report import Measured

    goals = {"goal": 1.0, "goal_tokenizers": 4.0}
    cell = definitions.Cell("g", "gpt2", "en", "140B", "push", "warm", False, goals)
    found = {"fretsaw": [1.0] * 5, "other": [1.5] * 5, "tokenizers": [3.0] * 5}
    result = {"bytes": 140, "texts": 1, "found": found, "left_out": {}}
    faults = Measured.of(cell, result).faults()
    assert faults == ["over tokenizers 3.00 (3.00 to 3.00), wanted 4"]


def test_a_loss_is_shown_as_one(definitions, tmp_path: Path) -> None:
    from report import write_all

    facts = {"cpu": "a CPU", "cpus": 2, "load": 0, "system": "", "python": "", "revision": ""}
    facts |= {
        "clock": "cpu",
        "rounds": 5,
        "minutes": 0,
        "versions": {},
        "texts": {},
        "text_source": "made up",
    }
    groups = definitions.Definitions({}, {}, {"g": "a group"}, [])
    one = measured(definitions, [1.0] * 5, [0.5] * 5, goal=1)
    page = write_all(tmp_path, groups, [one], facts).read_text(encoding="utf-8")
    assert "1 of 1 cells\n\n- `g/gpt2/en/140B`: behind other: 0.50" in page
    assert "| **behind** |" in page
    assert "| third | gpt2 | not installed | 1 |" in page
    drawing = (tmp_path / "speed" / "g.svg").read_text(encoding="utf-8")
    assert "0.50 other" in drawing
    assert '<rect x="' in drawing


def test_sentence_piece(data_dir: Path) -> None:
    printed = run(
        "sentence_piece.py", "--data", str(data_dir), "--rounds", "1", "--only", "test_model"
    )
    assert printed.splitlines()[-1].count("[") == 5


def test_gguf_header() -> None:
    printed = run("gguf_header.py", "--gigabytes", "1", "--rounds", "1")
    assert "difference" in printed
