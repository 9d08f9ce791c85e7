"""The job from files to shards: reads the inputs in order, keeps the journal, writes the manifest.

Inputs are fed to the native job block by block; it encodes and writes on threads of its own. Whole
shards are noted in the journal as they come, so a job that was killed goes on behind the last.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal

from fretsaw import BulkError, Tokenizer
from fretsaw._bulk import ShardJob, checksum

from . import _inputs, _manifest, _tables
from ._journal import NAME as JOURNAL
from ._journal import Journal, check_same
from ._options import (
    MAX_DOC_BYTES,
    SHARD_TOKENS,
    SHUFFLE_WINDOW,
    Layout,
    Options,
    Special,
    loaded,
    token_bytes,
)
from ._ray import Cluster, parts_of

BEGIN = [0] * 10


@dataclass(frozen=True)
class Progress:
    """How far a job is; bytes are those of files as they lie on disk.

    Documents, tokens, rejected and seconds are those since this process began with it; then
    `bytes_before` bytes were done, which is more than none where a job goes on.
    """

    bytes_read: int
    bytes_total: int
    bytes_before: int
    documents: int
    tokens: int
    rejected: int
    seconds: float

    @property
    def mb_per_s(self) -> float:
        """How many megabytes of the files this process reads in a second."""
        return (self.bytes_read - self.bytes_before) / 1e6 / max(self.seconds, 1e-9)

    @property
    def seconds_left(self) -> float:
        """How long the rest takes at this speed."""
        return (self.bytes_total - self.bytes_read) / 1e6 / max(self.mb_per_s, 1e-9)


def tokenize(
    inputs: Iterable[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    tokenizer: Tokenizer | str,
    *,
    by: str = "line",
    field: str = "text",
    column: str = "text",
    layout: Layout = "bin",
    append: str | None = None,
    prepend: str | None = None,
    add_special_tokens: bool = False,
    special: Special = "none",
    shard_tokens: int = SHARD_TOKENS,
    pack: int | None = None,
    shuffle: int | None = None,
    shuffle_window: int = SHUFFLE_WINDOW,
    dedup: Literal["exact"] | None = None,
    max_doc_bytes: int = MAX_DOC_BYTES,
    strict: bool = False,
    workers: int = 0,
    resume: bool = False,
    ray: str | bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> dict[str, Any]:
    """Turn files into shards of tokens in the folder `out`; returns its manifest.

    `inputs` are paths and globs: text, `.jsonl` (text under `field`), `.parquet` and Arrow files
    (`column`), text and jsonl also packed as `.gz` or `.zst`. Text is cut `by` `"line"`, `"file"` or a
    separator. The bytes that come out follow from inputs, tokenizer and options, not from `workers`
    (0: as many as CPUs), nor from where the work is done: with `ray` on a cluster, at an address or,
    where that is `True`, the one at hand, by `workers` actors. With `resume` an unfinished job goes on,
    and a finished one is left as it is.

    Documents that can't be taken are listed in `rejected.jsonl`, or end the job with `strict`.

    Raises `BulkError` for options that don't fit and a folder that is in use, and `OSError`.
    """
    options = Options(
        *(by, field, column, layout, append, prepend, add_special_tokens, special),
        *(shard_tokens, pack, shuffle, shuffle_window, dedup, max_doc_bytes, strict),
    )
    if _inputs.is_remote(os.fspath(out)):
        raise BulkError(f"shards are written to a local folder, not to {out}; copy them there")
    if workers < 0:
        raise BulkError(f"workers is {workers}; it must be 0 or more")
    tok = loaded(tokenizer)
    job = _Job(_inputs.expanded(inputs), Path(out), tok, options)
    workers = workers or len(os.sched_getaffinity(0))
    cluster = Cluster(ray if isinstance(ray, str) else None, workers) if ray else None
    return job.run(workers, resume, cluster, progress)


class _Job:
    """A job and what is fixed about it."""

    def __init__(self, files: list[str], folder: Path, tok: Tokenizer, options: Options) -> None:
        self.files, self.folder, self.tok, self.options = files, folder, tok, options
        self.sizes = [_inputs.size(file) for file in files]
        self.width = token_bytes(tok)
        self.encoding = options.encoding(tok)
        if any(map(_inputs.is_table, files)) or options.layout in ("parquet", "arrow"):
            _tables.needed()

    @property
    def identity(self) -> dict[str, Any]:
        """What has to be the same for a job to go on."""
        return {
            "format": _manifest.FORMAT,
            "versions": self.versions,
            "tokenizer": self.tok.fingerprint,
            "options": asdict(self.options),
            "inputs": [list(pair) for pair in zip(self.files, self.sizes, strict=True)],
        }

    @property
    def versions(self) -> dict[str, str]:
        """The versions of what decides about bytes."""
        versions = {"fretsaw": version("fretsaw")}
        if self.options.layout in ("parquet", "arrow"):
            versions["pyarrow"] = version("pyarrow")
        return versions

    def run(
        self,
        workers: int,
        resume: bool,
        cluster: Cluster | None,
        progress: Callable[[Progress], None] | None,
    ) -> dict[str, Any]:
        """Does what is not done yet."""
        finished = self._finished(resume)
        if finished is not None:
            return finished
        self.folder.mkdir(parents=True, exist_ok=True)
        journal = Journal(self.folder, self.identity, resume=resume)
        try:
            start = journal.shards[-1]["next"] if journal.shards else BEGIN
            compiled = _manifest.compiled(self.tok)
            _manifest.write_whole(self.folder / _manifest.TOKENIZER, compiled)
            shards = self.options.shards(str(self.folder), self.files, self.width)
            native = ShardJob(self.tok, self.encoding, shards, workers, start)
            try:
                feed = _Feed(self, native, journal, progress)
                if cluster is None:
                    feed.all(int(start[1]), int(start[2]))
                else:
                    feed.from_cluster(cluster, int(start[1]), int(start[2]))
            finally:
                native.stop()
            manifest = self._manifest(native, journal, start)
            _manifest.write(self.folder, manifest)
            self._tidy(journal)
        finally:
            journal.close()
        return manifest

    def _finished(self, resume: bool) -> dict[str, Any] | None:
        """The manifest of the folder if this job was finished there."""
        if not (self.folder / _manifest.NAME).exists():
            return None
        manifest = _manifest.read(self.folder)
        if not resume:
            raise BulkError(f"{self.folder} has the shards of a finished job; give another folder")
        done = {
            "tokenizer": manifest["tokenizer"]["fingerprint"],
            "options": manifest["options"],
            "inputs": [[file["path"], file["bytes"]] for file in manifest["inputs"]],
        }
        job = {name: self.identity[name] for name in done}
        check_same(done, job, f"the finished job in {self.folder}")
        (self.folder / JOURNAL).unlink(missing_ok=True)
        return manifest

    def _manifest(self, native: ShardJob, journal: Journal, start: list[int]) -> dict[str, Any]:
        rejected, duplicates, left_out = native.progress()[4:]
        shards = [_without(entry, "next", "left_out", "shard") for entry in journal.shards]
        tokens = sum(shard["tokens"] for shard in shards)
        documents = sum(shard["documents"] - shard["continues"] for shard in shards)
        return {
            "format": _manifest.FORMAT,
            "versions": self.versions,
            "tokenizer": {
                "fingerprint": self.tok.fingerprint,
                "vocab_size": self.tok.get_vocab_size(),
            },
            "options": asdict(self.options),
            "token_bytes": self.width,
            "documents": documents,
            "tokens": tokens,
            "rejected": start[8] + rejected,
            "duplicates": max(start[6], duplicates),
            "left_out_tokens": left_out + sum(entry["left_out"] for entry in journal.shards),
            "inputs": [_without(entry, "number") for _, entry in sorted(journal.inputs.items())],
            "shards": shards,
        }

    def _tidy(self, journal: Journal) -> None:
        """Removes what only a running job needs."""
        journal.remove()
        (self.folder / ".hashes").unlink(missing_ok=True)
        rejected = self.folder / "rejected.jsonl"
        if rejected.exists() and rejected.stat().st_size == 0:
            rejected.unlink()


class _Feed:
    """What gives the native job its inputs, and notes what it is done with."""

    def __init__(
        self,
        job: _Job,
        native: ShardJob,
        journal: Journal,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self.job, self.native, self.journal, self.progress = job, native, journal, progress
        self.begun = time.monotonic()
        self.bytes_total = sum(job.sizes)
        self.bytes_behind = 0
        self.bytes_before: int | None = None

    def all(self, first: int, at: int) -> None:
        """Reads all inputs from a place in one of them on, to the last shard on disk."""
        self.bytes_behind = sum(self.job.sizes[:first])
        for number in range(first, len(self.job.files)):
            size, digest = self._input(number, at)
            path = self.job.files[number]
            entry = {"number": number, "path": path, "bytes": size, "xxh3_128": digest}
            self.journal.add_input(entry)
            self.bytes_behind += self.job.sizes[number]
            at = 0
        self.native.finish()
        self._note()
        self._complete_inputs()

    def _complete_inputs(self) -> None:
        """Hashes the inputs that were read on a cluster which was left."""
        for number, path in enumerate(self.job.files):
            if number not in self.journal.inputs:
                opened = _inputs.opened(path) if _inputs.is_remote(path) else None
                size, digest = checksum(path, opened)
                entry = {"number": number, "path": path, "bytes": size, "xxh3_128": digest}
                self.journal.add_input(entry)

    def from_cluster(self, cluster: Cluster, first: int, at: int) -> None:
        """The same with blocks that a cluster encodes."""
        job = self.job
        parts = parts_of(job.files, job.sizes, job.options, first, at)
        places = [0, *accumulate(job.sizes)]
        self._begin(places[first] + min(at, job.sizes[first]) if parts else self.bytes_total)
        for part, block in cluster.blocks(parts, job.options, job.tok, job.width):
            self.native.encoded(block)
            self.bytes_behind = places[part.file] + part.start
            self._note()
        self.native.finish()
        self.bytes_behind = self.bytes_total
        self._note()
        rest = [number for number in range(len(job.files)) if number not in self.journal.inputs]
        digests = cluster.checksums([job.files[number] for number in rest])
        for number, (size, digest) in zip(rest, digests, strict=True):
            path = job.files[number]
            entry = {"number": number, "path": path, "bytes": size, "xxh3_128": digest}
            self.journal.add_input(entry)

    def _input(self, number: int, at: int) -> tuple[int, str]:
        path, options = self.job.files[number], self.job.options
        opened = _inputs.opened(path) if _inputs.is_remote(path) else None
        try:
            if _inputs.is_table(path):
                size = self.job.sizes[number]
                for rows in _inputs.rows(path, options.column, at):
                    self._begin(self.bytes_behind + int(rows.share_before * size))
                    self.native.rows(number, rows.first, rows.array)
                    self._note(int(rows.share * size))
                return checksum(path, opened)
            self.native.open(number, path, options.by, options.field, at, opened)
            self._begin(self.bytes_behind + self.native.progress()[0])
            while (digest := self.native.step()) is None:
                self._note(self.native.progress()[0])
            return digest
        finally:
            if opened is not None:
                opened.close()

    def _begin(self, bytes_before: int) -> None:
        """Notes, once, what was done of the inputs before this process begins with them."""
        if self.bytes_before is None:
            self.bytes_before, self.begun = bytes_before, time.monotonic()

    def _note(self, bytes_read: int = 0) -> None:
        """Enters whole shards in the journal, and tells how far the job is: so far in an input."""
        job = self.job
        for shard in self.native.closed():
            if job.options.layout in ("parquet", "arrow"):
                shard = _tables.rewritten(job.folder, shard, job.options.layout, job.width)
            self.journal.add_shard(shard)
        if self.progress is not None:
            read, before = self.bytes_behind + bytes_read, self.bytes_before or 0
            documents, tokens, rejected = self.native.progress()[2:5]
            seconds = time.monotonic() - self.begun
            numbers = (documents, tokens, rejected, seconds)
            self.progress(Progress(read, self.bytes_total, before, *numbers))


def _without(entry: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name not in names}
