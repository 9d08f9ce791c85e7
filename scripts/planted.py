"""Puts known bugs into a copy of the core one by one and checks that the suite sees each.

Every `tests/planted/*.patch` is a unified diff under a few lines of text: what the bug is, and
one line `Caught by: BINARY TEST` for each test that must fail with it, where BINARY is `lib` (unit
tests of the crate) or `suite` (its integration tests). First the named tests must pass on the
code as it is. The copy and the build are in a temporary folder; `--build` keeps the build. Takes
some minutes for the first build and about one for each patch.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
PATCHES: Final = ROOT / "tests" / "planted"
COPIED: Final = (
    "Cargo.toml",
    "Cargo.lock",
    "crates",
    "tests/cases",
    "tests/fixtures",
    "tests/golden",
    "python/fretsaw/reference/ranges",
)
TIME_LIMIT_S: Final = 900
BINARIES: Final = {"lib": ["--lib"], "suite": ["--test", "suite"]}

Test = tuple[str, str]
"""The binary that a test is in and its full name there."""


@dataclass(frozen=True)
class Planted:
    """A bug: its name, the patch, and the tests that must see it."""

    name: str
    patch: Path
    tests: tuple[Test, ...]


def read_patches(only: list[str]) -> list[Planted]:
    """The patches in name order; those whose name starts with one of `only`, if there are any."""
    found = []
    for patch in sorted(PATCHES.glob("*.patch")):
        tests = re.findall(r"^Caught by: (\w+) (\S+)$", patch.read_text(), re.M)
        if not tests:
            raise SystemExit(f"{patch}: has no line `Caught by: BINARY TEST`")
        found.append(Planted(patch.stem, patch, tuple((binary, test) for binary, test in tests)))
    return [bug for bug in found if not only or bug.name.startswith(tuple(only))]


def copy_sources(folder: Path) -> None:
    """Copies all that building and testing the core needs.

    Copies are as young as the copying: a kept build must not pass for one of these files.
    """
    for name in COPIED:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, copy_function=shutil.copy)
        else:
            shutil.copy(source, target)


class Builder:
    """Runs tests of the copy in `folder`; the build in `target` is reused from patch to patch."""

    def __init__(self, folder: Path, target: Path) -> None:
        self.folder = folder
        self.environment = os.environ | {
            "CARGO_TARGET_DIR": str(target),
            "CARGO_INCREMENTAL": "1",
            "CARGO_PROFILE_DEV_DEBUG": "0",
            "CARGO_TERM_COLOR": "never",
        }

    def _cargo(self, *arguments: str) -> subprocess.CompletedProcess[str] | None:
        """What a command gave; None when it took too long."""
        try:
            return subprocess.run(
                ["cargo", "test", "-p", "fretsaw", *arguments],
                cwd=self.folder,
                env=self.environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=TIME_LIMIT_S,
            )
        except subprocess.TimeoutExpired:
            return None

    def passing(self, tests: tuple[Test, ...]) -> set[Test]:
        """Which of the tests pass. A crash or a test that never ends is a failure."""
        passed = set()
        for binary in sorted({binary for binary, _ in tests}):
            build = self._cargo(*BINARIES[binary], "--no-run", "--quiet")
            if build is None or build.returncode != 0:
                raise SystemExit(f"does not build:\n{build.stdout if build else 'took too long'}")
            names = [name for of, name in tests if of == binary]
            run = self._cargo(*BINARIES[binary], "--", "--exact", *names)
            output = run.stdout if run else ""
            seen = {name: f"test {name} ... ok" in output for name in names}
            if run and "test result:" in output and f"running {len(names)} test" not in output:
                raise SystemExit(f"{binary}: not all of these tests are there: {', '.join(names)}")
            passed |= {(binary, name) for name, ok in seen.items() if ok}
        return passed

    def patch(self, bug: Planted, *, reverse: bool = False) -> None:
        """Applies a patch or takes it back; it must fit without fuzz."""
        command = ["patch", "-p1", "--fuzz=0", "--no-backup-if-mismatch", "-i", str(bug.patch)]
        if reverse:
            command.insert(1, "--reverse")
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{bug.name} does not apply:\n{done.stdout}{done.stderr}")


def check_all(bugs: list[Planted], builder: Builder) -> int:
    """Prints a table of what was seen; the number of tests that did not see their bug."""
    wanted = tuple(dict.fromkeys(test for bug in bugs for test in bug.tests))
    passed = builder.passing(wanted)
    for binary, name in (test for test in wanted if test not in passed):
        print(f"without any bug: {binary} {name} fails", file=sys.stderr)
    missed = len(wanted) - len(passed)
    width = max(len(bug.name) for bug in bugs)
    for bug in bugs:
        start = time.perf_counter()
        builder.patch(bug)
        survivors = builder.passing(bug.tests)
        builder.patch(bug, reverse=True)
        for test in bug.tests:
            seen = "missed" if test in survivors else "seen"
            seconds = time.perf_counter() - start
            print(f"{bug.name:{width}}  {seen:6}  {seconds:4.0f} s  {' '.join(test)}", flush=True)
        missed += len(survivors)
    return missed


def main() -> int:
    """Checks the patches; 1 if any of their tests did not see its bug."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("only", nargs="*", help="names of patches, or how they start")
    parser.add_argument("--build", type=Path, help="where to build; kept, so that it is reused")
    arguments = parser.parse_args()
    bugs = read_patches(arguments.only)
    if not bugs:
        raise SystemExit("no such patch")
    with tempfile.TemporaryDirectory(prefix="fretsaw-planted-") as temporary:
        folder = Path(temporary) / "copy"
        copy_sources(folder)
        target = arguments.build.resolve() if arguments.build else Path(temporary) / "target"
        missed = check_all(bugs, Builder(folder, target))
    print(
        f"{len(bugs)} bugs; {missed} tests did not see theirs"
        if missed
        else f"{len(bugs)} bugs, all seen"
    )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
