"""What pyarrow does for training: a column of parquet, what Zstandard packed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import IO, Any, cast

from fretsaw import TrainError

__all__ = ["column", "unpacked"]

ROWS = 4096


def column(path: str | os.PathLike[str], name: str) -> Iterator[object]:
    """The values of a column of a parquet file, in order.

    Raises `TrainError` without pyarrow and for a column that is not there.
    """
    _needed(path)
    from pyarrow import parquet  # type: ignore[import-untyped]

    with parquet.ParquetFile(os.fspath(path)) as table:
        names = table.schema_arrow.names
        if name not in names:
            known = ", ".join(names)
            raise TrainError(f"{os.fspath(path)} has no column {name!r}; it has {known}")
        for batch in table.iter_batches(batch_size=ROWS, columns=[name]):
            yield from batch.column(0).to_pylist()


def unpacked(path: str | os.PathLike[str]) -> IO[bytes]:
    """A file that Zstandard packed, for reading.

    Raises `TrainError` without pyarrow.
    """
    pyarrow = _needed(path)
    return cast(IO[bytes], pyarrow.CompressedInputStream(os.fspath(path), "zstd"))


def _needed(path: str | os.PathLike[str]) -> Any:
    try:
        import pyarrow
    except ModuleNotFoundError:
        message = f"reading {os.fspath(path)} needs pyarrow: pip install 'fretsaw[arrow]'"
        raise TrainError(message) from None
    return pyarrow
