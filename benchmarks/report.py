"""What came out: verdicts, CSV files, the Markdown page and its charts."""

from __future__ import annotations

import csv
import json
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from charts import Bar, chart
from definitions import Cell, Definitions
from intervals import Interval, interval

from fretsaw.cli._rounds import paired

OURS = "fretsaw"
ORACLE = "tokenizers"
UNTIMED = {"memory", "slope", "load", "load_json", "first"}
UNTIMED |= {"push", "decode", "decode_threads", "extend", "index"}
"""Outputs whose figure is not the time of so many bytes."""
CLOCKS = {
    "wall": "time by the clock",
    "cpu": "processor time of all threads, so that batches show what they cost, not when they end",
}


@dataclass(frozen=True)
class Measured:
    """One cell with its numbers: seconds a request, MiB, or a slope, one for each round."""

    cell: Cell
    size_bytes: int
    texts: int
    found: dict[str, list[float]]
    left_out: dict[str, str]
    ours: Interval
    best: str | None
    ratio: Interval | None
    """Of the best exact library to ours; above 1 where ours is better."""

    @classmethod
    def of(cls, cell: Cell, result: dict[str, Any]) -> Measured:
        """From what a worker reports."""
        found = result["found"]
        ratios = {
            name: interval(paired(found[OURS], times))
            for name, times in found.items()
            if name != OURS
        }
        best = min(ratios, key=lambda name: ratios[name].median) if ratios else None
        ratio = ratios[best] if best else None
        ours = interval(found[OURS])
        return cls(
            cell, result["bytes"], result["texts"], found, result["left_out"], ours, best, ratio
        )

    def faults(self) -> list[str]:
        """Where it is behind the best, or misses a goal, beyond its interval."""
        goals, found = self.cell.goals, []
        if self.ratio is not None:
            if self.ratio.high < 1.0:
                found.append(f"behind {self.best}: {shown(self.ratio)}")
            elif self.ratio.high < goals.get("goal", 0):
                found.append(f"{shown(self.ratio)}, wanted {goals['goal']:g}")
        if "goal_tokenizers" in goals and ORACLE in self.found:
            ratio = interval(paired(self.found[OURS], self.found[ORACLE]))
            if ratio.high < goals["goal_tokenizers"]:
                wanted = goals["goal_tokenizers"]
                found.append(f"over {ORACLE} {shown(ratio)}, wanted {wanted:g}")
        for key, factor, unit in (
            ("most", 1, ""),
            ("most_ms", 1e3, " ms"),
            ("most_mib", 1, " MiB"),
        ):
            if key in goals and self.ours.low * factor > goals[key]:
                found.append(f"{self.ours.median * factor:.3g}{unit}, wanted {goals[key]:g}")
        return found

    def amount(self, value: float) -> str:
        """One of its figures with a unit."""
        if self.cell.output == "memory":
            return f"{value:.1f} MiB"
        if self.cell.output in ("slope", "index"):
            return f"{value:.3f}"
        for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
            if value * factor >= 1:
                return f"{value * factor:.3g} {unit}"
        return f"{value * 1e9:.0f} ns"


def shown(ratio: Interval) -> str:
    """A ratio with its interval."""
    return f"{ratio.median:.2f} ({ratio.low:.2f} to {ratio.high:.2f})"


def failures(measured: Iterable[Measured]) -> list[str]:
    """One line for each fault."""
    return [f"{one.cell.name}: {fault}" for one in measured for fault in one.faults()]


def write_all(
    folder: Path, definitions: Definitions, measured: list[Measured], facts: dict[str, Any]
) -> Path:
    """Writes everything; returns the page."""
    speed = folder / "speed"
    speed.mkdir(parents=True, exist_ok=True)
    _write_csv(speed, measured)
    (speed / "setting.json").write_text(json.dumps(facts, indent=1) + "\n", "utf-8")
    groups = {
        name: [one for one in measured if one.cell.group == name] for name in definitions.groups
    }
    groups = {name: some for name, some in groups.items() if some}
    for name, some in groups.items():
        bars = [
            Bar("/".join(one.cell.name.split("/")[1:]), one.best or "", one.ratio)
            for one in some
            if one.ratio is not None
        ]
        if bars:
            goal = some[0].cell.goals.get("goal")
            drawing = chart(definitions.groups[name], bars, goal)
            (speed / f"{name}.svg").write_text(drawing, "utf-8")
    page = folder / "speed.md"
    page.write_text("\n".join(_page(definitions, groups, measured, facts)) + "\n", "utf-8")
    return page


def _write_csv(speed: Path, measured: list[Measured]) -> None:
    """A line for each library in each cell; times are of one request, `ratio` is over ours."""
    head = [
        "cell",
        "output",
        "state",
        "texts",
        "bytes",
        "library",
        "rounds",
        "median",
        "low",
        "high",
    ]
    head += ["ratio", "ratio_low", "ratio_high", "goal", "left_out"]
    with (speed / "cells.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(head)
        for one in measured:
            cell = one.cell
            start = [cell.name, cell.output, cell.state, one.texts, one.size_bytes]
            for name, values in one.found.items():
                own, ratio = interval(values), interval(paired(one.found[OURS], values))
                numbers = [own.median, own.low, own.high, ratio.median, ratio.low, ratio.high]
                cells = [f"{number:.6g}" for number in numbers]
                rows.writerow([*start, name, len(values), *cells, cell.goals.get("goal", ""), ""])
            for name, reason in one.left_out.items():
                rows.writerow([*start, name, 0, *[""] * 7, reason])


def _page(
    definitions: Definitions,
    groups: dict[str, list[Measured]],
    measured: list[Measured],
    facts: dict[str, Any],
) -> Iterator[str]:
    yield "# Speed"
    yield ""
    yield (
        "Made by `benchmarks/run.py`. A ratio is the time of the best library that gives exactly Hugging "
        "Face's ids in that cell, divided by that of fretsaw in the same round: the median over the rounds, "
        "and its bootstrap interval of 95 per cent. Above 1, fretsaw is ahead. All libraries get the same "
        "texts, which are different slices of the sources; warm means that each library encoded them "
        "before, cold that a tokenizer just loaded meets them for the first time. Each library uses the "
        "threads that it takes by itself. All numbers are in [cells.csv](speed/cells.csv)."
    )
    yield ""
    yield from _facts(facts)
    yield ""
    yield "## Goals"
    yield ""
    yield "| cells | goal | worst | median | behind the best | below the goal |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for name, some in groups.items():
        yield _goal_row(definitions.groups[name], some)
    yield ""
    lost = [line for one in measured for line in _lost(one)]
    yield f"## Losses and missed goals: {len(lost)} of {len(measured)} cells"
    yield ""
    yield from lost or ["None."]
    for name, some in groups.items():
        yield ""
        yield f"## {definitions.groups[name][0].upper()}{definitions.groups[name][1:]}"
        yield ""
        yield from _table(name, some)
    yield ""
    yield "## Who is out, and why"
    yield ""
    yield "| library | tokenizer | reason | cells |"
    yield "| --- | --- | --- | --- |"
    reasons = Counter(
        (name, one.cell.tokenizer, reason)
        for one in measured
        for name, reason in one.left_out.items()
    )
    for (name, tokenizer, reason), count in sorted(reasons.items()):
        yield f"| {name} | {tokenizer} | {reason.replace('|', '&#124;')} | {count} |"


def _facts(facts: dict[str, Any]) -> Iterator[str]:
    yield (
        f"{facts['cpu']}, {facts['cpus']} CPUs, load {facts['load']} · {facts['system']} · Python "
        f"{facts['python']} · fretsaw at {facts['revision'] or 'no commit'} · {facts['rounds']} rounds · "
        f"{facts['minutes']} minutes · {CLOCKS[facts['clock']]}"
    )
    yield ""
    yield "Versions: " + ", ".join(f"{name} {found}" for name, found in facts["versions"].items())
    yield ""
    texts = (
        f"{name} {text['bytes']:,} bytes, SHA-256 {text['sha256'][:16]}"
        for name, text in facts["texts"].items()
    )
    yield f"Texts ({facts['text_source']}): " + "; ".join(texts)


def _goal_row(what: str, some: list[Measured]) -> str:
    goals = some[0].cell.goals
    units = {
        "goal": " times",
        "goal_tokenizers": " times Hugging Face",
        "most": " at most",
        "most_ms": " ms at most",
        "most_mib": " MiB at most",
    }
    goal = ", ".join(f"{value:g}{units[key]}" for key, value in goals.items())
    ratios = sorted(one.ratio.median for one in some if one.ratio is not None)
    if ratios:
        worst, middle = f"{ratios[0]:.2f}", f"{statistics.median(ratios):.2f}"
    else:
        own = sorted(one.ours.median for one in some)
        worst, middle = some[0].amount(own[-1]), some[0].amount(statistics.median(own))
    behind = sum(one.ratio is not None and one.ratio.median < 1 for one in some)
    below = sum(one.ratio is not None and one.ratio.median < goals.get("goal", 0) for one in some)
    return f"| {what} | {goal} | {worst} | {middle} | {behind} of {len(some)} | {below} of {len(some)} |"


def _lost(one: Measured) -> Iterator[str]:
    faults = one.faults()
    if faults:
        yield f"- `{one.cell.name}`: {'; '.join(faults)}"


def _table(name: str, some: list[Measured]) -> Iterator[str]:
    if any(one.ratio is not None for one in some):
        yield f"![ratios](speed/{name}.svg)"
        yield ""
    yield "| cell | output | fretsaw | MB/s | best exact | its figure | ratio | exact | |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for one in some:
        timed = one.cell.output not in UNTIMED
        speed = f"{one.size_bytes / one.ours.median / 1e6:,.0f}" if timed else ""
        best = one.amount(statistics.median(one.found[one.best])) if one.best else ""
        cells = [
            "/".join(one.cell.name.split("/")[1:]),
            f"{one.cell.output}, {one.cell.state}",
            one.amount(one.ours.median),
            speed,
            one.best or "",
            best,
            shown(one.ratio) if one.ratio else "",
            f"{len(one.found)} of {len(one.found) + len(one.left_out)}",
            "**behind**" if one.ratio and one.ratio.median < 1 else "",
        ]
        yield f"| {' | '.join(cells)} |"
