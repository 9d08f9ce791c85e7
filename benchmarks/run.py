"""Times fretsaw beside the libraries that people use, and checks that all give the same ids.

What is measured is in `definitions.toml`. Before a cell is timed, every library's ids (or offsets) for all
of its texts are compared with those of Hugging Face tokenizers; whoever differs or fails is out of that
cell, and the tables say why. Then come rounds: in each, every library is timed in turn, in an order that
changes, all with the same inputs, and a round gives one ratio for each library: its time over ours. What
counts is the median of these ratios for the best library that is exact, with a bootstrap interval.

All cells of a tokenizer share a process, with one copy of each library, so that a slow moment hits all
alike. A library that ends that process, or lets it wait too long, is out of the cell in which it did.

A whole run writes `docs/speed.md` and `docs/speed/`; others write to `target/speed`, or where `--out`
says. `--check` exits with 1 if a goal is missed beyond its interval, or if fretsaw is slower than the
best in any cell, beyond its interval.
"""

from __future__ import annotations

import argparse
import json
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from definitions import FILE, Cell, Definitions, chosen, load_definitions
from peers import versions
from report import Measured, failures, write_all
from setting import setting

ROOT = Path(__file__).resolve().parent.parent
WORKER = Path(__file__).with_name("worker.py")
START_S = 60.0
"""How long the process may take until it says something."""


class Worker:
    """The process that measures one tokenizer's cells, started anew when a library takes it down."""

    def __init__(self, tokenizer: str, cells: list[Cell], options: argparse.Namespace) -> None:
        self.tokenizer = tokenizer
        self.to_do = [cell.name for cell in cells]
        self.left_out: dict[str, dict[str, str]] = {}
        self.options = options
        self.at = ("*", "fretsaw")

    def results(self) -> list[dict[str, Any]]:
        """What was measured, cell by cell."""
        found: list[dict[str, Any]] = []
        while self.to_do:
            reason = self._run(found)
            if reason is None:
                break
            cell, name = self.at
            if name in ("fretsaw", "tokenizers", "rounds") or name in self.left_out.get(cell, {}):
                raise SystemExit(f"{self.tokenizer}, {cell}, {name}: {reason}")
            self.left_out.setdefault(cell, {})[name] = reason
        return found

    def _run(self, found: list[dict[str, Any]]) -> str | None:
        """One life of the process; what ended it, or `None` if it did all."""
        process = subprocess.Popen(
            [sys.executable, str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if self.options.verbose else subprocess.DEVNULL,
            text=True,
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(self._task()) + "\n")
        process.stdin.close()
        lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._listen, args=(process, lines), daemon=True).start()
        give_up_s = START_S
        while True:
            try:
                line = lines.get(timeout=give_up_s)
            except queue.Empty:
                process.kill()
                process.wait()
                return f"not done after {give_up_s:.0f} s"
            if not line:
                code = process.wait()
                return None if code == 0 else f"ends the process ({code})"
            message = json.loads(line)
            if "at" in message:
                self.at, give_up_s = tuple(message["at"]), message["give_up_s"]
            elif "fatal" in message:
                raise SystemExit(f"{self.tokenizer}: {message['fatal']}")
            else:
                result = message["result"]
                found.append(result)
                self.to_do.remove(result["cell"])
                self.at = ("*", "fretsaw")
                print(f"  {result['cell']}  {result['took_s']:.1f} s", file=sys.stderr, flush=True)

    def _task(self) -> dict[str, Any]:
        return {
            "tokenizer": self.tokenizer,
            "cells": self.to_do,
            "left_out": self.left_out,
            "rounds": self.options.rounds,
            "cold_rounds": min(self.options.rounds, 7),
            "target_ms": self.options.target_ms,
            "scale": self.options.scale,
            "clock": self.options.clock,
        }

    @staticmethod
    def _listen(process: subprocess.Popen[str], lines: queue.Queue[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            # What a library prints is none of ours.
            if line.startswith('{"'):
                lines.put(line)
        lines.put("")


def measure(
    definitions: Definitions, cells: list[Cell], options: argparse.Namespace
) -> list[Measured]:
    """All cells, tokenizer by tokenizer, back in the order of the definitions."""
    by_name: dict[str, dict[str, Any]] = {}
    for tokenizer in dict.fromkeys(cell.tokenizer for cell in cells):
        start = time.perf_counter()
        of_it = [cell for cell in cells if cell.tokenizer == tokenizer]
        for result in Worker(tokenizer, of_it, options).results():
            by_name[result["cell"]] = result
        print(f"{tokenizer}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    return [Measured.of(cell, by_name[cell.name]) for cell in cells if cell.name in by_name]


def parse_arguments() -> argparse.Namespace:
    """Command line."""
    parser = argparse.ArgumentParser(description="Time fretsaw beside other libraries.")
    parser.add_argument("--quick", action="store_true", help="46 cells, some ten minutes")
    parser.add_argument("--only", metavar="PATTERN", help="cells with this in their name; * is any")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a goal is missed")
    parser.add_argument(
        "--smoke",
        action="store_true",
        help="tiny inputs, and one cell if --only does not say which, to see that it runs",
    )
    parser.add_argument("--list", action="store_true", help="print the names of the cells")
    parser.add_argument("--rounds", type=int, help="at least 5; 21, or 11 with --quick")
    parser.add_argument("--target-ms", type=float, default=10.0, help="of one measurement")
    clock_help = "wall, or processor time of all threads: for a machine that others use as well"
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall", help=clock_help)
    parser.add_argument("--out", type=Path, metavar="DIR", help="where speed.md and speed/ go")
    parser.add_argument("--verbose", action="store_true", help="show what libraries print")
    options = parser.parse_args()
    options.scale = 1.0
    if options.smoke:
        options.only = options.only or "byte-level-ids/gpt2/en/140B"
        options.rounds, options.scale, options.target_ms = 5, 0.05, 0.2
    options.rounds = options.rounds or (11 if options.quick else 21)
    if options.rounds < 5:
        parser.error("--rounds must be 5 or more")
    whole = not (options.quick or options.only)
    options.out = options.out or (ROOT / "docs" if whole else ROOT / "target" / "speed")
    return options


def main() -> int:
    """Runs, writes, and judges if asked to."""
    options = parse_arguments()
    definitions = load_definitions(FILE)
    cells = chosen(definitions.cells, options.quick, options.only)
    if options.list:
        print("\n".join(cell.name for cell in cells))
        return 0
    if not cells:
        print(f"no cell has {options.only!r} in its name", file=sys.stderr)
        return 2
    start = time.perf_counter()
    measured = measure(definitions, cells, options)
    facts = setting(definitions, cells, versions(), options)
    facts["minutes"] = round((time.perf_counter() - start) / 60, 1)
    path = write_all(options.out, definitions, measured, facts)
    print(f"{len(measured)} cells in {facts['minutes']} minutes: {path}")
    failed = failures(measured)
    for line in failed:
        print(line, file=sys.stderr)
    return 1 if options.check and failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
