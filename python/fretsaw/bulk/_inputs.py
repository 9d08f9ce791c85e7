"""Which files a job reads, and how those get in that are no text: parquet and Arrow by way of pyarrow.

Local text and jsonl is read by the native side. Paths with a scheme (`s3://…`) are opened by fsspec.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from typing import IO, Any, NamedTuple, cast

from fretsaw import BulkError
from fretsaw._bulk import TABLES

from . import _tables

ROWS = 4096
ROWS_BYTES = 4 << 20


class Rows(NamedTuple):
    """Some rows of a column: where they begin, all bytes, where each row ends, rows without text."""

    first: int
    data: Any
    ends: Any
    absent: list[int]


def expanded(inputs: Iterable[str | os.PathLike[str]]) -> list[str]:
    """The files that paths and globs name, in their order, sorted within a glob.

    Raises `BulkError` where one names none.
    """
    files = [file for path in inputs for file in _matches(os.fspath(path))]
    if not files:
        raise BulkError("a job needs at least one input")
    return files


def is_remote(path: str) -> bool:
    """Whether fsspec has to open it."""
    return "://" in path


def is_table(path: str) -> bool:
    """Whether pyarrow has to read it."""
    return path.lower().endswith(TABLES)


def size(path: str) -> int:
    """The size of a file in bytes."""
    if not is_remote(path):
        return os.path.getsize(path)
    filesystem, name = _remote(path)
    return int(filesystem.size(name))


def opened(path: str) -> IO[bytes]:
    """A file for reading, wherever it is."""
    if not is_remote(path):
        return open(path, "rb")
    filesystem, name = _remote(path)
    return cast(IO[bytes], filesystem.open(name, "rb"))


def rows(path: str, column: str, start: int) -> Iterator[Rows]:
    """A column of a table in portions, from a row on.

    Raises `BulkError` without pyarrow, and where there is no such column or it holds no text.
    """
    pyarrow = _tables.needed()

    first = 0
    with opened(path) as file:
        for batch in _batches(pyarrow, file, path, column):
            if first + len(batch) > start:
                passed = max(0, start - first)
                yield from _portions(pyarrow, batch.slice(passed), first + passed)
            first += len(batch)


def _batches(pyarrow: Any, file: IO[bytes], path: str, column: str) -> Iterator[Any]:
    """The column's arrays of text, batch by batch."""
    if path.lower().endswith(".parquet"):
        from pyarrow import parquet  # type: ignore[import-untyped]

        table = parquet.ParquetFile(file)
        _check(path, column, table.schema_arrow)
        batches = table.iter_batches(batch_size=ROWS, columns=[column])
    else:
        reader = _arrow_reader(pyarrow, file)
        _check(path, column, reader.schema)
        batches = reader
    for batch in batches:
        array = batch.column(batch.schema.get_field_index(column))
        if pyarrow.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        kind = array.type
        if pyarrow.types.is_null(kind):
            yield pyarrow.nulls(len(array), pyarrow.large_binary())
            continue
        text = (
            *(pyarrow.types.is_string, pyarrow.types.is_large_string),
            *(pyarrow.types.is_string_view, pyarrow.types.is_binary),
            *(pyarrow.types.is_large_binary, pyarrow.types.is_binary_view),
        )
        if not any(is_it(kind) for is_it in text):
            raise BulkError(f"column {column!r} of {path} is {kind}, not text")
        if not pyarrow.types.is_large_binary(kind):
            binary = pyarrow.types.is_binary(kind) or pyarrow.types.is_binary_view(kind)
            if not binary:
                array = array.cast(pyarrow.large_string())
            array = array.cast(pyarrow.large_binary())
        yield array


def _arrow_reader(pyarrow: Any, file: IO[bytes]) -> Any:
    """The batches of an Arrow file or stream."""
    magic = file.read(6)
    file.seek(0)
    if magic != b"ARROW1":
        return pyarrow.ipc.open_stream(file)
    reader = pyarrow.ipc.open_file(file)
    batches = (reader.get_batch(number) for number in range(reader.num_record_batches))
    return pyarrow.RecordBatchReader.from_batches(reader.schema, batches)


def _check(path: str, column: str, schema: Any) -> None:
    if column not in schema.names:
        raise BulkError(f"{path} has no column {column!r}; it has {', '.join(schema.names)}")


def _portions(pyarrow: Any, array: Any, first: int) -> Iterator[Rows]:
    """An array in portions of limited size, as the native side takes them."""
    import numpy as np

    while len(array):
        offsets = np.frombuffer(array.buffers()[1], np.int64)
        offsets = offsets[array.offset : array.offset + len(array) + 1]
        end = int(np.searchsorted(offsets, offsets[0] + ROWS_BYTES, "right")) - 1
        count = max(1, min(end, len(array)))
        part = array.slice(0, count)
        begin, stop = int(offsets[0]), int(offsets[count])
        whole = array.buffers()[2]
        data = np.frombuffer(whole, np.uint8)[begin:stop] if whole else np.empty(0, np.uint8)
        absent = np.flatnonzero(part.is_null().to_numpy(zero_copy_only=False)).tolist()
        yield Rows(first, data, offsets[1 : count + 1] - begin, absent)
        array = array.slice(count)
        first += count


def _matches(path: str) -> list[str]:
    if is_remote(path):
        filesystem, name = _remote(path)
        found = sorted(filesystem.glob(name)) if glob.has_magic(name) else [name]
        return [str(filesystem.unstrip_protocol(file)) for file in found] or _nothing(path)
    if os.path.isfile(path):
        return [path]
    files = sorted(file for file in glob.glob(path, recursive=True) if os.path.isfile(file))
    return files or _nothing(path)


def _nothing(path: str) -> list[str]:
    raise BulkError(f"there is no file {path!r}, nor one that this matches as a glob")


def _remote(path: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        raise BulkError(f"{path} needs fsspec: pip install 'fretsaw[fsspec]'") from None
    return cast(tuple[Any, str], url_to_fs(path))
