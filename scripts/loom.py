"""Run the models of what threads share, then faults that they must see: `make loom`.

The crate `loom/` compiles `pool.rs` and `cache.rs` as they stand with the primitives of a checker, which
tries every order of events. A model that passes proves little unless it fails where it should: so each
fault of the table below is put into a copy of the sources, where the named model has to fail.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
CRATE = ROOT / "loom"
SOURCES = ("pool.rs", "cache.rs", "scan/key.rs")
CORE = Path("crates") / "fretsaw" / "src"


class Fault(NamedTuple):
    """A change of a source file, and the model that fails with it."""

    about: str
    file: str
    old: str
    new: str
    model: str


FAULTS = [
    Fault(
        "a pool is put into the list without telling what is in it",
        "pool.rs",
        "Ordering::AcqRel, Ordering::Acquire",
        "Ordering::Relaxed, Ordering::Relaxed",
        "two_threads_may_want_the_same_pool",
    ),
    Fault(
        "the list is read without asking what is in it",
        "pool.rs",
        "POOLS.load(Ordering::Acquire)",
        "POOLS.load(Ordering::Relaxed)",
        "two_threads_may_want_the_same_pool",
    ),
    Fault(
        "a pool takes the place of one that came in between",
        "pool.rs",
        "if POOLS.compare_exchange(expected, node, Ordering::AcqRel, Ordering::Acquire).is_ok() {",
        "POOLS.store(ptr::from_ref(node).cast_mut(), Ordering::Release);\n"
        "        if expected == expected {",
        "pools_that_are_made_at_once_are_whole_and_found_again",
    ),
    Fault(
        "parts are taken by looking first",
        "pool.rs",
        "let at = next.fetch_add(1, Ordering::Relaxed);",
        "let at = next.load(Ordering::Relaxed);\n        next.store(at + 1, Ordering::Relaxed);",
        "results_are_in_order_and_each_part_is_done_once",
    ),
    Fault(
        "the budget is looked at first and taken from later",
        "cache.rs",
        ".fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {\n"
        "            used.checked_add(bytes).filter(|&sum| sum <= limit_bytes())\n"
        "        })\n"
        "        .is_ok()",
        ".load(Ordering::Relaxed)\n"
        "        .checked_add(bytes)\n"
        "        .filter(|&sum| sum <= limit_bytes())\n"
        "        .is_some_and(|sum| {\n"
        "            USED_BYTES.store(sum, Ordering::Relaxed);\n"
        "            true\n"
        "        })",
        "the_budget_is_never_overdrawn",
    ),
]


def run(crate: Path, *models: str) -> subprocess.CompletedProcess[str]:
    """Runs models of a copy of the crate, or all of them."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", CRATE / "target")).absolute()
    command = ["cargo", "test", "--quiet", "--locked", "--tests", "--", *models]
    env = {**os.environ, "CARGO_TARGET_DIR": str(target), "RUST_BACKTRACE": "0"}
    return subprocess.run(command, cwd=crate, env=env, capture_output=True, text=True, check=False)


def with_fault(fault: Fault, folder: Path) -> bool:
    """Whether the model fails on a copy with the fault."""
    crate = folder / "loom"
    # Copied as new files: cargo goes by their time and would take the last build for theirs.
    ignored = shutil.ignore_patterns("target")
    shutil.copytree(CRATE, crate, ignore=ignored, copy_function=shutil.copy)
    for name in SOURCES:
        copy = folder / CORE / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text((ROOT / CORE / name).read_text())
    broken = folder / CORE / fault.file
    source = broken.read_text()
    if source.count(fault.old) != 1:
        sys.exit(f"{fault.about}: what it changes is not in {fault.file} any more, or twice")
    broken.write_text(source.replace(fault.old, fault.new))
    done = run(crate, fault.model)
    if "could not compile" in done.stderr:
        sys.exit(f"{fault.about}: does not compile\n{done.stderr}")
    return done.returncode != 0 and f"---- {fault.model} stdout ----" in done.stdout


def main() -> int:
    done = run(CRATE)
    print(done.stdout, end="")
    if done.returncode:
        print(done.stderr)
        return 1
    missed = 0
    for fault in FAULTS:
        with tempfile.TemporaryDirectory() as folder:
            seen = with_fault(fault, Path(folder))
        missed += not seen
        print(f"{'seen  ' if seen else 'MISSED'} {fault.about} ({fault.model})", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
