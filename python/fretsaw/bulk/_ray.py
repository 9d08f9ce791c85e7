"""The blocks of a job from a Ray cluster: actors encode parts of the inputs, here they come in order.

The inputs are cut into parts by their names and sizes alone: ranges of bytes of text and jsonl, whole
files where they are packed or tables. Ray Data hands the parts to actors, each with the compiled tokenizer
mapped from a file of its machine, retries those of a machine that was lost, and gives the blocks back in
order. Where documents go is decided by the same code as on one machine, so the bytes are the same too.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import fretsaw
from fretsaw import BulkError, Tokenizer
from fretsaw._bulk import BlockEncoder, checksum

from . import _inputs
from ._manifest import compiled
from ._options import Options

__all__ = ["Cluster"]

PART_BYTES = 32 << 20
WHOLE = 1 << 62


class Part(NamedTuple):
    """What an actor encodes at once: the documents that begin in a range of an input."""

    file: int
    path: str
    start: int
    end: int


class Cluster:
    """A Ray cluster, at an address or on this machine."""

    def __init__(self, address: str | None, actors: int) -> None:
        """Connects, unless this process already is; raises `BulkError` without Ray."""
        try:
            import ray  # type: ignore[import-not-found, unused-ignore]
            import ray.data  # type: ignore[import-not-found, unused-ignore]
        except ModuleNotFoundError:
            raise BulkError("work on a cluster needs Ray: pip install 'fretsaw[ray]'") from None
        if not ray.is_initialized():
            ray.init(address=address or None)
        self._ray, self._actors = ray, actors

    def blocks(
        self, parts: list[Part], options: Options, tok: Tokenizer, token_bytes: int
    ) -> Iterator[tuple[Part, bytes]]:
        """The encoded blocks of parts, in order, each with the part it is of."""
        ray = self._ray
        if not parts:
            return
        stored = ray.put(compiled(tok))
        context = ray.data.DataContext.get_current().copy()
        context.execution_options.preserve_order = True
        context.enable_progress_bars = False
        with ray.data.DataContext.current(context):
            rows = [{"part": number, **part._asdict()} for number, part in enumerate(parts)]
            encoded = ray.data.from_items(rows, override_num_blocks=len(rows)).map_batches(
                _Encoder,
                batch_size=1,
                batch_format="numpy",
                compute=ray.data.ActorPoolStrategy(size=self._actors),
                fn_constructor_args=(stored, tok.fingerprint, options, token_bytes),
                num_cpus=1,
            )
            for batch in encoded.iter_batches(batch_size=None, batch_format="pyarrow"):
                numbers, blocks = batch.column("part"), batch.column("block")
                for number, block in zip(numbers.to_pylist(), blocks, strict=True):
                    yield parts[number], block.as_py()

    def checksums(self, paths: list[str]) -> list[tuple[int, str]]:
        """Sizes and hashes of inputs, each on some machine."""
        task = self._ray.remote(num_cpus=1)(_checksum)
        found: list[tuple[int, str]] = self._ray.get([task.remote(path) for path in paths])
        return found


def parts_of(
    files: list[str], sizes: list[int], options: Options, first: int, at: int
) -> list[Part]:
    """The parts of the inputs from a place in one of them on."""
    parts = []
    for number in range(first, len(files)):
        path, size = files[number], sizes[number]
        start = at if number == first else 0
        if not _can_be_cut(path, options.by):
            parts.append(Part(number, path, start, WHOLE))
            continue
        # Ends are multiples, so that a job that goes on has the same parts.
        while start < size:
            end = min((start // PART_BYTES + 1) * PART_BYTES, size)
            parts.append(Part(number, path, start, end))
            start = end
    return parts


def _can_be_cut(path: str, by: str) -> bool:
    """Whether documents can be found from the middle of an input on."""
    name = path.lower()
    if _inputs.is_table(name) or name.endswith((".gz", ".zst")):
        return False
    if name.endswith((".jsonl", ".ndjson")) or by == "line":
        return True
    overlaps = any(by.startswith(by[shift:]) for shift in range(1, len(by)))
    return by not in ("file", "") and not overlaps


def _checksum(path: str) -> tuple[int, str]:
    if not _inputs.is_remote(path):
        return checksum(path)
    with _inputs.opened(path) as file:
        return checksum(path, file)


class _Encoder:
    """An actor: the tokenizer of its machine, for one part after the other."""

    def __init__(self, stored: Any, fingerprint: str, options: Options, token_bytes: int) -> None:
        import ray

        path = Path(tempfile.gettempdir()) / f"fretsaw-{fingerprint}.fret"
        if not path.exists():
            with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
                file.write(ray.get(stored))
            os.replace(file.name, path)
        tok = fretsaw.Tokenizer.from_file(path)
        self._column, self._by, self._field = options.column, options.by, options.field
        self._encoder = BlockEncoder(tok, options.encoding(tok), token_bytes)

    def __call__(self, batch: dict[str, Any]) -> Iterator[dict[str, Any]]:
        columns = (batch[name].tolist() for name in ("part", *Part._fields))
        for number, *fields in zip(*columns, strict=True):
            for block in self._blocks(Part(*fields)):
                yield {"part": [number], "block": [block]}

    def _blocks(self, part: Part) -> Iterator[bytes]:
        if _inputs.is_table(part.path):
            for rows in _inputs.rows(part.path, self._column, part.start):
                yield from self._encoder.encode_rows(part.file, rows.first, rows.array)
            return
        opened = _inputs.opened(part.path) if _inputs.is_remote(part.path) else None
        try:
            place = (part.path, self._by, self._field, part.start, part.end)
            yield from self._encoder.encode(part.file, *place, opened)
        finally:
            if opened is not None:
                opened.close()
