"""Checkpoints of training: what was counted and learned so far, from which another process goes on.

The file has a line that says what it is, the SHA-256 of the rest, the length of a JSON header, the
header, the state of the counter and, once all is counted, that of the trainer. It is written beside its
place and moved there, so there is always a whole one. On the way in it is untrusted: digest, header and
every entry are checked, and what was asked for then (source, options, version) has to be what is asked
for now.
"""

import hashlib
import json
import os
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ._errors import TrainError
from ._native import PieceCounter, __version__

__all__ = ["Checkpoint"]

MAGIC = b"fretsaw checkpoint 2\n"
DIGEST_BYTES = 32

SAVE_SECONDS = 60.0
"""How long to wait between two savings, and at least ten times as long as one takes."""


class Checkpoint:
    """One file, for one training.

    `asked` is what was asked for, as plain values by name. Raises `TrainError` where the file is there
    and may not be overwritten, or is not what it should be; `OSError`.
    """

    def __init__(self, path: str | os.PathLike[str], asked: Mapping[str, Any], resume: bool):
        self.path = Path(path)
        self.is_complete = False
        self.learned: bytes | None = None
        """What the trainer has learned, to go on from; `None` where it has yet to begin."""
        self._asked: dict[str, Any] = json.loads(json.dumps({"version": __version__} | dict(asked)))
        self._calls = 0
        self._digest: str | None = None
        self._state = b""
        self._texts = hashlib.blake2b(digest_size=DIGEST_BYTES)
        self._texts_at: dict[int, str] = {}
        self._saved_at, self._took = time.monotonic(), 0.0
        if not self.path.exists():
            return
        if not resume:
            raise TrainError(
                f"there is a checkpoint at {self.path} already; "
                "go on from it with resume=True, or remove it"
            )
        self._read(self.path.read_bytes())

    def restore(self, counter: PieceCounter) -> int:
        """Fills a counter with what was counted; says how many portions of the source that were."""
        if self._state:
            counter.restore(self._calls, self._state)
            if not self.is_complete:
                self._state = b""
        return self._calls

    def met(self, number: int, texts: list[str]) -> None:
        """Notes the texts of portion `number` of an iterator, of which nothing else is known.

        Raises `TrainError` where they are not those that were counted then.
        """
        for text in texts:
            data = text.encode("utf-8", "surrogatepass")
            self._texts.update(len(data).to_bytes(8, "little") + data)
        digest = self._texts.hexdigest()
        self._texts_at = {number: self._texts_at.get(number, ""), number + 1: digest}
        if number + 1 == self._calls and self._digest is not None and digest != self._digest:
            raise TrainError(
                f"{self.path} was made of other texts; train on the same, or remove it"
            )

    def ended(self, portions: int) -> None:
        """Raises `TrainError` where the source has ended before what was counted."""
        if portions < self._calls:
            raise TrainError(f"{self.path} was made of more text; train on the same, or remove it")

    def is_due(self) -> bool:
        """Whether it is time to save again."""
        return time.monotonic() - self._saved_at >= max(SAVE_SECONDS, 10 * self._took)

    def save(self, counter: PieceCounter, is_complete: bool = False) -> None:
        """Saves all that was counted, if there is more now and the counter was not torn out of a call."""
        start = time.monotonic()
        state = counter.state()
        if state is not None and (is_complete or state[0] > self._calls):
            calls, counted = state
            if is_complete:
                self._calls, self._state, self.is_complete = calls, counted, True
            self._write(calls, counted, b"", is_complete)
        self._saved_at = time.monotonic()
        self._took = self._saved_at - start

    def keep(self, learned: bytes) -> None:
        """Saves what the trainer has learned beside what was counted, all of it."""
        start = time.monotonic()
        self._write(self._calls, self._state, learned, True)
        self._saved_at = time.monotonic()
        self._took = self._saved_at - start

    def remove(self) -> None:
        """Removes the file, when training is done."""
        self.path.unlink(missing_ok=True)

    def _write(self, calls: int, counted: bytes, learned: bytes, is_complete: bool) -> None:
        head = {
            "asked": self._asked,
            "calls": calls,
            "texts": self._texts_at.get(calls, self._digest),
            "is_complete": is_complete,
            "counted": len(counted),
        }
        header = json.dumps(head).encode()
        parts = [len(header).to_bytes(8, "little"), header, counted, learned]
        digest = hashlib.sha256()
        for part in parts:
            digest.update(part)
        handle, name = tempfile.mkstemp(prefix=f".{self.path.name}.", dir=self.path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.writelines([MAGIC, digest.digest(), *parts])
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, self.path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    def _read(self, data: bytes) -> None:
        start = len(MAGIC) + DIGEST_BYTES
        rest = data[start:]
        if not data.startswith(MAGIC) or hashlib.sha256(rest).digest() != data[len(MAGIC) : start]:
            raise self._damaged()
        size = int.from_bytes(rest[:8], "little")
        try:
            head = json.loads(rest[8 : 8 + size])
            asked, calls, texts = head["asked"], head["calls"], head["texts"]
            is_complete, counted = head["is_complete"], head["counted"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise self._damaged() from None
        if (
            not isinstance(asked, dict)
            or type(calls) is not int
            or not 0 <= calls < 1 << 63
            or not isinstance(texts, str | None)
            or type(is_complete) is not bool
            or type(counted) is not int
            or not 0 <= counted <= len(rest) - 8 - size
            or (not is_complete and counted < len(rest) - 8 - size)
        ):
            raise self._damaged()
        for name in self._asked | asked:
            if asked.get(name) != self._asked.get(name):
                raise TrainError(
                    f"{self.path} was made with another {name}: {_short(asked.get(name))} then, "
                    f"{_short(self._asked.get(name))} now; ask for the same, or remove it"
                )
        self._calls, self._digest, self.is_complete = calls, texts, is_complete
        end = 8 + size + counted
        self._state, self.learned = rest[8 + size : end], rest[end:] or None

    def _damaged(self) -> TrainError:
        return TrainError(f"{self.path} is not a whole checkpoint; remove it and begin again")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 200 else text[:200] + "…"
