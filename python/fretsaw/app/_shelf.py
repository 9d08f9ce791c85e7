"""The tokenizers that requests may name: built-in ones, files in named folders, files sent by the page.

A name of a file is its path below its folder, with `/`. Paths are resolved, so that neither `..` nor a
link leads out of a folder. What is loaded is kept, the last used longest, and loaded again when the
file has changed.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import fretsaw

from ._limits import Limits
from ._problem import Problem
from ._sent import Sent

__all__ = ["Shelf"]

SUFFIXES = (".json", ".json.gz", ".model", ".gguf", ".fret", "vocab.txt")
"""Files that are listed; which of them hold a tokenizer shows when they are asked for."""
IN_A_FOLDER = ("tokenizer.json", "tekken.json", "vocab.json", "tokenizer.model", "vocab.txt")
"""A folder with one of these is listed as a tokenizer itself."""
MAX_LISTED = 1000
SENT = "file:"
"""Names of files that the page sent begin so."""

State = tuple[float, int]


class Kept(NamedTuple):
    """A loaded tokenizer, and the time and size of its file."""

    tokenizer: fretsaw.Tokenizer
    state: State


class Shelf:
    """Finds tokenizers by name; safe to use from any thread.

    >>> Shelf().get("gpt2").encode("Hello world").ids
    [15496, 995]
    """

    def __init__(self, folders: Sequence[Path] = (), limits: Limits | None = None) -> None:
        """Raises `NotADirectoryError` for a folder that is none."""
        self._folders = [folder.resolve() for folder in folders]
        for folder in self._folders:
            if not folder.is_dir():
                raise NotADirectoryError(f"{folder} is no folder")
        self._limits = limits or Limits()
        self._lock = threading.Lock()
        self._kept: OrderedDict[Path, Kept] = OrderedDict()
        self._sent: OrderedDict[str, fretsaw.Tokenizer] = OrderedDict()

    def names(self) -> list[tuple[str, str]]:
        """Names with where each is from: "built-in", "file" or "sent"."""
        with self._lock:
            sent = [(name, "sent") for name in self._sent]
        files = sorted({name for folder in self._folders for name in _listed(folder)})
        built_in = [(name, "built-in") for name in fretsaw.names()]
        return built_in + [(name, "file") for name in files[:MAX_LISTED]] + sent

    def get(self, name: str) -> fretsaw.Tokenizer:
        """The tokenizer of a name; a `Problem` with 404, or with 422 for a file that can't be loaded."""
        if name in fretsaw.names():
            return fretsaw.get(name)
        with self._lock:
            if name in self._sent:
                self._sent.move_to_end(name)
                return self._sent[name]
        path = self._path(name)
        if path is None:
            known = ", ".join(fretsaw.names())
            message = f"no tokenizer is called {name[:100]!r}; built in are {known}"
            message += ", for others see /tokenizers"
            raise Problem(404, "unknown_tokenizer", message, "$.tokenizer")
        return self._load(path, name)

    def receive(self, sent: Sent) -> str:
        """Keeps the tokenizer in what was sent; returns the name by which it is found then."""
        tokenizer, called = sent.load(), SENT + sent.name
        with self._lock:
            self._sent[called] = tokenizer
            self._sent.move_to_end(called)
            while len(self._sent) > self._limits.loaded_files:
                self._sent.popitem(last=False)
        return called

    def __len__(self) -> int:
        """How many tokenizers from files are in memory."""
        with self._lock:
            return len(self._kept) + len(self._sent)

    def _path(self, name: str) -> Path | None:
        pure = PurePosixPath(name)
        if not name or "\0" in name or "\\" in name or pure.is_absolute() or ".." in pure.parts:
            return None
        for folder in self._folders:
            try:
                path = (folder / pure).resolve()
                if path.is_relative_to(folder) and path != folder and path.exists():
                    return path
            except (OSError, ValueError, RuntimeError):  # a name too long, a loop of links
                continue
        return None

    def _load(self, path: Path, name: str) -> fretsaw.Tokenizer:
        try:
            status = path.stat()
            state = (status.st_mtime, status.st_size)
            with self._lock:
                kept = self._kept.get(path)
                if kept is not None and kept.state == state:
                    self._kept.move_to_end(path)
                    return kept.tokenizer
            tokenizer = fretsaw.Tokenizer.from_file(path, mmap=False)
        except OSError as error:
            message = f"{name} can't be read: {error.strerror or 'not a tokenizer'}"
            raise Problem(422, "unreadable_tokenizer", message, "$.tokenizer") from error
        except (fretsaw.FretsawError, ValueError) as error:
            message = f"{name}: {str(error).replace(str(path), name)}"
            raise Problem(422, "not_a_tokenizer", message, "$.tokenizer") from error
        with self._lock:
            self._kept[path] = Kept(tokenizer, state)
            self._kept.move_to_end(path)
            while len(self._kept) > self._limits.tokenizers:
                self._kept.popitem(last=False)
        return tokenizer


def _listed(folder: Path) -> Iterator[str]:
    """Names of files and folders below a folder that may hold a tokenizer, links not followed."""
    found = 0
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or any(
            part.startswith(".") for part in path.relative_to(folder).parts
        ):
            continue
        if path.is_dir():
            is_listed = any((path / name).is_file() for name in IN_A_FOLDER)
        else:
            is_listed = path.name.endswith(SUFFIXES)
        if is_listed:
            yield path.relative_to(folder).as_posix()
            found += 1
        if found >= MAX_LISTED:
            return
