"""`scripts/check_wheel.py` finds each thing that can be wrong with a wheel, on small made ones."""

import base64
import hashlib
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import check_wheel  # noqa: E402

VERSION = check_wheel.version()
INFO = f"fretsaw-{VERSION}.dist-info"
TAG = "cp311-cp311-manylinux_2_17_x86_64"
PACKAGE = {"fretsaw/__init__.py", "fretsaw/py.typed", "fretsaw/_native.pyi", "fretsaw/a.pairs"}
EXTENSION = "fretsaw/_native.cpython-311-x86_64-linux-gnu.so"
METADATA = f"""Metadata-Version: 2.4
Name: fretsaw
Version: {VERSION}
License-File: LICENSE
License-Expression: Apache-2.0
Requires-Python: >=3.11
"""


def good() -> dict[str, bytes]:
    """The files of a small wheel with which nothing is wrong, but for RECORD."""
    files = dict.fromkeys(PACKAGE | {EXTENSION}, b"x")
    return files | {
        f"{INFO}/METADATA": METADATA.encode(),
        f"{INFO}/WHEEL": f"Wheel-Version: 1.0\nTag: {TAG}\n".encode(),
        f"{INFO}/entry_points.txt": b"[console_scripts]\nfretsaw=fretsaw.cli:main\n",
        f"{INFO}/licenses/LICENSE": b"Apache",
        f"{INFO}/sboms/fretsaw.cyclonedx.json": b"{}",
    }


def record(files: dict[str, bytes]) -> bytes:
    """What RECORD says of files."""
    rows = [f"{INFO}/RECORD,,"]
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(data)}")
    return "\n".join(rows).encode()


def write(folder: Path, files: dict[str, bytes], tag: str = TAG, **recorded: bytes) -> Path:
    """Packs files into a wheel, with a RECORD of them."""
    path = folder / f"fretsaw-{VERSION}-{tag}.whl"
    listed = recorded.get("record", record(files))
    with zipfile.ZipFile(path, "w") as wheel:
        for name, data in (files | {f"{INFO}/RECORD": listed}).items():
            wheel.writestr(name, data)
    return path


def test_a_good_wheel_passes(tmp_path: Path):
    assert check_wheel.problems(write(tmp_path, good()), PACKAGE) == []


def without(name: str) -> Callable[[dict[str, bytes]], object]:
    return lambda files: files.pop(name)


def with_file(name: str, data: bytes = b"x") -> Callable[[dict[str, bytes]], object]:
    return lambda files: files.update({name: data})


def replacing(name: str, old: bytes, new: bytes) -> Callable[[dict[str, bytes]], object]:
    return lambda files: files.update({name: files[name].replace(old, new)})


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (without("fretsaw/py.typed"), "missing: fretsaw/py.typed"),
        (without("fretsaw/_native.pyi"), "missing: fretsaw/_native.pyi"),
        (without("fretsaw/a.pairs"), "missing: fretsaw/a.pairs"),
        (without(f"{INFO}/licenses/LICENSE"), f"missing: {INFO}/licenses/LICENSE"),
        (without(f"{INFO}/entry_points.txt"), f"missing: {INFO}/entry_points.txt"),
        (without(EXTENSION), "0 extensions, not one"),
        (with_file("fretsaw/_native.other.so"), "2 extensions, not one"),
        (with_file("fretsaw/__pycache__/a.pyc"), "stray: fretsaw/__pycache__/a.pyc"),
        (with_file("tests/test_a.py"), "stray: tests/test_a.py"),
        (with_file(f"{INFO}/sboms/a.txt"), f"stray: {INFO}/sboms/a.txt"),
        (
            replacing(f"{INFO}/METADATA", b">=3.11", b">=3.9"),
            "metadata has no `Requires-Python: >=3.11`",
        ),
        (
            replacing(f"{INFO}/METADATA", b"Version: " + VERSION.encode(), b"Version: 9"),
            f"metadata has no `Version: {VERSION}`",
        ),
        (replacing(f"{INFO}/WHEEL", b"manylinux", b"linux"), f"metadata has no `Tag: {TAG}`"),
        (
            replacing(f"{INFO}/entry_points.txt", b"main", b"start"),
            "metadata has no `fretsaw=fretsaw.cli:main`",
        ),
    ],
)
def test_what_is_wrong_is_named(
    tmp_path: Path, change: Callable[[dict[str, bytes]], object], wrong: str
):
    files = good()
    change(files)
    assert check_wheel.problems(write(tmp_path, files), PACKAGE) == [wrong]


def test_a_tag_that_promises_nothing(tmp_path: Path):
    wrong = check_wheel.problems(write(tmp_path, good(), "cp311-cp311-linux_x86_64"), PACKAGE)
    assert wrong[0] == "the tag linux_x86_64 promises nothing, it is no manylinux one"


def test_a_name_of_another_package(tmp_path: Path):
    path = tmp_path / "other-1-py3-none-any.whl"
    assert check_wheel.problems(path, PACKAGE) == [f"no name of a wheel of ours: {path.name}"]


def test_a_wheel_that_is_too_large(tmp_path: Path):
    path = write(tmp_path, good() | {EXTENSION: bytes(check_wheel.MOST_BYTES)})
    assert check_wheel.problems(path, PACKAGE) == [
        f"{path.stat().st_size:,} bytes, 12,000,000 or more"
    ]


def test_a_record_that_lies(tmp_path: Path):
    files = good()
    lies = record({name: data for name, data in files.items() if name != EXTENSION})
    lies += b"\nfretsaw/gone.py,sha256=x,1"
    changed = files | {"fretsaw/__init__.py": b"other"}
    assert check_wheel.problems(write(tmp_path, changed, record=lies), PACKAGE) == [
        f"not in RECORD: {EXTENSION}",
        "only in RECORD: fretsaw/gone.py",
        "another hash than in RECORD: fretsaw/__init__.py",
    ]


def test_a_damaged_wheel(tmp_path: Path):
    path = write(tmp_path, good() | {EXTENSION: b"0123456789"})
    path.write_bytes(path.read_bytes().replace(b"0123456789", b"0123456780"))
    assert check_wheel.problems(path, PACKAGE) == ["a file in it is damaged"]


def test_the_package_has_what_a_wheel_is_for():
    names = check_wheel.tracked()
    assert {"fretsaw/py.typed", "fretsaw/_native.pyi", "fretsaw/app/static/index.html"} <= names
    pairs = {name for name in names if name.endswith(".pairs")}
    assert {Path(name).stem for name in pairs} == {"r50k_base", "cl100k_base", "o200k_base"}
    assert not [name for name in names if "test" in name]


@pytest.mark.parametrize(
    ("code", "said", "wrong"),
    [
        (0, 'is consistent with\nthe following platform tag: "manylinux_2_17_x86_64".', []),
        (
            0,
            'is consistent with the following platform tag: "manylinux_2_34_x86_64".',
            ["auditwheel says manylinux_2_34_x86_64, the name manylinux_2_17_x86_64"],
        ),
        (1, "not a valid zip file", ["auditwheel: not a valid zip file"]),
    ],
)
def test_what_auditwheel_says_is_heard(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: int, said: str, wrong: list[str]
):
    shell = tmp_path / "python"
    shell.write_text(f"#!/bin/sh\ncat <<'END'\n{said}\nEND\nexit {code}\n")
    shell.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(shell))
    assert check_wheel.audited(tmp_path / f"fretsaw-{VERSION}-{TAG}.whl") == wrong
