"""Counts the instructions of encoding, here and at another revision, and prints the change.

Both trees build the same small program (`crates/fretsaw/examples/instructions.rs`) with the portable
scanner, which runs on every machine and which valgrind knows; callgrind counts what is executed inside
one function of it. Counts hardly move from run to run, so that a change of a per cent is seen even on
a machine that is busy. A revision without the switch for the portable scanner is compared as it is:
both trees then run what valgrind says that the CPU has.

Exits with 1 if any count grew by more than `--most` per cent, with 2 if it can't count.
"""

from __future__ import annotations

import argparse
import gzip
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from corpora import NAMES, load_corpus

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "tests" / "fixtures"
EXAMPLE = Path("crates", "fretsaw", "examples", "instructions.rs")
SWITCH = "fretsaw_portable"
SHAPES = ((65_536, "warm"), (65_536, "cold"), (140, "warm"))
"""Bytes of each part, and whether all parts were encoded before."""


class CannotCount(Exception):
    """A tool is missing or fails; the message says which."""


@dataclass(frozen=True)
class Count:
    """What one run executed, and what shows that it did the same work as another."""

    instructions: int
    work: str


def output_of(command: list[str], cwd: Path = ROOT, **more: str) -> bytes:
    """The standard output of a command that must succeed."""
    try:
        done = subprocess.run(
            command, cwd=cwd, env={**os.environ, **more}, capture_output=True, check=False
        )
    except OSError as error:
        raise CannotCount(f"{command[0]}: {error.strerror}") from None
    if done.returncode != 0:
        last = done.stderr.decode(errors="replace").strip()[-2000:]
        raise CannotCount(f"{' '.join(command[:4])} …: {last}")
    return done.stdout


def check_out(revision: str, folder: Path) -> None:
    """Writes the files of a revision into an empty folder, and the program that is counted."""
    archive = output_of(["git", "archive", revision])
    with tarfile.open(fileobj=BytesIO(archive)) as files:
        files.extractall(folder, filter="data")
    (folder / EXAMPLE).parent.mkdir(exist_ok=True)
    shutil.copy(ROOT / EXAMPLE, folder / EXAMPLE)


def has_switch(tree: Path) -> bool:
    """Whether a tree can be built with the portable scanner alone."""
    return any(SWITCH in path.read_text("utf-8") for path in tree.glob("crates/*/src/**/*.rs"))


def build(tree: Path, portable: bool, binary: Path) -> None:
    """Builds the program of a tree; all in one unit, so that inlining does not depend on chance."""
    target = ROOT / "target" / "instructions"
    settings = {
        "CARGO_TARGET_DIR": str(target),
        "CARGO_PROFILE_RELEASE_LTO": "thin",
        "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "1",
        "CARGO_INCREMENTAL": "0",
        "RUSTFLAGS": f"--cfg {SWITCH}" if portable else "",
    }
    command = ["cargo", "build", "--quiet", "--release", "-p", "fretsaw"]
    output_of([*command, "--example", EXAMPLE.stem], tree, **settings)
    shutil.copy(target / "release" / "examples" / EXAMPLE.stem, binary)


def count(binary: Path, tokenizer: Path, text: Path, part_bytes: int, state: str) -> Count:
    """Runs the program under callgrind."""
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder, "callgrind.out")
        command = ["valgrind", "--tool=callgrind", "--collect-atstart=no"]
        command += ["--toggle-collect=*counted*", f"--callgrind-out-file={written}"]
        command += [str(binary), str(tokenizer), str(text), str(part_bytes), state]
        work = output_of(command).decode().strip()
        totals = [line for line in written.read_text().splitlines() if line.startswith("totals:")]
    instructions = int(totals[-1].split()[1]) if totals else 0
    if instructions == 0:
        raise CannotCount("callgrind did not see the function that is counted")
    return Count(instructions, work)


def inputs(folder: Path, options: argparse.Namespace) -> Iterator[tuple[str, Path, str, Path]]:
    """Tokenizers and texts, written to files, with their names."""
    for tokenizer in options.tokenizers:
        file = folder / f"{tokenizer}.json"
        file.write_bytes(gzip.decompress((FIXTURES / f"{tokenizer}.json.gz").read_bytes()))
        for name in options.texts:
            text = folder / f"{name}.txt"
            text.write_text(load_corpus(name, options.text_bytes).text, "utf-8", newline="")
            yield tokenizer, file, name, text


def compare(options: argparse.Namespace, folder: Path) -> int:
    """Counts both trees on all inputs; how many counts grew too much."""
    before, now = folder / "before", folder / "now"
    tree = folder / "tree"
    tree.mkdir()
    check_out(options.revision, tree)
    portable = has_switch(tree)
    build(tree, portable, before)
    build(ROOT, portable, now)
    scanner = "portable" if portable else f"what valgrind has ({options.revision} has no switch)"
    print(f"instructions a byte, {options.revision} -> working tree; scanner: {scanner}")
    grown = 0
    for tokenizer, file, name, text in inputs(folder, options):
        size_bytes = text.stat().st_size
        for part_bytes, state in SHAPES:
            old, new = (count(binary, file, text, part_bytes, state) for binary in (before, now))
            if old.work != new.work:
                raise CannotCount(f"{tokenizer}, {name}: other ids than at {options.revision}")
            change = 100 * (new.instructions / old.instructions - 1)
            grown += change > options.most
            print(
                f"  {tokenizer:<8} {name:<13} {part_bytes:>6} bytes {state}"
                f"  {old.instructions / size_bytes:>8.3f} -> {new.instructions / size_bytes:>8.3f}"
                f"  {change:>+7.2f} %{'  too much' if change > options.most else ''}",
                flush=True,
            )
    return grown


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description="Count instructions against another revision.")
    parser.add_argument("revision", help="what to compare with, as git names it")
    parser.add_argument("--tokenizers", nargs="+", default=["gpt2"], choices=["gpt2", "smollm2"])
    parser.add_argument("--texts", nargs="+", default=list(NAMES), choices=NAMES)
    parser.add_argument("--text-bytes", type=int, default=1 << 18)
    parser.add_argument("--most", type=float, default=1.0, help="growth in per cent that passes")
    options = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory() as folder:
            grown = compare(options, Path(folder))
    except CannotCount as error:
        print(f"instructions.py: {error}", file=sys.stderr)
        return 2
    if grown:
        print(f"{grown} counts grew by more than {options.most} %", file=sys.stderr)
    return 1 if grown else 0


if __name__ == "__main__":
    raise SystemExit(main())
