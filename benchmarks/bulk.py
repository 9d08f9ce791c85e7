"""Whole files, one run: `fretsaw tokenize` and `encode_files` beside gigatoken's `encode_files`.

    python benchmarks/bulk.py [--bytes 1e9] [--rounds 5] [--folder DIR]

The text is made of the English of the data folder: its lines in an order that a seed shuffles, again and
again, each a document. Each measurement is a process of its own; files are read once before, so that they
lie in the page cache. All ways must have the same number of ids and the same sum of them. Printed is a
table, and a line of JSON with every round: seconds, those of the processors, resident and anonymous
memory at its highest.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from corpora import whole
from setting import cpu_model

MEASURED = """
import json, sys, threading, time
work, path, folder = sys.argv[1:]
highest = 0
def watch():
    global highest
    while True:
        with open("/proc/self/smaps_rollup") as lines:
            anonymous = next(int(line.split()[1]) for line in lines if line.startswith("Anonymous:"))
        highest = max(highest, anonymous)
        time.sleep(0.05)
threading.Thread(target=watch, daemon=True).start()
{prepare}
begun, cpu = time.perf_counter(), time.process_time()
{work}
seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
with open("/proc/self/status") as lines:
    peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
{ids}
print(json.dumps({{"seconds": seconds, "cpu_seconds": cpu,
                   "resident_mib": peak / 1024, "anonymous_mib": highest / 1024,
                   "ids": sum(map(len, ids)), "sum": sum(int(part.sum()) for part in ids)}}))
"""

SEPARATOR = "<|endoftext|>"

OWN = "import fretsaw\nfrom fretsaw import bulk\ntok = fretsaw.get('gpt2')\ntok.encode('a')"
OTHER = """import gigatoken, fretsaw
tok = gigatoken.Tokenizer.from_json(fretsaw.get('gpt2').to_str().encode())
tok.encode('a')
source = gigatoken.TextFileSource([path], separator='<|endoftext|>')"""
JOB = "bulk.tokenize([path], folder, tok, by='<|endoftext|>')"
SHARDS = "shards = bulk.Shards(folder)\nids = [shards.window(0, shards.tokens)]"

WAYS = {
    "fretsaw, text to .bin": ("txt", OWN, JOB, SHARDS),
    "fretsaw, jsonl to .bin": ("jsonl", OWN, JOB, SHARDS),
    "fretsaw, parquet to .bin": ("parquet", OWN, JOB, SHARDS),
    "fretsaw, encode_files": (
        *("txt", OWN, "found = tok.encode_files(path, separator='<|endoftext|>')"),
        "ids = found[:1]",
    ),
    "gigatoken, encode_files": (
        *("txt", OTHER, "found = tok.encode_files(source)"),
        "ids = [found.layout.content.data]",
    ),
}


def make_corpus(folder: Path, size_bytes: int) -> int:
    """The same documents as lines of text, jsonl and parquet; returns how large the text is."""
    import pyarrow as pa
    from pyarrow import parquet

    lines = [line for line in whole(["en_prose"]).decode().split("\n") if line.strip()]
    total = sum(map(len, lines))
    lines = lines[: max(1, min(total, size_bytes) * len(lines) // total)]
    draw = random.Random(0)
    done = 0
    schema = pa.schema([("text", pa.string())])
    paths = [folder / f"corpus.{kind}" for kind in ("txt", "jsonl")]
    with (
        open(paths[0], "w", encoding="utf-8", newline="") as text,
        open(paths[1], "w", encoding="utf-8", newline="") as jsonl,
        parquet.ParquetWriter(folder / "corpus.parquet", schema) as table,
    ):
        while done < size_bytes:
            draw.shuffle(lines)
            done += text.write("".join(line + SEPARATOR for line in lines))
            rows = [{"text": line} for line in lines]
            jsonl.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            table.write_table(pa.Table.from_pylist(rows, schema))
    return paths[0].stat().st_size


def measured(way: str, folder: Path) -> dict[str, float]:
    """One run of a way in a process of its own."""
    kind, prepare, work, ids = WAYS[way]
    path = folder / f"corpus.{kind}"
    with open(path, "rb") as file:
        while file.read(1 << 24):
            pass
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    program = MEASURED.format(prepare=prepare, work=work, ids=ids)
    command = [sys.executable, "-c", program, way, str(path), str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    shutil.rmtree(out, ignore_errors=True)
    if done.returncode:
        raise RuntimeError(f"{way}: {done.stderr.strip().splitlines()[-1:]}")
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> None:
    """Measures all ways in turn, so that what the machine does meanwhile meets all of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bytes", type=float, default=1e9)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        size = make_corpus(folder, int(options.bytes))
        runs: dict[str, list[dict[str, float]]] = {way: [] for way in WAYS}
        for _ in range(options.rounds):
            for way, found in runs.items():
                try:
                    found.append(measured(way, folder))
                except RuntimeError as error:
                    print(error, file=sys.stderr)
    sums = {(run["ids"], run["sum"]) for found in runs.values() for run in found}
    if len(sums) > 1:
        sys.exit(f"the ways don't agree about the ids: {sums}")
    print(f"{cpu_model()}, {size / 1e6:,.0f} MB of text file, median of {options.rounds}")
    head = f"{'MB/s':>8}{'lowest':>8}{'highest':>8}{'MB/CPU-s':>10}"
    print(f"{head}{'resident MiB':>14}{'anonymous':>11}")
    for way, found in runs.items():
        if not found:
            continue
        speeds = sorted(size / 1e6 / run["seconds"] for run in found)
        middle = [
            statistics.median(run[name] for run in found)
            for name in ("resident_mib", "anonymous_mib")
        ]
        low, high = speeds[0], speeds[-1]
        row = f"{statistics.median(speeds):8,.0f}{low:8,.0f}{high:8,.0f}"
        row += f"{size / 1e6 / statistics.median(run['cpu_seconds'] for run in found):10,.0f}"
        print(f"{row}{middle[0]:14,.0f}{middle[1]:11,.0f}  {way}")
    print(json.dumps({"bytes": size, "runs": runs}))


if __name__ == "__main__":
    main()
