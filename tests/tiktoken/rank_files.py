"""Encodings by name and files of ranks: ours and tiktoken's of each, as functions of texts."""

import base64
import gzip
import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import tiktoken

import fretsaw
from fretsaw.vocabularies.tiktoken_encodings import ENCODINGS

Encode = Callable[[list[str]], list[list[int]]]

NAMES = [
    "gpt2",
    "r50k_base",
    "p50k_base",
    "p50k_edit",
    "cl100k_base",
    "o200k_base",
    "o200k_harmony",
]
"""What comes with the package."""

QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN_WITH_MARKS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}"
    r"| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

PATTERNS = {
    "qwen": QWEN,
    "qwen3_6": QWEN_WITH_MARKS,
    "whisper-multilingual": ENCODINGS["r50k_base"].pattern,
    **{name: ENCODINGS[name].pattern for name in ("cl100k_base", "o200k_base", "p50k_base")},
    "r50k_base": ENCODINGS["r50k_base"].pattern,
}
"""The `.tiktoken` files of the data folder, with what splits text for each."""

TEKKEN = ("tekken_240718", "tekken_240911")


def from_ranks(data_dir: Path, name: str, folder: Path) -> tuple[Encode, Encode]:
    """Both encodings of a `.tiktoken` file with its usual pattern and no special tokens."""
    content = gzip.decompress(
        (data_dir / "native" / "tiktoken" / f"{name}.tiktoken.gz").read_bytes()
    )
    path = folder / f"{name}.tiktoken"
    path.write_bytes(content)
    lines = (line.split() for line in content.splitlines() if line)
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    parts = {"pat_str": PATTERNS[name], "mergeable_ranks": ranks, "special_tokens": {}}
    theirs = tiktoken.Encoding(name, **parts)
    tok = fretsaw.Tokenizer.from_file(path, pattern=PATTERNS[name])
    return ids_of(tok), theirs.encode_ordinary_batch


def from_tekken(data_dir: Path, name: str, folder: Path) -> tuple[Encode, Encode]:
    """Both encodings of a `tekken.json`: tiktoken's ids lie behind those of the control tokens."""
    content = gzip.decompress((data_dir / "native" / "tekken" / f"{name}.json.gz").read_bytes())
    path = folder / "tekken.json"
    path.write_bytes(content)
    file = json.loads(content)
    special = file["config"]["default_num_special_tokens"]
    entries = file["vocab"][: file["config"]["default_vocab_size"] - special]
    theirs = tiktoken.Encoding(
        name,
        pat_str=file["config"]["pattern"],
        mergeable_ranks={base64.b64decode(e["token_bytes"]): e["rank"] for e in entries},
        special_tokens={},
    )

    def shifted(texts: list[str]) -> list[list[int]]:
        return [[id + special for id in ids] for ids in theirs.encode_ordinary_batch(texts)]

    return ids_of(fretsaw.Tokenizer.from_file(path)), shifted


def ids_of(tok: fretsaw.Tokenizer) -> Encode:
    """The ids of many texts, all of it ordinary text."""

    def encode(texts: list[str]) -> list[list[int]]:
        ids, row_offsets = tok.encode_batch_flat(texts, special="none")
        return [ids[start:end].tolist() for start, end in pairwise(row_offsets)]

    return encode
