"""Shows that a GGUF file of any size loads alike: only its metadata is read.

The same vocabulary is loaded from a file that ends with the metadata and from one with a hole of
gigabytes behind it, as the tensors of a model would be; by turns, so that what else the machine does
meets both. What is printed is the middle of the rounds and their difference.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import statistics
import struct
import tempfile
import time
from pathlib import Path

import fretsaw

GPT2 = Path(__file__).parent.parent / "tests" / "fixtures" / "gpt2.json.gz"

STRING, LIST = 8, 9


def string(text: str) -> bytes:
    """A string with its length in front."""
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def gpt2_metadata() -> bytes:
    """GPT-2's vocabulary as a converter writes it."""
    model = json.loads(gzip.decompress(GPT2.read_bytes()))["model"]
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in model["merges"]]
    pairs = string("tokenizer.ggml.model") + struct.pack("<I", STRING) + string("gpt2")
    pairs += string("tokenizer.ggml.pre") + struct.pack("<I", STRING) + string("gpt-2")
    lists = {"tokens": list(model["vocab"]), "merges": merges}
    for name, values in lists.items():
        pairs += string(f"tokenizer.ggml.{name}")
        pairs += struct.pack("<IIQ", LIST, STRING, len(values)) + b"".join(map(string, values))
    return b"GGUF" + struct.pack("<IQQ", 3, 0, 4) + pairs


def milliseconds(path: Path) -> float:
    """The time of one load."""
    start = time.perf_counter()
    fretsaw.Tokenizer.from_file(path)
    return (time.perf_counter() - start) * 1000


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Time a GGUF file with a hole behind its header.")
    parser.add_argument("--file", type=Path, help="a GGUF file instead of one with GPT-2's tokens")
    parser.add_argument("--gigabytes", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=11)
    options = parser.parse_args()
    content = options.file.read_bytes() if options.file else gpt2_metadata()
    with tempfile.TemporaryDirectory() as folder:
        header, whole = Path(folder) / "header.gguf", Path(folder) / "whole.gguf"
        header.write_bytes(content)
        whole.write_bytes(content)
        os.truncate(whole, options.gigabytes << 30)
        times = [(milliseconds(header), milliseconds(whole)) for _ in range(options.rounds)]
    alone, large = (statistics.median(column) for column in zip(*times, strict=True))
    print(f"metadata of {len(content):,} bytes, median of {options.rounds}")
    print(f"  alone             {alone:>8.2f} ms")
    print(f"  of {options.gigabytes:>3} GiB        {large:>8.2f} ms")
    print(f"  difference        {large - alone:>8.2f} ms")


if __name__ == "__main__":
    main()
