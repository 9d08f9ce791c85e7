"""Writes what a wheel is made of, as CycloneDX: `python scripts/sbom.py dist/fretsaw-*.whl --out dist/sbom`.

`NAME-rust.cdx.json` are the crates in the extension: maturin puts it into the wheel, from where it is
taken, and here it is compared with what cargo says the extension links. `NAME-python.cdx.json` are the
packages that come along when the wheel is installed in a new environment, by cyclonedx-py. Without extras,
since who asks for one chooses its versions. Cost: an installation.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from interpreters import interpreters, search_folders
from try_package import Failed, install, interpreter_for, run

ROOT = Path(__file__).resolve().parents[1]
Bom = dict[str, Any]
Part = tuple[str, str]
"""Name and version."""


def linked() -> set[Part]:
    """The crates that the extension is linked from on this platform, our own left out."""
    command = ["cargo", "tree", "--locked", "--package", "fretsaw-python", "--edges", "normal"]
    options = ["--prefix", "none", "--format", "{p}"]
    told = subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True)
    if told.returncode != 0:
        raise Failed(told.stderr)
    return set(re.findall(r"^([\w-]+) v(\S+)(?: \(\*\))?$", told.stdout, re.M))


def components(bom: Bom) -> set[Part]:
    """What a bill names."""
    return {(part["name"], part.get("version", "")) for part in bom.get("components", [])}


def rust(wheel: Path, wanted: set[Part]) -> Bom:
    """The bill of crates that is in a wheel; it has to name all of `wanted`, each with a licence."""
    with zipfile.ZipFile(wheel) as packed:
        names = [name for name in packed.namelist() if re.search(r"/sboms/.*\.json$", name)]
        boms = [json.loads(packed.read(name)) for name in names]
    crates = [bom for bom in boms if wanted & components(bom)]
    if len(crates) != 1:
        raise Failed(f"{wheel.name}: {len(crates)} bills of crates, not one")
    missing = sorted(wanted - components(crates[0]))
    if missing:
        raise Failed(f"{wheel.name}: its bill has no {missing}")
    bare = [part["name"] for part in crates[0]["components"] if not part.get("licenses")]
    if bare:
        raise Failed(f"{wheel.name}: no licence in its bill for {bare}")
    return crates[0]


def python(wheel: Path) -> Bom:
    """The bill of what is in a new environment with a wheel."""
    program = interpreter_for(wheel, interpreters(search_folders()))
    with tempfile.TemporaryDirectory(prefix="fretsaw-sbom-") as temporary:
        folder = Path(temporary)
        made = folder / "environment"
        install(wheel, program, made)
        told = [sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible"]
        bom: Bom = json.loads(run([*told, str(made / "bin" / "python")], folder))
    named = {name for name, _ in components(bom)}
    if not {"fretsaw", "click", "numpy", "platformdirs", "rich"} <= named:
        raise Failed(f"{wheel.name}: the bill of its environment has only {sorted(named)}")
    return bom


def main() -> int:
    """Writes the bills of the wheels that are named; 1 if one can't be trusted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("wheels", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="the folder that they go into")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for wheel in arguments.wheels:
        try:
            bills = {"rust": rust(wheel, linked()), "python": python(wheel)}
        except Failed as error:
            print(error, file=sys.stderr)
            return 1
        for name, bom in bills.items():
            path = arguments.out / f"{wheel.stem}-{name}.cdx.json"
            path.write_text(json.dumps(bom, indent=1) + "\n")
            print(f"{path}: {len(components(bom))} components")
    return 0


if __name__ == "__main__":
    sys.exit(main())
