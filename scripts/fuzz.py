"""Build the fuzzers and run them, each for its share of the time: `make fuzz SECONDS=600`.

All targets of `fuzz/` are one program, built with the stable toolchain and libFuzzer's
instrumentation. What is kept of earlier runs, one packed file a target in `fuzz/corpus`, is where each
starts from; what it finds goes to a folder beside the build, and `--keep` packs the smallest set of it
that reaches as much code. An input that fails is kept there as well, and fails the run.

    python3 scripts/fuzz.py --seconds 600               all targets, sharing ten minutes
    python3 scripts/fuzz.py --each 5 --seed 1           five seconds for each, the same inputs each time
    python3 scripts/fuzz.py --each 60 encode decode     some of them
    python3 scripts/fuzz.py --address --replay          the kept inputs under AddressSanitizer
"""

import argparse
import os
import re
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
CRATE = ROOT / "fuzz"
KEPT = CRATE / "corpus"
COVERAGE = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "--cfg",
    "fuzzing",
]
LIMITS = [
    "-max_len=2048",
    "-len_control=0",
    "-rss_limit_mb=4096",
    "-timeout=60",
    "-print_final_stats=1",
]
LEAST_SECONDS = 1
MOST_KEPT_BYTES = 40_000
"""A target's packed inputs, before packing."""
MOST_KEPT = 250
"""How many they may be."""


class Outcome(NamedTuple):
    """How a target's run ended."""

    target: str
    executions: int
    inputs: int
    code: int
    log: str


def targets() -> list[str]:
    """The names in the table of `fuzz/src/targets.rs`."""
    source = (CRATE / "src" / "targets.rs").read_text()
    return re.findall(r'^    \("(\w+)", \w+::run\),$', source, re.M)


def work_folder() -> Path:
    """Where the build and what the fuzzers find goes."""
    return Path(os.environ.get("CARGO_TARGET_DIR", CRATE / "target"))


def host() -> str:
    """The platform's name to rustc."""
    told = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^host: (\S+)$", told, re.M)[0]


def build(address: bool) -> Path:
    """The program; build scripts and macros are not instrumented, since a platform is named."""
    flags = [*COVERAGE, *(["-Zsanitizer=address"] if address else [])]
    folder = work_folder() / ("address" if address else "plain")
    env = {
        **os.environ,
        "CARGO_TARGET_DIR": str(folder),
        "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(flags),
        "RUSTC_BOOTSTRAP": "1",
    }
    platform = host()
    command = ["cargo", "build", "--quiet", "--release", "--locked", "--target", platform]
    subprocess.run(command, cwd=CRATE, env=env, check=True)
    return folder / platform / "release" / "fretsaw-fuzz"


def run(program: Path, target: str, options: list[str]) -> Outcome:
    """Run one target from what is kept of it and what it found before."""
    found = work_folder() / "found" / target
    failed = work_folder() / "failed"
    for folder in (found, failed):
        folder.mkdir(parents=True, exist_ok=True)
    unpack(target, found)
    command = [
        str(program),
        str(found),
        *LIMITS,
        f"-artifact_prefix={failed}/{target}-",
        *options,
    ]
    env = {**os.environ, "FRETSAW_FUZZ": target}
    result = subprocess.run(
        command, env=env, capture_output=True, text=True, errors="replace", check=False
    )
    executions = re.findall(r"stat::number_of_executed_units:\s+(\d+)", result.stderr)
    count = int(executions[0]) if executions else 0
    return Outcome(target, count, len(list(found.iterdir())), result.returncode, result.stderr)


def unpack(target: str, folder: Path) -> None:
    """Put the kept inputs of a target beside those that were found here."""
    packed = KEPT / f"{target}.zip"
    if packed.exists():
        with zipfile.ZipFile(packed) as archive:
            archive.extractall(folder)


def keep(program: Path, target: str) -> None:
    """Pack a set of inputs that reaches what all of them reach, the smallest first."""
    found = work_folder() / "found" / target
    least = work_folder() / "least" / target
    least.mkdir(parents=True, exist_ok=True)
    command = [str(program), "-merge=1", *LIMITS, str(least), str(found)]
    env = {**os.environ, "FRETSAW_FUZZ": target}
    subprocess.run(command, env=env, capture_output=True, check=True)
    KEPT.mkdir(exist_ok=True)
    size = 0
    with zipfile.ZipFile(KEPT / f"{target}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        ordered = sorted(least.iterdir(), key=lambda path: (path.stat().st_size, path.name))
        for path in ordered[:MOST_KEPT]:
            size += path.stat().st_size
            if size > MOST_KEPT_BYTES:
                break
            # No time in it: the same inputs make the same file.
            archive.writestr(zipfile.ZipInfo(path.name), path.read_bytes(), zipfile.ZIP_DEFLATED)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("targets", nargs="*", help="which targets; all of them by default")
    parser.add_argument("--seconds", type=int, default=600, help="for all targets together")
    parser.add_argument("--each", type=int, help="seconds for each target instead")
    parser.add_argument(
        "--seed", type=int, default=0, help="of what is tried; 0: another each time"
    )
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--address", action="store_true", help="under AddressSanitizer")
    parser.add_argument("--replay", action="store_true", help="only what is kept, nothing new")
    parser.add_argument("--keep", action="store_true", help="pack what was found")
    return parser.parse_args()


def main() -> int:
    options = parsed()
    unknown = sorted(set(options.targets) - set(targets()))
    if unknown:
        print(f"no such target: {', '.join(unknown)}; there are {', '.join(targets())}")
        return 2
    chosen = options.targets or targets()
    program = build(options.address)
    jobs = min(options.jobs, len(chosen))
    each = options.each or max(LEAST_SECONDS, options.seconds * jobs // len(chosen))
    limits = ["-runs=0"] if options.replay else [f"-max_total_time={each}"]
    limits.append(f"-seed={options.seed}")
    failed = []
    with ThreadPoolExecutor(jobs) as pool:
        for outcome in pool.map(lambda target: run(program, target, limits), chosen):
            state = "FAILED" if outcome.code else "ok"
            counts = f"{outcome.executions:>12,} executions {outcome.inputs:>7,} inputs"
            print(f"{outcome.target:<16}{counts}  {state}", flush=True)
            if outcome.code:
                failed.append(outcome)
    for outcome in failed:
        print(f"\n== {outcome.target}\n{outcome.log[-4000:]}")
    if options.keep and not failed:
        for target in chosen:
            keep(program, target)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
