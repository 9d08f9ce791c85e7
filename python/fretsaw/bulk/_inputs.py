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

BATCH_ROWS = 8192
BATCH_BYTES = 2 << 20
READ_BYTES = 1 << 20


class Rows(NamedTuple):
    """Some rows of a column: the number of the first, their text, and how much of the file is read then."""

    first: int
    array: Any
    share: float


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
    """A column of a table from a row on, in arrays.

    Raises `BulkError` without pyarrow, and where there is no such column or it holds no text.
    """
    pyarrow = _tables.needed()

    first = 0
    with opened(path) if is_remote(path) else pyarrow.OSFile(path) as file:
        count, arrays = _arrays(pyarrow, file, path, column)
        for number, array in enumerate(arrays, 1):
            if first + len(array) > start:
                passed = max(0, start - first)
                yield Rows(first + passed, array.slice(passed), min(number / count, 1.0))
            first += len(array)


def _arrays(pyarrow: Any, file: Any, path: str, column: str) -> tuple[int, Iterator[Any]]:
    """The column's arrays of text, and about how many they are."""
    if path.lower().endswith(".parquet"):
        from pyarrow import parquet  # type: ignore[import-untyped]

        table = parquet.ParquetFile(file, buffer_size=READ_BYTES)
        _check(pyarrow, path, column, table.schema_arrow)
        rows = _batch_rows(table.metadata, column)
        count = -(-table.metadata.num_rows // rows)
        batches = table.iter_batches(rows, columns=[column])
    else:
        count, batches = _arrow_reader(pyarrow, file)
        _check(pyarrow, path, column, batches.schema)
    return count, (batch.column(batch.schema.get_field_index(column)) for batch in batches)


def _batch_rows(metadata: Any, column: str) -> int:
    """How many rows of a parquet file have about as much text as is taken at once."""
    if metadata.num_row_groups == 0:
        return BATCH_ROWS
    group = metadata.row_group(0)
    columns = (group.column(number) for number in range(group.num_columns))
    sizes = (
        int(found.total_uncompressed_size) for found in columns if found.path_in_schema == column
    )
    return max(1, min(BATCH_ROWS, BATCH_BYTES * int(group.num_rows) // max(sum(sizes), 1)))


def _arrow_reader(pyarrow: Any, file: Any) -> tuple[int, Any]:
    """The batches of an Arrow file or stream, and how many they are; a stream does not say."""
    magic = file.read(6)
    file.seek(0)
    if magic != b"ARROW1":
        return 1, pyarrow.ipc.open_stream(file)
    reader = pyarrow.ipc.open_file(file)
    count = reader.num_record_batches
    batches = (reader.get_batch(number) for number in range(count))
    return count, pyarrow.RecordBatchReader.from_batches(reader.schema, batches)


def _check(pyarrow: Any, path: str, column: str, schema: Any) -> None:
    if column not in schema.names:
        raise BulkError(f"{path} has no column {column!r}; it has {', '.join(schema.names)}")
    kind, types = schema.field(column).type, pyarrow.types
    plain = kind.value_type if types.is_dictionary(kind) else kind
    text = (
        *(types.is_string, types.is_large_string, types.is_string_view),
        *(types.is_binary, types.is_large_binary, types.is_binary_view, types.is_null),
    )
    if not any(is_it(plain) for is_it in text):
        raise BulkError(f"column {column!r} of {path} is {kind}, not text")


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
    if os.path.isdir(path):
        raise BulkError(
            f"{path!r} is a folder; name its files, for example with the glob '{path}/*'"
        )
    if os.path.exists(path):
        raise BulkError(
            f"{path!r} is a pipe or a device; write what comes out of it to a file first"
        )
    raise BulkError(f"there is no file {path!r}, nor one that this matches as a glob")


def _remote(path: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        raise BulkError(f"{path} needs fsspec: pip install 'fretsaw[fsspec]'") from None
    return cast(tuple[Any, str], url_to_fs(path))
