"""What training reads: files of several kinds and iterators, block by block into a counter.

Text and jsonl is read by the native side, in blocks that end where a document does, so a file may be
larger than memory unless it is one text. Tables are read by pyarrow, in portions of rows.
"""

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from ._bulk import TABLES
from ._errors import BulkError, TrainError
from ._native import PieceCounter, TextBlock, TextBlocks

__all__ = ["Reading", "Source", "files_of", "size_of"]

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

    def portions(self, source: Source) -> Iterator[list[str] | TextBlock]:
        """The portions in which a source is read, which depend on the source and these fields alone.

        Raises `TrainError` where a file is not what its name says, and `OSError`.
        """
        files = files_of(source)
        if files is None:
            yield from _batches(cast(Iterable[Any], source))
            return
        for file in files:
            if str(file).lower().endswith(TABLES):
                yield from self._rows(file)
            else:
                yield from self.blocks(file)

    def blocks(self, file: Path, is_plain: bool = False) -> TextBlocks:
        """The blocks of a file of text or jsonl; of text whatever its name, if it `is_plain`."""
        replace = self._replaces
        return TextBlocks(file, self.by, self.field, replace, is_plain, BLOCK_BYTES)

    def count(self, portion: list[str] | TextBlock, counter: PieceCounter) -> None:
        """Counts the pieces of a portion.

        Raises `TrainError` where it can't be taken, and what a counter raises.
        """
        if isinstance(portion, TextBlock):
            counter.count_block(portion)
        else:
            counter.count_texts(portion)

    def texts(self, source: Source) -> Iterator[list[str]]:
        """The texts of a source in batches, for those who want more than counts.

        Raises what `count` raises.
        """
        for portion in self.portions(source):
            yield portion.texts() if isinstance(portion, TextBlock) else portion

    @property
    def _replaces(self) -> bool:
        if self.errors not in ("strict", "replace"):
            raise TrainError(f"errors is {self.errors!r}; it must be 'strict' or 'replace'")
        return self.errors == "replace"

    def _rows(self, file: Path) -> Iterator[TextBlock]:
        from .bulk._inputs import rows

        replace = self._replaces
        try:
            for portion in rows(str(file), self.column, 0):
                yield from TextBlock.of_rows(file, portion.first, portion.array, replace)
        except BulkError as error:
            raise TrainError(str(error)) from None


def size_of(portion: list[str] | TextBlock) -> int:
    """The size of a portion in characters or bytes."""
    return portion.size if isinstance(portion, TextBlock) else sum(map(len, portion))


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
    if os.path.isfile(path):
        return [Path(path)]
    if os.path.isdir(path):
        raise TrainError(
            f"{path!r} is a folder; name its files, for example with the glob '{path}/*'"
        )
    if os.path.exists(path):
        raise TrainError(
            f"{path!r} is a pipe or a device; write what comes out of it to a file first, "
            "or give an iterator of texts"
        )
    found = sorted(glob.glob(path, recursive=True))
    files = [Path(file) for file in found if os.path.isfile(file)]
    if not files:
        raise TrainError(f"there is no file {path!r}, nor one that this matches as a glob")
    return files


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
