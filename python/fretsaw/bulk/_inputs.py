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

BATCH_ROWS = 1 << 14
BATCH_BYTES = 2 << 20
READ_BYTES = 1 << 20


class Rows(NamedTuple):
    """Some rows of a column: the number of the first, their text, how much of the file is read then."""

    first: int
    array: Any
    share_before: float
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

    Raises `BulkError` without pyarrow, where there is no such column or it holds no text, and for a file
    that is damaged.
    """
    pyarrow = _tables.needed()
    read = _parquet if path.lower().endswith(".parquet") else _arrow
    try:
        with _opened_table(pyarrow, path) as file:
            for first, array, shares in read(pyarrow, file, path, column, start):
                if first + len(array) > start:
                    passed = max(0, start - first)
                    yield Rows(first + passed, array.slice(passed), *shares)
    except pyarrow.ArrowException as error:
        raise BulkError(f"{path}: {error}") from None
    except OSError as error:
        if error.errno is not None:
            raise
        raise BulkError(f"{path}: {error}") from None  # what pyarrow found in it


def _opened_table(pyarrow: Any, path: str) -> Any:
    """A file for pyarrow; batches of a local Arrow file are mapped, as they can be of any size."""
    if is_remote(path):
        return opened(path)
    return pyarrow.OSFile(path) if path.lower().endswith(".parquet") else pyarrow.memory_map(path)


Batch = tuple[int, Any, tuple[float, float]]


def _parquet(pyarrow: Any, file: Any, path: str, column: str, start: int) -> Iterator[Batch]:
    """The batches of a parquet file; groups of rows that end before `start` are not read."""
    from pyarrow import parquet  # type: ignore[import-untyped]

    table = parquet.ParquetFile(file, buffer_size=READ_BYTES)
    _check(pyarrow, path, column, table.schema_arrow)
    total = max(1, table.metadata.num_rows)
    first = 0
    for groups, count, size_bytes in _runs(table.metadata, column):
        if first + count <= start:
            first += count
            continue
        batch_rows = max(1, min(BATCH_ROWS, BATCH_BYTES * count // max(size_bytes, 1)))
        for batch in table.iter_batches(batch_rows, groups, [column]):
            end = first + len(batch)
            yield first, batch.column(0), (first / total, end / total)
            first = end


def _runs(metadata: Any, column: str) -> Iterator[tuple[list[int], int, int]]:
    """Groups of rows that are read together: their numbers, how many rows and how much text they have."""
    names = metadata.schema
    at = next((at for at in range(len(names)) if names.column(at).path == column), 0)
    groups: list[int] = []
    rows = size_bytes = 0
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        more_bytes = int(group.column(at).total_uncompressed_size)
        if groups and size_bytes + more_bytes > BATCH_BYTES:
            yield groups, rows, size_bytes
            groups, rows, size_bytes = [], 0, 0
        groups.append(number)
        rows += int(group.num_rows)
        size_bytes += more_bytes
    if groups:
        yield groups, rows, size_bytes


def _arrow(pyarrow: Any, file: Any, path: str, column: str, start: int) -> Iterator[Batch]:
    """The batches of an Arrow file or stream; a stream does not say how many they are."""
    magic = file.read(6)
    file.seek(0)
    is_file = magic == b"ARROW1"
    open_table = pyarrow.ipc.open_file if is_file else pyarrow.ipc.open_stream
    schema = open_table(file).schema
    _check(pyarrow, path, column, schema)
    only = pyarrow.ipc.IpcReadOptions(included_fields=[schema.get_field_index(column)])
    file.seek(0)
    reader = open_table(file, options=only)
    count = reader.num_record_batches if is_file else 1
    batches = (reader.get_batch(number) for number in range(count)) if is_file else reader
    first = 0
    for number, batch in enumerate(batches):
        shares = (min(number / count, 1.0), min((number + 1) / count, 1.0))
        yield first, batch.column(0), shares
        first += len(batch)


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
    is_here = not is_remote(path) and os.path.exists(path)
    if is_here and os.path.isdir(path):
        inside = os.path.join(path, "**", "*")
        raise BulkError(f"{path!r} is a folder; {inside!r} names the files in it")
    if is_here:
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
