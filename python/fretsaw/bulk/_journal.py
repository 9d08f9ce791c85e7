"""What a running job remembers on disk: a line for the job, one for each input and each whole shard.

A line counts once it is whole and on disk, and what it tells of was on disk before. So the last shard's
line says from where to go on, and whatever else lies in the folder is no part of the result.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from fretsaw import BulkError

from ._manifest import as_json, opened

NAME = ".journal.jsonl"
KEPT = {NAME, ".hashes", "rejected.jsonl", "tokenizer.fret"}


class Journal:
    """The open journal of a folder, which one job at a time has."""

    def __init__(self, folder: Path, job: dict[str, Any], *, resume: bool) -> None:
        path = folder / NAME
        self._file = opened(path, "r+b")
        self._lock(folder)
        entries = self._whole_entries()
        self.inputs: list[dict[str, Any]] = []
        self.shards: list[dict[str, Any]] = []
        if not entries:
            _clean(folder, set())
            self._write({"job": job})
            return
        if not resume:
            raise BulkError(f"{folder} has an unfinished job; pass resume to go on with it")
        _check_same(entries[0]["job"], job)
        self.inputs = [entry["input"] for entry in entries if "input" in entry]
        self.shards = [entry["shard"] for entry in entries if "shard" in entry]
        _clean(folder, {file["name"] for shard in self.shards for file in shard["files"]})

    def add_input(self, entry: dict[str, Any]) -> None:
        """Remembers an input that was read to its end, once."""
        if all(known["number"] != entry["number"] for known in self.inputs):
            self.inputs.append(entry)
            self._write({"input": entry})

    def add_shard(self, entry: dict[str, Any]) -> None:
        """Remembers a whole shard."""
        self.shards.append(entry)
        self._write({"shard": entry})

    def remove(self) -> None:
        """Ends the journal: the manifest has taken its place."""
        os.unlink(self._file.name)
        self.close()

    def close(self) -> None:
        """Lets another job have the folder."""
        self._file.close()

    def _write(self, entry: dict[str, Any]) -> None:
        self._file.write(as_json(entry) + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def _whole_entries(self) -> list[dict[str, Any]]:
        """The lines up to the first that is not whole, from which on the file is cut off."""
        entries: list[dict[str, Any]] = []
        size = 0
        for line in self._file:
            try:
                entry = json.loads(line) if line.endswith(b"\n") else None
            except ValueError:
                entry = None
            if not isinstance(entry, dict):
                break
            entries.append(entry)
            size += len(line)
        self._file.seek(size)
        self._file.truncate()
        return entries

    def _lock(self, folder: Path) -> None:
        try:
            import fcntl
        except ModuleNotFoundError:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise BulkError(f"another job is at work in {folder}") from None


def _check_same(earlier: dict[str, Any], job: dict[str, Any]) -> None:
    """Raises `BulkError` where a job is not the one that was begun, naming what differs."""
    job = json.loads(json.dumps(job))
    for name in sorted(earlier.keys() | job.keys()):
        if earlier.get(name) != job.get(name):
            raise BulkError(
                f"the unfinished job has {name} {earlier.get(name)!r}, this one {job.get(name)!r}; "
                "give what it was begun with, or another folder"
            )


def _clean(folder: Path, whole: set[str]) -> None:
    """Removes shards that no line tells of, and everything that was half-written."""
    for path in folder.iterdir():
        ours = path.name.startswith(("shard-", ".shard-"))
        if ours and path.name not in whole | KEPT:
            path.unlink()
