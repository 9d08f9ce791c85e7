"""Which crates are published, and what is in the one that is."""

import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CRATE = ROOT / "crates" / "fretsaw"
WRITTEN = {".cargo_vcs_info.json", "Cargo.lock", "Cargo.toml", "Cargo.toml.orig", "LICENSE"}


def test_one_crate_is_published_and_the_makefile_packs_it():
    manifests = [*ROOT.glob("crates/*/Cargo.toml"), ROOT / "fuzz" / "Cargo.toml"]
    packages = [tomllib.loads(path.read_text())["package"] for path in manifests]
    published = [entry["name"] for entry in packages if entry.get("publish", True)]
    assert published == ["fretsaw"]
    assert "cargo package --package fretsaw --locked" in (ROOT / "Makefile").read_text()


def test_it_stands_on_crates_with_versions_alone():
    manifest = tomllib.loads((CRATE / "Cargo.toml").read_text())
    entries = {**manifest["dependencies"], **manifest["dev-dependencies"]}
    for name, entry in entries.items():
        assert isinstance(entry, str) or ("version" in entry and "path" not in entry), name


def test_it_holds_its_sources_and_the_licence():
    command = ["cargo", "package", "--package", "fretsaw", "--locked", "--offline"]
    command += ["--list", "--allow-dirty"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    names = set(done.stdout.split())
    sources = {str(path.relative_to(CRATE)) for path in (CRATE / "src").rglob("*.rs")}
    assert sources <= names
    assert names | {".cargo_vcs_info.json"} >= WRITTEN  # a copy without git has no such file
    assert {name for name in names if not name.startswith("src/")} <= WRITTEN
    assert (CRATE / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
