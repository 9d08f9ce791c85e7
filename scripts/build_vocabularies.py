"""Turn `.tiktoken` files into the built-in vocabularies of python/fretsaw/vocabularies/.

    python scripts/build_vocabularies.py            write NAME.pairs
    python scripts/build_vocabularies.py --check    fail if a file does not hold what would be written

The `.tiktoken` files, as they are or with gzip, are in native/tiktoken/ of the folder that
FRETSAW_DATA names, or in the folder that --ranks names. For each token the pair of earlier tokens
that it joins is found by merging its bytes with the earlier ranks alone. Also checked: p50k_base is
r50k_base with runs of spaces, and the pairs of r50k_base are GPT-2's merges. The two files are
compared by what they unpack to: another zlib may pack the same content differently.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import itertools
import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VOCABULARIES = ROOT / "python" / "fretsaw" / "vocabularies"
GPT2 = ROOT / "tests" / "fixtures" / "gpt2.json.gz"
PACKED = ("r50k_base", "cl100k_base", "o200k_base")

sys.path.insert(0, str(ROOT / "python"))

from fretsaw.vocabularies import pairs, tiktoken_encodings  # noqa: E402

Ranks = dict[bytes, int]


def read_ranks(folder: Path, name: str) -> Ranks:
    """The ranks of a `.tiktoken` file."""
    path = folder / f"{name}.tiktoken"
    text = (
        path.read_bytes()
        if path.exists()
        else gzip.decompress(path.with_suffix(".tiktoken.gz").read_bytes())
    )
    lines = (line.split() for line in text.splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in lines}


def joined_pair(token: bytes, ranks: Ranks) -> tuple[int, int]:
    """The ranks of the two tokens that merging leaves before the last merge makes `token`."""
    parts = [token[at : at + 1] for at in range(len(token))]
    while len(parts) > 2:
        found = [ranks.get(left + right) for left, right in itertools.pairwise(parts)]
        earlier = [(rank, at) for at, rank in enumerate(found) if rank is not None]
        rank, at = min(earlier, default=(ranks[token], 0))
        if rank >= ranks[token]:
            raise SystemExit(f"{token!r} is not made of two earlier tokens")
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return ranks[parts[0]], ranks[parts[1]]


def content(ranks: Ranks) -> tuple[list[bytes], list[int], list[int]]:
    """Tokens in rank order; the left and right ranks of all but the bytes."""
    tokens = sorted(ranks, key=ranks.__getitem__)
    if [ranks[token] for token in tokens] != list(range(len(tokens))):
        raise SystemExit("the ranks have gaps")
    if {len(token) for token in tokens[: pairs.BYTES]} != {1}:
        raise SystemExit("the first tokens are not the bytes")
    joined = [joined_pair(token, ranks) for token in tokens[pairs.BYTES :]]
    return tokens, [left for left, _ in joined], [right for _, right in joined]


def check_p50k(folder: Path) -> None:
    """p50k_base is told by r50k_base and lengths of runs of spaces."""
    if tiktoken_encodings.ENCODINGS["p50k_base"].ranks() != read_ranks(folder, "p50k_base"):
        raise SystemExit("p50k_base is not r50k_base with runs of spaces")


def check_gpt2() -> None:
    """The pairs of r50k_base are GPT-2's merges in their order."""
    characters = _alphabet()
    tokens, left, right = tiktoken_encodings.read_pairs("r50k_base")
    spelled = ["".join(characters[byte] for byte in token) for token in tokens]
    merges = [f"{spelled[a]} {spelled[b]}" for a, b in zip(left, right, strict=True)]
    if merges != json.loads(gzip.decompress(GPT2.read_bytes()))["model"]["merges"]:
        raise SystemExit("the pairs of r50k_base are not GPT-2's merges")


def _alphabet() -> list[str]:
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x144))
    return [chr(byte if byte in printable else next(others)) for byte in range(256)]


def main() -> None:
    """Writes or checks all files."""
    parser = argparse.ArgumentParser(description="Build the built-in vocabularies.")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--ranks", type=Path, help="folder of .tiktoken files")
    options = parser.parse_args()
    folder = options.ranks
    if folder is None:
        if "FRETSAW_DATA" not in os.environ:
            parser.error("set FRETSAW_DATA or give --ranks")
        folder = Path(os.environ["FRETSAW_DATA"]) / "native" / "tiktoken"
    for name in PACKED:
        path = VOCABULARIES / f"{name}.pairs"
        wanted = content(read_ranks(folder, name))
        if not options.check:
            path.write_bytes(pairs.pack(*wanted))
        elif not path.exists() or pairs.unpack(path.read_bytes()) != wanted:
            raise SystemExit(f"{path} is not what scripts/build_vocabularies.py would write")
        print(f"{name}: {len(wanted[0])} tokens in {path.stat().st_size} bytes")
    check_p50k(folder)
    check_gpt2()


if __name__ == "__main__":
    main()
