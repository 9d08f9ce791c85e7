"""Shards as tables: parquet and Arrow files with a column `tokens` of `list<uint32>`, a row a document."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fretsaw import BulkError
from fretsaw._bulk import checksum

__all__ = ["needed", "no_tokens", "read", "rewritten"]

COLUMN = "tokens"
GROUP_TOKENS = 1 << 22
MAX_LIST_TOKENS = (1 << 31) - 1


def needed() -> Any:
    """The module pyarrow.

    Raises `BulkError` without it.
    """
    try:
        import pyarrow  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        raise BulkError("parquet and Arrow need pyarrow: pip install 'fretsaw[arrow]'") from None
    return pyarrow


def no_tokens(token_bytes: int) -> Any:
    """An empty array of ids."""
    import numpy as np

    return np.empty(0, f"<u{token_bytes}")


def rewritten(folder: Path, shard: dict[str, Any], layout: str, token_bytes: int) -> dict[str, Any]:
    """The entry of a plain shard that was written anew as a table, in the place of its two files."""
    pyarrow = needed()
    tokens_path, index_path = (folder / file["name"] for file in shard["files"])
    tables = _tables(pyarrow, tokens_path, index_path, token_bytes, layout)
    path = tokens_path.with_suffix(f".{layout}")
    partial = path.with_name(f".{path.name}.part")
    schema = pyarrow.schema({COLUMN: pyarrow.list_(pyarrow.uint32())})
    if layout == "parquet":
        from pyarrow import parquet

        with parquet.ParquetWriter(partial, schema, compression="zstd") as writer:
            for table in tables:
                writer.write_table(table)
    else:
        with pyarrow.ipc.new_file(partial, schema) as writer:
            for table in tables:
                writer.write_table(table)
    with open(partial, "rb") as file:
        os.fsync(file.fileno())
    partial.replace(path)
    tokens_path.unlink()
    index_path.unlink()
    size, digest = checksum(path)
    return {**shard, "files": [{"name": path.name, "bytes": size, "xxh3_128": digest}]}


def _tables(
    pyarrow: Any, tokens_path: Path, index_path: Path, token_bytes: int, layout: str
) -> Iterator[Any]:
    """A plain shard in tables of limited size; an Arrow file has one, so that it can be mapped."""
    import numpy as np

    offsets = np.load(index_path, mmap_mode="r")
    tokens = no_tokens(token_bytes)
    if offsets[-1]:
        tokens = np.memmap(tokens_path, tokens.dtype, "r")
    limit = GROUP_TOKENS if layout == "parquet" else MAX_LIST_TOKENS
    begin, count = 0, len(offsets) - 1
    while begin < count:
        fitting = int(np.searchsorted(offsets, offsets[begin] + limit, "right")) - 1
        end = max(begin + 1, fitting)
        places = (offsets[begin : end + 1] - offsets[begin]).astype(np.int32)
        ids = tokens[offsets[begin] : offsets[end]].astype(np.uint32, copy=False)
        column = pyarrow.ListArray.from_arrays(pyarrow.array(places), pyarrow.array(ids))
        yield pyarrow.table({COLUMN: column})
        begin = end


def read(path: Path) -> tuple[Any, Any]:
    """The tokens of a table, and where each document begins; an Arrow file is mapped."""
    import numpy as np

    pyarrow = needed()
    if path.suffix == ".parquet":
        from pyarrow import parquet

        table = parquet.read_table(path)
    else:
        table = pyarrow.ipc.open_file(pyarrow.memory_map(str(path))).read_all()
    chunks = [chunk for chunk in table.column(COLUMN).chunks if len(chunk)]
    if not chunks:
        return no_tokens(4), np.zeros(1, np.int64)
    offsets = [chunk.offsets.to_numpy() for chunk in chunks]
    tokens = [
        chunk.values.to_numpy()[places[0] : places[-1]]
        for chunk, places in zip(chunks, offsets, strict=True)
    ]
    if len(chunks) == 1:
        return tokens[0], offsets[0] - offsets[0][0]
    lengths = np.concatenate([np.diff(places) for places in offsets])
    ends = np.cumsum(lengths, dtype=np.int64)
    return np.concatenate(tokens), np.concatenate([[0], ends])
