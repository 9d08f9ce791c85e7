"""Builds the 10,000 golden strings and their ids, the small exactness suite that a clone carries.

The strings are the same on every run and every Python version: fixed lists, enumerations over
explicit code point tables, and a fixed pseudo-random fill. Their ids come from `tokenizers` (and,
for GPT-2, are compared with `tiktoken`; a difference stops the script). Written into
`tests/golden/`:

- `strings.jsonl.gz`: one JSON string per line, ASCII with escapes;
- `gpt2.ids.gz`, `smollm2.ids.gz`: one line per string, decimal ids with a space between them, an
  empty line for no ids.

Needs FRETSAW_DATA (the folder with `tokenizers/` and `native/`). Takes about 5 seconds.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import tiktoken

from oracle.golden import COUNT, golden_strings
from oracle.tables import check_versions, data_folder, load_tokenizer

TOKENIZERS: Final = ("gpt2", "smollm2")
GPT2_PATTERN: Final = (
    r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"""
)
GPT2_END_OF_TEXT: Final = 50256


def oracle_ids(name: str, strings: list[str]) -> list[list[int]]:
    """Ids from tokenizers, with whatever the file's template adds."""
    tokenizer = load_tokenizer(name)
    return [tokenizer.encode(text, add_special_tokens=True).ids for text in strings]


def check_with_tiktoken(strings: list[str], ids: list[list[int]]) -> None:
    """Stops unless tiktoken gives GPT-2's ids for every string."""
    ranks = read_ranks(data_folder() / "native/tiktoken/r50k_base.tiktoken.gz")
    encoding = tiktoken.Encoding(
        "gpt2",
        pat_str=GPT2_PATTERN,
        mergeable_ranks=ranks,
        special_tokens={"<|endoftext|>": GPT2_END_OF_TEXT},
    )
    different = [
        (number, text)
        for number, (text, expected) in enumerate(zip(strings, ids, strict=True))
        if encoding.encode(text, allowed_special="all") != expected
    ]
    for number, text in different[:20]:
        print(f"string {number}: tiktoken and tokenizers differ on {text!a}")
    if different:
        raise SystemExit(f"{len(different)} strings differ between the two oracles")


def read_ranks(path: Path) -> dict[bytes, int]:
    """A tiktoken rank file: base64 of the token, a space, its rank."""
    lines = gzip.decompress(path.read_bytes()).split(b"\n")
    pairs = (line.split() for line in lines if line)
    return {base64.b64decode(token): int(rank) for token, rank in pairs}


def write_gzip(path: Path, lines: Iterable[str]) -> None:
    """Lines in ASCII, compressed so that equal lines give equal bytes."""
    text = "".join(f"{line}\n" for line in lines)
    path.write_bytes(gzip.compress(text.encode("ascii"), compresslevel=9, mtime=0))


def write_golden(folder: Path) -> None:
    """Builds and writes the three files."""
    check_versions()
    strings = golden_strings()
    if len(strings) != COUNT:
        raise SystemExit(f"built {len(strings)} strings in place of {COUNT}")
    folder.mkdir(parents=True, exist_ok=True)
    write_gzip(
        folder / "strings.jsonl.gz", (json.dumps(text, ensure_ascii=True) for text in strings)
    )
    for name in TOKENIZERS:
        ids = oracle_ids(name, strings)
        if name == "gpt2":
            check_with_tiktoken(strings, ids)
        write_gzip(folder / f"{name}.ids.gz", (" ".join(map(str, line)) for line in ids))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Build the golden strings and their ids.")
    default = Path(__file__).resolve().parent.parent / "tests" / "golden"
    parser.add_argument("--out", type=Path, default=default, help="folder to write into")
    write_golden(parser.parse_args().out)


if __name__ == "__main__":
    main()
