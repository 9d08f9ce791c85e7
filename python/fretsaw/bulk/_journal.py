"""What a running job remembers on disk: a line for the job, one for each input and each whole shard.

A line counts once it is whole, and what a shard's line tells of was on disk before. So the last one says
from where to go on, and whatever else lies in the folder is no part of the result. Lines of inputs are
brought to disk with the next shard's: one that is lost costs reading its input once more.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from fretsaw import BulkError

from ._manifest import as_json, opened

NAME = ".journal.jsonl"
SHARD = re.compile(r"\.?shard-\d{5,}\.")
LONG_CHARS = 400


class Journal:
    """The open journal of a folder, which one job at a time has."""

    def __init__(self, folder: Path, job: dict[str, Any], *, resume: bool) -> None:
        path = folder / NAME
        if not path.exists():
            _check_empty(folder)
        self._file = opened(path, "r+b")
        self._lock(folder)
        entries = self._whole_entries()
        self.inputs: dict[int, dict[str, Any]] = {}
        self.shards: list[dict[str, Any]] = []
        if not entries:
            self._write({"job": job})
            self._sync()
            return
        if not resume:
            raise BulkError(f"{folder} has an unfinished job; pass resume to go on with it")
        check_same(entries[0]["job"], job, f"the unfinished job in {folder}")
        read = (entry["input"] for entry in entries if "input" in entry)
        self.inputs = {entry["number"]: entry for entry in read}
        self.shards = [entry["shard"] for entry in entries if "shard" in entry]
        _clean(folder, {file["name"] for shard in self.shards for file in shard["files"]})

    def add_input(self, entry: dict[str, Any]) -> None:
        """Remembers an input that was read to its end, once."""
        if entry["number"] not in self.inputs:
            self.inputs[entry["number"]] = entry
            self._write({"input": entry})

    def add_shard(self, entry: dict[str, Any]) -> None:
        """Remembers a whole shard."""
        self.shards.append(entry)
        self._write({"shard": entry})
        self._sync()

    def remove(self) -> None:
        """Ends the journal: the manifest has taken its place."""
        os.unlink(self._file.name)
        self.close()

    def close(self) -> None:
        """Lets another job have the folder."""
        self._file.close()

    def _write(self, entry: dict[str, Any]) -> None:
        self._file.write(as_json(entry) + b"\n")

    def _sync(self) -> None:
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


def check_same(earlier: dict[str, Any], job: dict[str, Any], whose: str) -> None:
    """Raises `BulkError` where a job is not the one that was begun, naming the first thing that differs."""
    job = json.loads(json.dumps(job))
    for name in sorted(earlier.keys() | job.keys()):
        was, now = earlier.get(name), job.get(name)
        if was != now:
            said = f"has {_difference(name, was, now)}"
            raise BulkError(f"{whose} {said}; give what it was begun with, or another folder")


def _difference(name: str, was: Any, now: Any) -> str:
    """The first thing in which two values differ, in a few words."""
    if isinstance(was, dict) and isinstance(now, dict):
        key = next(key for key in sorted(was.keys() | now.keys()) if was.get(key) != now.get(key))
        return f"{name} {_difference(key, was.get(key), now.get(key))}"
    if isinstance(was, list) and isinstance(now, list):
        pairs = enumerate(zip(was, now, strict=False))
        at = next((at for at, (one, other) in pairs if one != other), min(len(was), len(now)))
        one, other = (_short(items[at]) if at < len(items) else "nothing" for items in (was, now))
        return f"{len(was):,} {name}, the first other one, number {at:,}, {one}, this one {other}"
    return f"{name} {_short(was)}, this one {_short(now)}"


def _short(value: Any) -> str:
    said = repr(value)
    return said if len(said) <= LONG_CHARS else f"{said[: LONG_CHARS - 4]} ..."


def _check_empty(folder: Path) -> None:
    """Raises `BulkError` where shards lie that no job here has made: they would be lost."""
    for path in folder.iterdir():
        if SHARD.match(path.name):
            raise BulkError(f"{path} is of no job that is known here; give another folder")


def _clean(folder: Path, whole: set[str]) -> None:
    """Removes shards that no line tells of, and everything that was half-written."""
    for path in folder.iterdir():
        if SHARD.match(path.name) and path.name not in whole:
            path.unlink()
