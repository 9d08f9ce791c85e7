"""Counting the pieces of a source, portion by portion, with checkpoints."""

import hashlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from . import _sources
from ._bulk import TABLES
from ._checkpoint import Checkpoint
from ._native import PieceCounter, PieceCounts, Tokenizer
from ._sources import Reading, Source, files_of, size_of

__all__ = ["Counting", "Progress"]

Progress = Callable[[str, int, int], None]
"""Called with a stage, what is done of it, and how much there is (0 where that is not known)."""


SHOWN_EVERY = 4_000_000
"""After so many bytes or characters it is told how many distinct pieces there are."""


@dataclass(frozen=True)
class Counting:
    """How to count: as which tokenizer cuts, how the source is read, and within which limits."""

    tok: Tokenizer
    reading: Reading
    threads: int = 0
    max_distinct: int | None = None
    max_pretoken_chars: int | None = None

    def asked(self, source: Source) -> dict[str, Any]:
        """What counts depend on, for a checkpoint: also the files with their sizes and times."""
        files = files_of(source)
        found: Any = "texts"
        if files is not None:
            states = [(file, file.stat()) for file in files]
            found = [[str(file), state.st_size, state.st_mtime_ns] for file, state in states]
        blocks = [_sources.BLOCK_BYTES, _sources.BATCH_TEXTS, _sources.BATCH_CHARACTERS]
        return asdict(self.reading) | {
            "source": found,
            "pipeline": hashlib.sha256(self.tok.to_str().encode()).hexdigest(),
            "max_distinct": self.max_distinct,
            "max_pretoken_chars": self.max_pretoken_chars,
            "size of blocks": blocks,
        }

    def counts(
        self, source: Source, tell: Progress | None = None, kept: Checkpoint | None = None
    ) -> PieceCounts:
        """The counts of a source; with a checkpoint, from where it is to the end.

        Raises what the readers, the counter and the checkpoint raise.
        """
        counter = PieceCounter(self.tok, self.threads, self.max_distinct, self.max_pretoken_chars)
        if kept is None:
            self._count(source, counter, tell, None)
            return counter.finish()
        if kept.is_complete:
            kept.restore(counter)
            return counter.finish()
        try:
            self._count(source, counter, tell, kept)
        except BaseException:
            kept.save(counter)
            raise
        kept.save(counter, is_complete=True)
        return counter.finish()

    def _count(
        self,
        source: Source,
        counter: PieceCounter,
        tell: Progress | None,
        kept: Checkpoint | None,
    ) -> None:
        files = files_of(source)
        total = sum(file.stat().st_size for file in files) if files else 0
        if files and any(str(file).lower().endswith((".gz", ".zst", *TABLES)) for file in files):
            total = 0
        there = kept.restore(counter) if kept is not None else 0
        done = shown = number = 0
        for number, portion in enumerate(self.reading.portions(source), 1):
            if kept is not None and files is None and isinstance(portion, list):
                kept.met(number - 1, portion)
            if number > there:
                self.reading.count(portion, counter)
                if kept is not None and kept.is_due():
                    kept.save(counter)
            done += size_of(portion)
            if tell is not None:
                tell("text", done, total)
                if done - shown >= SHOWN_EVERY:
                    shown = done
                    tell("pieces", counter.distinct, 0)
        if tell is not None:
            tell("pieces", counter.distinct, 0)
        if kept is not None:
            kept.ended(number)
