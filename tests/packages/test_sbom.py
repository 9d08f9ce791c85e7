"""`scripts/sbom.py` takes the bill of crates out of a wheel, and refuses one that leaves something out."""

import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import sbom  # noqa: E402
from try_package import Failed  # noqa: E402

LINKED = {("memchr", "2.8.3"), ("serde", "1.0.0")}
LICENCE = [{"expression": "MIT"}]


def part(name: str, version: str, licences: list[Any]) -> dict[str, Any]:
    return {"name": name, "version": version, "licenses": licences}


def wheel(folder: Path, *boms: list[dict[str, Any]]) -> Path:
    """A wheel with these bills in it, each a list of components."""
    path = folder / "fretsaw-1-cp311-cp311-manylinux_2_17_x86_64.whl"
    with zipfile.ZipFile(path, "w") as packed:
        for number, parts in enumerate(boms):
            text = json.dumps({"bomFormat": "CycloneDX", "components": parts})
            packed.writestr(f"fretsaw-1.dist-info/sboms/{number}.cyclonedx.json", text)
    return path


def test_a_whole_bill_is_taken(tmp_path: Path):
    whole = [part(*name, LICENCE) for name in [*LINKED, ("proptest", "1.0.0")]]
    other = [part("libgcc", "12", LICENCE)]
    assert sbom.rust(wheel(tmp_path, other, whole), LINKED)["components"] == whole


@pytest.mark.parametrize(
    ("boms", "wrong"),
    [
        ([], "0 bills of crates, not one"),
        ([[part("memchr", "2.8.3", LICENCE)]], r"its bill has no \[\('serde', '1.0.0'\)\]"),
        (
            [[part("memchr", "2.8.3", LICENCE), part("serde", "1.0.0", [])]],
            r"no licence in its bill for \['serde'\]",
        ),
        (
            [[part(*name, LICENCE) for name in LINKED], [part("serde", "1.0.0", LICENCE)]],
            "2 bills of crates, not one",
        ),
    ],
)
def test_one_that_leaves_something_out_is_refused(
    tmp_path: Path, boms: list[list[dict[str, Any]]], wrong: str
):
    with pytest.raises(Failed, match=wrong):
        sbom.rust(wheel(tmp_path, *boms), LINKED)


def test_cargo_says_what_is_linked():
    found = {name for name, _ in sbom.linked()}
    assert {"aho-corasick", "pyo3", "onig_sys", "zstd-sys"} <= found
    assert not {"proptest", "clap", "libfuzzer-sys"} & found
