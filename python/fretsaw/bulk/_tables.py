"""Shards as tables: parquet and Arrow files with a column `tokens` of `list<uint32>`, a row a document."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from fretsaw import BulkError
from fretsaw._bulk import checksum

__all__ = ["needed", "no_tokens", "read", "rewritten"]

COLUMN = "tokens"


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
    import numpy as np

    pyarrow = needed()
    tokens_path, index_path = (folder / file["name"] for file in shard["files"])
    tokens = np.fromfile(tokens_path, f"<u{token_bytes}").astype(np.uint32, copy=False)
    offsets = np.load(index_path)
    values, large = pyarrow.array(tokens), len(tokens) > np.iinfo(np.int32).max
    lists = pyarrow.LargeListArray if large else pyarrow.ListArray
    kind = np.int64 if large else np.int32
    column = lists.from_arrays(pyarrow.array(offsets.astype(kind)), values)
    table = pyarrow.table({COLUMN: column})
    path = tokens_path.with_suffix(f".{layout}")
    partial = path.with_name(f".{path.name}.part")
    if layout == "parquet":
        from pyarrow import parquet

        parquet.write_table(table, partial, compression="zstd")
    else:
        with pyarrow.ipc.new_file(partial, table.schema) as writer:
            writer.write_table(table)
    with open(partial, "rb") as file:
        os.fsync(file.fileno())
    partial.replace(path)
    tokens_path.unlink()
    index_path.unlink()
    size, digest = checksum(path)
    return {**shard, "files": [{"name": path.name, "bytes": size, "xxh3_128": digest}]}


def read(path: Path) -> tuple[Any, Any]:
    """The tokens of a table, and where each document begins; an Arrow file is mapped."""
    import numpy as np

    pyarrow = needed()
    if path.suffix == ".parquet":
        from pyarrow import parquet

        table = parquet.read_table(path)
    else:
        table = pyarrow.ipc.open_file(pyarrow.memory_map(str(path))).read_all()
    column = table.column(COLUMN)
    lists = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if len(lists) == 0:
        return no_tokens(4), np.zeros(1, np.int64)
    return lists.values.to_numpy(), lists.offsets.to_numpy()
