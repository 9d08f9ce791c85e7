"""Checks what is in a source distribution: `python scripts/check_sdist.py dist/fretsaw-*.tar.gz`.

It holds what the extension is built from, which is the sources of three crates and the package as git
knows them, with the locked versions of all others, README and licence: no tests, no data of tests, nothing
that was built, no path that leads out of its folder. It is smaller than 12 MB. All that is wrong is
printed, one a line, and then the exit code is 1. Cost: reading it once.
"""

import subprocess
import sys
import tarfile
from pathlib import Path

from checked_packages import MOST_BYTES, check_named

ROOT = Path(__file__).resolve().parents[1]
CRATES = ("fretsaw", "fretsaw-bulk", "fretsaw-python")
TOP = {"Cargo.toml", "Cargo.lock", "LICENSE", "README.md", "pyproject.toml"}
ADDED = {"PKG-INFO", "crates/fretsaw/LICENSE"}


def tracked() -> set[str]:
    """The files of the repository that a build needs, by git."""
    folders = ["python/fretsaw", *(f"crates/{name}" for name in CRATES)]
    command = ["git", "ls-files", "-z", "--", *folders]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    apart = tuple(f"crates/{name}/{part}/" for name in CRATES for part in ("tests", "examples"))
    names = {name for name in listed.split("\0") if name and not name.startswith(apart)}
    return names | TOP


def problems(path: Path, wanted: set[str]) -> list[str]:
    """All that is wrong with a source distribution that should hold the files `wanted`."""
    wrong = []
    size = path.stat().st_size
    if size >= MOST_BYTES:
        wrong.append(f"{size:,} bytes, {MOST_BYTES:,} or more")
    folder = path.name.removesuffix(".tar.gz")
    names = set()
    with tarfile.open(path) as packed:
        for member in packed:
            if not member.isfile() or not member.name.startswith(f"{folder}/"):
                wrong.append(f"no file of its folder: {member.name}")
            elif ".." in Path(member.name).parts:
                wrong.append(f"leads out of its folder: {member.name}")
            else:
                names.add(member.name.removeprefix(f"{folder}/"))
    wrong += [f"missing: {name}" for name in sorted((wanted | {"PKG-INFO"}) - names)]
    return wrong + [f"stray: {name}" for name in sorted(names - wanted - ADDED)]


def main() -> int:
    """Checks the source distributions that are named; 1 if anything is wrong with one."""
    return check_named((__doc__ or "").splitlines()[0], lambda path: problems(path, tracked()))


if __name__ == "__main__":
    sys.exit(main())
