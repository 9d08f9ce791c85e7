"""What training reads: files of several kinds and iterators, block by block into a counter.

Text files are read in blocks that end at a separator, so a file may be larger than memory unless it
is one text. Records of jsonl and parquet are taken in batches.
"""

import glob
import gzip
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal, cast

from ._errors import TrainError
from ._native import PieceCounter

__all__ = ["Portion", "Reading", "Source", "files_of"]

Source = str | os.PathLike[str] | Sequence[os.PathLike[str]] | Iterable[str]
"""A path or glob, several paths, or texts."""

Errors = Literal["strict", "replace"]

BLOCK_BYTES = 8_000_000
BATCH_TEXTS = 4096
BATCH_CHARACTERS = 4_000_000


@dataclass(frozen=True)
class Reading:
    """How sources are read: what is one text, which field holds it, and what ill-formed UTF-8 is."""

    by: str = "line"
    field: str = "text"
    column: str = "text"
    errors: Errors = "strict"

    def portions(self, source: Source) -> "Iterator[Portion]":
        """The portions in which a source is read, which depend on the source and these fields alone.

        Raises `TrainError` where a file is not what its name says, and `OSError`.
        """
        files = files_of(source)
        if files is None:
            yield from map(Portion, _batches(cast(Iterable[Any], source)))
            return
        for file in files:
            records = self._records_of(file)
            if records is None:
                yield from self.portions_of_text_file(file)
            else:
                yield from map(Portion, _batches(records))

    def portions_of_text_file(self, file: Path) -> "Iterator[Portion]":
        """The blocks of a text file, whatever its name."""
        offset = 0
        for block in _blocks(file, self._separator.encode()):
            yield Portion(block, file, offset)
            offset += len(block)

    def count(self, portion: "Portion", counter: PieceCounter) -> None:
        """Counts the pieces of a portion.

        Raises `TrainError` where it is not UTF-8, and what a counter raises.
        """
        content = portion.content
        if isinstance(content, list):
            counter.count_texts(content)
            return
        if self.errors == "replace":
            content = content.decode("utf-8", "replace").encode()
        at = counter.count_bytes(content, self._separator)
        if at is not None:
            assert portion.file is not None
            raise _not_utf8(portion.file, portion.offset + at)

    def texts(self, source: Source) -> Iterator[list[str]]:
        """The texts of a source in batches, for those who want more than counts.

        Raises what `count` raises.
        """
        files = files_of(source)
        if files is None:
            yield from _batches(cast(Iterable[Any], source))
            return
        for file in files:
            yield from _batches(self._texts_of(file))

    @property
    def _separator(self) -> str:
        return {"line": "\n", "file": ""}.get(self.by, self.by)

    def _texts_of(self, file: Path) -> Iterator[str]:
        records = self._records_of(file)
        if records is not None:
            yield from records
            return
        offset = 0
        for block in _blocks(file, self._separator.encode()):
            try:
                text = block.decode("utf-8", self.errors)
            except UnicodeDecodeError as error:
                raise _not_utf8(file, offset + error.start) from None
            offset += len(block)
            match self._separator:
                case "":
                    yield text
                case "\n":
                    parts = text.split("\n")
                    yield from (part + "\n" for part in parts[:-1])
                    yield from parts[-1:] if parts[-1] else []
                case separator:
                    yield from filter(None, text.split(separator))

    def _records_of(self, file: Path) -> Iterator[str] | None:
        """The texts of a file of records; `None` for a text file."""
        suffixes = [suffix.lower() for suffix in file.suffixes]
        if suffixes[-1:] == [".parquet"]:
            return _column(file, self.column)
        kind = suffixes[-2:-1] if suffixes[-1:] in ([".gz"], [".zst"]) else suffixes[-1:]
        return self._records(file) if kind in ([".jsonl"], [".ndjson"]) else None

    def _records(self, file: Path) -> Iterator[str]:
        offset = 0
        with _opened(file) as lines:
            for number, line in enumerate(lines, 1):
                try:
                    text = line.decode("utf-8", self.errors)
                except UnicodeDecodeError as error:
                    raise _not_utf8(file, offset + error.start) from None
                offset += len(line)
                if text.isspace():
                    continue
                try:
                    record = json.loads(text)
                except json.JSONDecodeError as error:
                    raise TrainError(f"line {number} of {file} is not JSON: {error}") from None
                found = record.get(self.field) if isinstance(record, dict) else None
                if not isinstance(found, str):
                    raise TrainError(f"line {number} of {file} has no text under {self.field!r}")
                yield found


@dataclass(frozen=True)
class Portion:
    """What is read at once: texts, or a block of a text file that begins at a byte offset."""

    content: list[str] | bytes
    file: Path | None = None
    offset: int = 0

    @property
    def size(self) -> int:
        """In characters or bytes."""
        if isinstance(self.content, bytes):
            return len(self.content)
        return sum(map(len, self.content))


def files_of(source: Source) -> list[Path] | None:
    """The files that a source names, sorted within a glob; `None` where it is texts.

    Raises `TrainError` where there is no such file, or where strings look like paths.
    """
    if isinstance(source, str | os.PathLike):
        return _expanded(os.fspath(source))
    if not isinstance(source, list | tuple) or not source:
        return None
    if all(isinstance(item, os.PathLike) for item in source):
        return [file for item in source for file in _expanded(os.fspath(item))]
    if all(isinstance(item, str) and len(item) < 1000 and os.path.isfile(item) for item in source):
        raise TrainError(
            f"a list of str is texts, but {source[0]!r} and all others name files; "
            "give them as pathlib.Path to train on what is in them"
        )
    return None


def _expanded(path: str) -> list[Path]:
    if os.path.exists(path):
        return [Path(path)]
    found = sorted(glob.glob(path, recursive=True))
    files = [Path(file) for file in found if os.path.isfile(file)]
    if not files:
        raise TrainError(f"there is no file {path!r}, nor one that this matches as a glob")
    return files


def _blocks(file: Path, separator: bytes) -> Iterator[bytes]:
    """A file in blocks that end behind a separator; as a whole where that is empty."""
    with _opened(file) as stream:
        if not separator:
            yield stream.read()
            return
        rest = bytearray()
        while data := stream.read(BLOCK_BYTES):
            fresh = max(0, len(rest) - len(separator) + 1)
            rest += data
            end = rest.rfind(separator, fresh) + len(separator)
            if end >= len(separator):
                yield bytes(rest[:end])
                del rest[:end]
        if rest:
            yield bytes(rest)


def _opened(file: Path) -> IO[bytes]:
    """A file for reading, unpacked where its name says that it is packed."""
    match file.suffix.lower():
        case ".gz":
            return cast(IO[bytes], gzip.open(file))
        case ".zst":
            from .integrations import arrow

            return arrow.unpacked(file)
        case _:
            return open(file, "rb")


def _column(file: Path, column: str) -> Iterator[str]:
    from .integrations import arrow

    for text in arrow.column(file, column):
        if isinstance(text, str):
            yield text
        elif text is not None:
            raise TrainError(f"column {column!r} of {file} has {type(text).__name__}, not str")


def _batches(texts: Iterable[Any]) -> Iterator[list[str]]:
    """Texts, or lists of them, in batches of limited size."""
    batch: list[str] = []
    size = 0
    for item in texts:
        for text in (item,) if isinstance(item, str) else item:
            batch.append(text)
            size += len(text)
            if len(batch) >= BATCH_TEXTS or size >= BATCH_CHARACTERS:
                yield batch
                batch, size = [], 0
    if batch:
        yield batch


def _not_utf8(file: Path, offset: int) -> TrainError:
    return TrainError(
        f"{file} is not UTF-8 at byte offset {offset}; mend the file or pass errors='replace'"
    )
