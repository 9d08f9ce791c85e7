"""Regenerates every frozen oracle value in `tests/golden/`: the golden strings and the digests.

`digests.json` holds, per tokenizer, digests over the ids of every Unicode scalar value in four
contexts, of each text of the data folder as one input and by line, and of 50,000 random strings;
`oracle/digests.py` defines them, `oracle/inputs.py` the inputs. `encoding_digests.json` has digests over
everything else that encodings say, of `oracle/encoding_jobs.py`. The files say the versions and
parameters they were made with.

Needs FRETSAW_DATA. A tokenizer takes 3 to 5 minutes of processor time, all 39 some two and a half
hours, divided by the number of processes. `--only` does some and keeps
the others as they are. The result depends neither on the number of processes nor on the order.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, Final

from golden_strings import write_golden
from oracle import encoding_digests
from oracle.digests import parameters, tokenizer_digests
from oracle.tables import ALL_NAMES, ORACLE_VERSIONS, check_versions

GOLDEN: Final = Path(__file__).resolve().parent.parent / "tests" / "golden"


Digests = Callable[[str], dict[str, Any]]


def timed(digests: Digests, name: str) -> tuple[dict[str, Any], float]:
    """The digests of one tokenizer and the seconds they took; runs in a process of its own."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    start = time.perf_counter()
    return digests(name), time.perf_counter() - start


def header(parameters: dict[str, Any]) -> dict[str, Any]:
    """The part of a file that all tokenizers share."""
    return {"oracle": {"tokenizers": ORACLE_VERSIONS["tokenizers"]}, "parameters": parameters}


def earlier_digests(path: Path, shared: dict[str, Any]) -> dict[str, Any]:
    """The digests that `--only` keeps; they must have been made in the same way."""
    if not path.exists():
        return {}
    document = json.loads(path.read_text(encoding="ascii"))
    kept: dict[str, Any] = document.pop("tokenizers")
    if document != shared:
        raise SystemExit(f"{path} was made with other inputs or versions: run without --only")
    return kept


def write_document(path: Path, shared: dict[str, Any], digests: dict[str, Any]) -> None:
    """Writes the file in one step, tokenizers sorted by name."""
    document = {**shared, "tokenizers": dict(sorted(digests.items()))}
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(document, indent=1, ensure_ascii=True) + "\n", encoding="ascii")
    temporary.replace(path)


def write_digests(
    path: Path, shared: dict[str, Any], of: Digests, names: list[str], keep: bool, jobs: int
) -> None:
    """Computes and writes the digests of some tokenizers, saving after each one."""
    digests = earlier_digests(path, shared) if keep else {}
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        running = {pool.submit(timed, of, name): name for name in names}
        for done in as_completed(running):
            name = running[done]
            digests[name], seconds = done.result()
            write_document(path, shared, digests)
            print(f"{name}: {seconds:.0f} s", flush=True)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Regenerate the frozen oracle values.")
    parser.add_argument("--out", type=Path, default=GOLDEN, help="folder to write into")
    parser.add_argument(
        "--only", nargs="+", choices=ALL_NAMES, metavar="NAME", help="digests of these only"
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument(
        "--golden-only", action="store_true", help="strings and their ids, no digests"
    )
    parser.add_argument(
        "--encodings-only", action="store_true", help="only the digests of whole encodings"
    )
    arguments = parser.parse_args()
    check_versions()
    names, keep = list(arguments.only or ALL_NAMES), arguments.only is not None
    if not arguments.encodings_only:
        write_golden(arguments.out)
        if not arguments.golden_only:
            path, shared = arguments.out / "digests.json", header(parameters())
            write_digests(path, shared, tokenizer_digests, names, keep, arguments.jobs)
    if not arguments.golden_only:
        path = arguments.out / "encoding_digests.json"
        shared, of = header(encoding_digests.parameters()), encoding_digests.tokenizer_digests
        write_digests(path, shared, of, names, keep, arguments.jobs)


if __name__ == "__main__":
    main()
