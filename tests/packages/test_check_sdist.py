"""`scripts/check_sdist.py` finds each thing that can be wrong with a source distribution, on made ones."""

import io
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import check_sdist  # noqa: E402

WANTED = {"Cargo.toml", "LICENSE", "python/fretsaw/py.typed", "crates/fretsaw/src/lib.rs"}


def write(folder: Path, names: set[str], size_bytes: int = 1) -> Path:
    """Packs files of these names."""
    path = folder / "fretsaw-1.tar.gz"
    with tarfile.open(path, "w:gz", compresslevel=0) as packed:
        for name in sorted(names):
            member = tarfile.TarInfo(name)
            member.size = size_bytes
            packed.addfile(member, io.BytesIO(bytes(size_bytes)))
    return path


def within(names: set[str]) -> set[str]:
    return {f"fretsaw-1/{name}" for name in names | {"PKG-INFO"}}


def test_a_good_one_passes(tmp_path: Path):
    assert check_sdist.problems(write(tmp_path, within(WANTED)), WANTED) == []


@pytest.mark.parametrize(
    ("names", "wrong"),
    [
        (within(WANTED - {"LICENSE"}), "missing: LICENSE"),
        (within(WANTED) - {"fretsaw-1/PKG-INFO"}, "missing: PKG-INFO"),
        (within(WANTED | {"tests/test_a.py"}), "stray: tests/test_a.py"),
        (within(WANTED | {"python/fretsaw/a.so"}), "stray: python/fretsaw/a.so"),
        (within(WANTED) | {"other/a"}, "no file of its folder: other/a"),
        (within(WANTED) | {"fretsaw-1/../a"}, "leads out of its folder: fretsaw-1/../a"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, names: set[str], wrong: str):
    assert check_sdist.problems(write(tmp_path, names), WANTED) == [wrong]


def test_one_that_is_too_large(tmp_path: Path):
    path = write(tmp_path, within(WANTED), check_sdist.MOST_BYTES // len(WANTED))
    assert check_sdist.problems(path, WANTED) == [
        f"{path.stat().st_size:,} bytes, 12,000,000 or more"
    ]


def test_a_link_is_no_file(tmp_path: Path):
    path = tmp_path / "fretsaw-1.tar.gz"
    with tarfile.open(path, "w:gz") as packed:
        for name in sorted(within(WANTED)):
            packed.addfile(tarfile.TarInfo(name))
        link = tarfile.TarInfo("fretsaw-1/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        packed.addfile(link)
    assert check_sdist.problems(path, WANTED) == ["no file of its folder: fretsaw-1/link"]


def test_the_repository_has_what_is_built_from():
    names = check_sdist.tracked()
    assert {f"crates/{name}/Cargo.toml" for name in check_sdist.CRATES} <= names
    assert {"crates/fretsaw/src/lib.rs", "python/fretsaw/_native.pyi", "Cargo.lock"} <= names
    assert not [name for name in names if name.endswith(".so") or "/tests/suite/" in name]
