"""Checks what is in a wheel: `python scripts/check_wheel.py dist/*.whl`.

A wheel holds the files of `python/fretsaw` that git knows, the extension, its metadata, the licence, and
nothing else; every file is as RECORD says; it is smaller than 12 MB; and its tag is a manylinux one, which
auditwheel finds true: no library and no symbol is asked of the system that the tag doesn't promise. All
that is wrong is printed, one a line, and then the exit code is 1. Cost: reading the wheel once.
"""

import base64
import hashlib
import re
import subprocess
import sys
import zipfile
from pathlib import Path

from checked_packages import MOST_BYTES, check_named

ROOT = Path(__file__).resolve().parents[1]
NAME = re.compile(
    r"fretsaw-(?P<version>[^-]+)-(?P<python>cp\d+)-(?P<abi>cp\d+t?)-(?P<tag>[^-]+)\.whl"
)
METADATA = {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}


def tracked() -> set[str]:
    """The files of the package that git knows, as they are named in a wheel."""
    command = ["git", "ls-files", "-z", "--", "python/fretsaw"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return {name.removeprefix("python/") for name in listed.split("\0") if name}


def version() -> str:
    """The number in Cargo.toml."""
    found = re.search(r'^version = "([^"]+)"', (ROOT / "Cargo.toml").read_text(), re.M)
    assert found, "Cargo.toml has no version"
    return found[1]


def wrong_names(names: set[str], package: set[str], info: str) -> list[str]:
    """Files that are missing, and files that have no business there."""
    extensions = {name for name in names if re.fullmatch(r"fretsaw/_native\.[\w.-]+\.so", name)}
    metadata = {f"{info}/{name}" for name in METADATA}
    boms = {name for name in names if re.fullmatch(re.escape(info) + r"/sboms/[\w.-]+\.json", name)}
    wrong = [f"missing: {name}" for name in sorted((package | metadata) - names)]
    wrong += [f"stray: {name}" for name in sorted(names - package - metadata - extensions - boms)]
    if len(extensions) != 1:
        wrong.append(f"{len(extensions)} extensions, not one")
    return wrong


def wrong_records(wheel: zipfile.ZipFile, names: set[str], info: str) -> list[str]:
    """Files that RECORD doesn't have, or has with another hash."""
    rows = [row.rsplit(",", 2) for row in wheel.read(f"{info}/RECORD").decode().splitlines()]
    recorded = {row[0].strip('"'): row[1] for row in rows}
    wrong = [f"not in RECORD: {name}" for name in sorted(names - set(recorded))]
    wrong += [f"only in RECORD: {name}" for name in sorted(set(recorded) - names)]
    for name in sorted(names & set(recorded) - {f"{info}/RECORD"}):
        digest = hashlib.sha256(wheel.read(name)).digest()
        written = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if recorded[name] != f"sha256={written}":
            wrong.append(f"another hash than in RECORD: {name}")
    return wrong


def wrong_metadata(wheel: zipfile.ZipFile, info: str, match: re.Match[str]) -> list[str]:
    """Statements of the metadata that don't agree with the name or the repository."""
    stated = wheel.read(f"{info}/METADATA").decode()
    tag = f"Tag: {match['python']}-{match['abi']}-"
    wanted = {
        f"Version: {version()}": stated,
        "Requires-Python: >=3.11": stated,
        "License-Expression: Apache-2.0": stated,
        "License-File: LICENSE": stated,
        **{
            tag + platform: wheel.read(f"{info}/WHEEL").decode()
            for platform in match["tag"].split(".")
        },
        "fretsaw=fretsaw.cli:main": wheel.read(f"{info}/entry_points.txt")
        .decode()
        .replace(" ", ""),
    }
    lines = {text: {line.strip() for line in text.splitlines()} for text in wanted.values()}
    return [f"metadata has no `{line}`" for line, text in wanted.items() if line not in lines[text]]


def problems(path: Path, package: set[str]) -> list[str]:
    """All that is wrong with a wheel that should hold the files `package`; without auditwheel."""
    match = NAME.fullmatch(path.name)
    if not match:
        return [f"no name of a wheel of ours: {path.name}"]
    wrong = []
    if not match["tag"].startswith("manylinux"):
        wrong.append(f"the tag {match['tag']} promises nothing, it is no manylinux one")
    size = path.stat().st_size
    if size >= MOST_BYTES:
        wrong.append(f"{size:,} bytes, {MOST_BYTES:,} or more")
    info = f"fretsaw-{match['version']}.dist-info"
    with zipfile.ZipFile(path) as wheel:
        if wheel.testzip() is not None:
            return [*wrong, "a file in it is damaged"]
        names = {name for name in wheel.namelist() if not name.endswith("/")}
        wrong += wrong_names(names, package, info)
        if not any(f"missing: {info}" in line for line in wrong):
            wrong += wrong_records(wheel, names, info) + wrong_metadata(wheel, info, match)
    return wrong


def audited(path: Path) -> list[str]:
    """What auditwheel has against the tag of a wheel."""
    command = [sys.executable, "-m", "auditwheel", "show", str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    said = " ".join(done.stdout.split())
    found = re.search(r'consistent with the following platform tag: "(\w+)"', said)
    if done.returncode != 0 or not found:
        return [f"auditwheel: {(done.stdout + done.stderr).strip()}"]
    match = NAME.fullmatch(path.name)
    tags = match["tag"].split(".") if match else []
    return [] if found[1] in tags else [f"auditwheel says {found[1]}, the name {' '.join(tags)}"]


def main() -> int:
    """Checks the wheels that are named; 1 if anything is wrong with one."""
    return check_named(
        (__doc__ or "").splitlines()[0], lambda path: problems(path, tracked()) + audited(path)
    )


if __name__ == "__main__":
    sys.exit(main())
