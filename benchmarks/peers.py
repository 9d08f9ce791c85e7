"""Every library that is timed, as two functions: one text to a list of ids, and a batch to lists.

All start from the same tokenizer.json, with special tokens neither added nor looked for where the
library lets one choose. A library that is not installed or can't read the file is left out.
"""

from __future__ import annotations

import importlib
import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

Ids = list[int]

GPT2_PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


@dataclass(frozen=True)
class Peer:
    """A library with one tokenizer loaded."""

    one: Callable[[str], Ids]
    batch: Callable[[list[str]], list[Ids]]


def fretsaw(file: bytes) -> Peer:
    """fretsaw; batches on its own threads."""
    tok = importlib.import_module("fretsaw").Tokenizer.from_str(file)
    return Peer(tok.encode_ids, tok.encode_batch_ids)


def tokenizers(file: bytes) -> Peer:
    """Hugging Face tokenizers, by its faster batch call, which leaves offsets out."""
    tok = importlib.import_module("tokenizers").Tokenizer.from_str(file.decode())
    return Peer(
        lambda text: tok.encode(text, add_special_tokens=False).ids,
        lambda texts: [item.ids for item in tok.encode_batch_fast(texts, add_special_tokens=False)],
    )


def tiktoken(file: bytes) -> Peer:
    """tiktoken, for files with GPT-2's split and all 256 bytes."""
    spec = json.loads(file)
    if spec["pre_tokenizer"]["type"] != "ByteLevel":
        raise ValueError("not GPT-2's split")
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    byte_of = {chr(byte): byte for byte in printable}
    byte_of.update({chr(0x100 + at): byte for at, byte in enumerate(others)})
    added = {token["content"]: token["id"] for token in spec["added_tokens"]}
    ranks = {
        bytes(byte_of[char] for char in token): id_
        for token, id_ in spec["model"]["vocab"].items()
        if token not in added
    }
    encoding = importlib.import_module("tiktoken").Encoding(
        "benchmark", pat_str=GPT2_PATTERN, mergeable_ranks=ranks, special_tokens=added
    )
    return Peer(encoding.encode_ordinary, encoding.encode_ordinary_batch)


def snaptokens(file: bytes) -> Peer:
    """snaptokens."""
    return _like_tokenizers(
        importlib.import_module("snaptokens").Tokenizer.from_json_str(file.decode())
    )


def fastokens(file: bytes) -> Peer:
    """fastokens."""
    return _like_tokenizers(
        importlib.import_module("fastokens").Tokenizer.from_json_str(file.decode())
    )


def tokie(file: bytes) -> Peer:
    """tokie, which reads from the disk only."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tokenizer.json"
        path.write_bytes(file)
        return _like_tokenizers(importlib.import_module("tokie").Tokenizer.from_json(str(path)))


def gigatoken(file: bytes) -> Peer:
    """gigatoken, whose arrays are turned into lists."""
    tok = importlib.import_module("gigatoken").Tokenizer.from_json(file)
    return Peer(lambda text: tok.encode(text).tolist(), tok.encode_batch_list)


def _like_tokenizers(tok: Any) -> Peer:
    return Peer(
        lambda text: tok.encode(text, add_special_tokens=False).ids,
        lambda texts: [item.ids for item in tok.encode_batch(texts, add_special_tokens=False)],
    )


PEERS: dict[str, Callable[[bytes], Peer]] = {
    "fretsaw": fretsaw,
    "tokenizers": tokenizers,
    "tiktoken": tiktoken,
    "snaptokens": snaptokens,
    "gigatoken": gigatoken,
    "fastokens": fastokens,
    "tokie": tokie,
}


def load_peers(file: bytes) -> tuple[dict[str, Peer], dict[str, str]]:
    """The libraries that can load a file, and why the others are left out."""
    loaded: dict[str, Peer] = {}
    left_out: dict[str, str] = {}
    for name, load in PEERS.items():
        try:
            loaded[name] = load(file)
        except ImportError:
            left_out[name] = "not installed"
        except Exception as error:
            left_out[name] = f"can't load the file: {error}"
    return loaded, left_out


def versions(names: list[str]) -> dict[str, str]:
    """The installed versions."""
    return {name: version(name) for name in names}
