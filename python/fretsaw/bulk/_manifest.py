"""The manifest of a folder of shards: what it was made of and what is in it, and whether that is so."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any, BinaryIO, cast

from fretsaw import BulkError, Tokenizer
from fretsaw._bulk import checksum

NAME = "manifest.json"
TOKENIZER = "tokenizer.fret"
FORMAT = 1


def write(folder: Path, manifest: dict[str, Any]) -> None:
    """Writes the manifest at once: a temporary file, brought to disk and renamed."""
    write_whole(folder / NAME, as_json(manifest, indent=1) + b"\n")


def as_json(value: Any, indent: int | None = None) -> bytes:
    """JSON in UTF-8; in ASCII where it has names that are not: their bytes are `\\udc80` to `\\udcff`."""
    try:
        return json.dumps(value, ensure_ascii=False, indent=indent).encode()
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent).encode()


def opened(path: Path, mode: str) -> BinaryIO:
    """A file of the folder for writing; a symbolic link that somebody put in its place is not followed."""

    def own(name: str, flags: int) -> int:
        return os.open(name, flags | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)

    return cast(BinaryIO, open(path, mode, opener=own))


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file so that it is there whole or not at all."""
    partial = path.with_name(f".{path.name}.part")
    with opened(partial, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def compiled(tok: Tokenizer) -> bytes:
    """The compiled file of a tokenizer."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / TOKENIZER
        tok.compile(path)
        return path.read_bytes()


def read(folder: Path) -> dict[str, Any]:
    """The manifest of a folder.

    Raises `BulkError` where there is none or it is not one.
    """
    try:
        manifest = json.loads((folder / NAME).read_bytes())
    except FileNotFoundError:
        raise BulkError(f"{folder} has no {NAME}: no job was finished there") from None
    except ValueError as error:
        raise BulkError(f"{folder / NAME} is damaged: {error}") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise BulkError(f"{folder / NAME} is of another version")
    return cast(dict[str, Any], manifest)


def verify(folder: str | os.PathLike[str], *, inputs: bool = False) -> list[str]:
    """What in a folder of shards is not as its manifest says, a line each; nothing if all is well.

    Sizes and checksums of all files are compared, documents and tokens counted; with `inputs` also
    those of the files that it was made of.

    Raises `BulkError` where there is no manifest.
    """
    from ._shards import Shards

    root = Path(folder)
    manifest = read(root)
    faults = []
    for shard in manifest["shards"]:
        for file in shard["files"]:
            faults += _compare(root / file["name"], file)
    if inputs:
        for file in manifest["inputs"]:
            faults += _compare(Path(file["path"]), file)
    if (root / TOKENIZER).exists():
        found = Tokenizer.from_file(root / TOKENIZER).fingerprint
        if found != manifest["tokenizer"]["fingerprint"]:
            faults.append(f"{TOKENIZER}: another tokenizer than the manifest names")
    if not faults:
        faults += Shards(root).faults()
    return faults


def _compare(path: Path, entry: dict[str, Any]) -> list[str]:
    try:
        size, digest = checksum(path)
    except OSError as error:
        return [f"{path.name}: {error.strerror or error}"]
    if size != entry["bytes"]:
        return [f"{path.name}: {size} bytes, not {entry['bytes']}"]
    if digest != entry["xxh3_128"]:
        return [f"{path.name}: its content has changed"]
    return []
