"""Checks what is in a source distribution: `python scripts/check_sdist.py dist/fretsaw-*.tar.gz`.

It holds what the extension is built from, which is the sources of three crates and the package as git
knows them, with the locked versions of all others, README and licence: no tests, no data of tests, nothing
that was built, no path that leads out of its folder. It is smaller than 12 MB. All that is wrong is
printed, one a line, and then the exit code is 1. Cost: reading it once.
"""

import argparse
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MOST_BYTES = 12_000_000
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
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("packages", nargs="+", type=Path)
    code = 0
    for path in parser.parse_args().packages:
        wrong = problems(path, tracked())
        for line in wrong:
            print(f"{path.name}: {line}", file=sys.stderr)
        if not wrong:
            print(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB, as it should be")
        code |= bool(wrong)
    return code


if __name__ == "__main__":
    sys.exit(main())
