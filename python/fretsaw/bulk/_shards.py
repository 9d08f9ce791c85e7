"""Shards as one sequence: documents or windows of tokens by their number, without reading the rest."""

from __future__ import annotations

import operator
import os
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from . import _manifest, _tables

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ids = NDArray[np.uint16] | NDArray[np.uint32]

MEGATRON_HEADER_BYTES = 34
"""Magic, version, type, number of sequences, number of documents."""

MAX_MAPPED = 200
"""Each holds two open files, of which a process often may have no more than 1,024."""


class Mapped(NamedTuple):
    """A shard's tokens, and where each document begins, with the end of the last."""

    tokens: Any
    offsets: Any


class Shards(Sequence[Any]):
    """The documents of a folder that `tokenize` wrote, as NumPy arrays of ids; or windows of its tokens.

    Files are mapped, 200 shards at a time, and only what is asked for is read; in the layout `parquet` a
    shard at a time. A packed folder has windows of the length it was packed to. It can be pickled, as a
    `DataLoader` with workers needs it; `torch.as_tensor(shards[i].astype("int64"))` is an item for training.
    """

    def __init__(self, folder: str | os.PathLike[str], *, window: int | None = None) -> None:
        """Opens a folder; `window` is the length of items in tokens, instead of documents.

        Raises `BulkError` where no job was finished there.
        """
        self.folder = Path(folder)
        self.manifest = _manifest.read(self.folder)
        self._given = window
        self.window_tokens: int | None = window or self.manifest["options"]["pack"]
        self._entries: list[dict[str, Any]] = self.manifest["shards"]
        begun = (shard["documents"] - shard["continues"] for shard in self._entries)
        self._document_ends = list(accumulate(begun))
        self._token_ends = list(accumulate(shard["tokens"] for shard in self._entries))
        self._mapped: dict[int, Mapped] = {}

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return self._document_ends[-1] if self._entries else 0

    @property
    def tokens(self) -> int:
        """How many tokens there are."""
        return self._token_ends[-1] if self._entries else 0

    def document(self, number: int) -> Ids:
        """The ids of a document; from the end where the number is negative."""
        number = _place(number, self.documents, "document")
        at = bisect_right(self._document_ends, number)
        begun = self._document_ends[at - 1] if at else 0
        row = number - begun + self._entries[at]["continues"]
        shard = self._shard(at)
        parts = [shard.tokens[shard.offsets[row] : shard.offsets[row + 1]]]
        while row + 2 == len(shard.offsets) and at + 1 < len(self._entries):
            at, row = at + 1, 0
            if not self._entries[at]["continues"]:
                break
            shard = self._shard(at)
            parts.append(shard.tokens[: shard.offsets[1]])
        return _joined(parts)

    def window(self, start: int, length: int) -> Ids:
        """`length` tokens from token `start` on, wherever documents and shards end; fewer at the end."""
        start = _place(start, self.tokens + 1, "token")
        stop = min(start + max(length, 0), self.tokens)
        parts = []
        at = bisect_right(self._token_ends, start)
        while start < stop:
            base = self._token_ends[at - 1] if at else 0
            end = min(stop, self._token_ends[at])
            parts.append(self._shard(at).tokens[start - base : end - base])
            start, at = end, at + 1
        return _joined(parts or [_tables.no_tokens(self.manifest["token_bytes"])])

    def __len__(self) -> int:
        if self.window_tokens is None:
            return self.documents
        return self.tokens // self.window_tokens

    @overload
    def __getitem__(self, index: int) -> Ids: ...
    @overload
    def __getitem__(self, index: slice) -> list[Ids]: ...
    def __getitem__(self, index: int | slice) -> Ids | list[Ids]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        index = _place(index, len(self), "item")
        if self.window_tokens is None:
            return self.document(index)
        return self.window(index * self.window_tokens, self.window_tokens)

    def __iter__(self) -> Iterator[Ids]:
        return (self[number] for number in range(len(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopened, (os.fspath(self.folder), self._given)

    def faults(self) -> list[str]:
        """What in the indexes does not fit the manifest, a line each."""
        faults = []
        for number, entry in enumerate(self._entries):
            tokens, offsets = self._shard(number)
            sound = (
                len(tokens) == entry["tokens"]
                and len(offsets) == entry["documents"] + 1
                and offsets[0] == 0
                and offsets[-1] == len(tokens)
                and bool((offsets[1:] >= offsets[:-1]).all())
            )
            if not sound:
                faults.append(f"{entry['files'][0]['name']}: documents and tokens don't add up")
        return faults

    def _shard(self, number: int) -> Mapped:
        found = self._mapped.pop(number, None)
        if found is None:
            # Those of parquet are in memory. What was not asked for for longest is given up.
            kept = 1 if self.manifest["options"]["layout"] == "parquet" else MAX_MAPPED
            while len(self._mapped) >= kept:
                del self._mapped[next(iter(self._mapped))]
            names = [file["name"] for file in self._entries[number]["files"]]
            paths = [self.folder / name for name in names]
            found = self._open(paths, self._entries[number])
        self._mapped[number] = found
        return found

    def _open(self, paths: list[Path], entry: dict[str, Any]) -> Mapped:
        import numpy as np

        layout = self.manifest["options"]["layout"]
        kind = np.dtype(f"<u{self.manifest['token_bytes']}")
        if layout in ("parquet", "arrow"):
            return Mapped(*_tables.read(paths[0]))
        if layout == "npy":
            tokens = np.load(paths[0], mmap_mode="r")
        elif entry["tokens"]:
            tokens = np.memmap(paths[0], kind, "r")
        else:
            tokens = np.empty(0, kind)  # an empty file can't be mapped
        if layout != "megatron":
            return Mapped(tokens, np.load(paths[1], mmap_mode="r"))
        index = np.memmap(paths[1], np.uint8, "r", MEGATRON_HEADER_BYTES)
        lengths = index[: 4 * entry["documents"]].view("<i4")
        return Mapped(tokens, np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]))


def _reopened(folder: str, window: int | None) -> Shards:
    return Shards(folder, window=window)


def _joined(parts: list[Any]) -> Ids:
    import numpy as np

    joined: Ids = np.asarray(parts[0]) if len(parts) == 1 else np.concatenate(parts)
    return joined


def _place(number: int, count: int, what: str) -> int:
    place = operator.index(number)
    place += count if place < 0 else 0
    if not 0 <= place < count:
        raise IndexError(f"there is no {what} {number}; there are {count}")
    return place
