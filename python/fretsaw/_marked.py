"""`Marked`: a string that knows which of its characters are trusted, through string operations.

`trust` has a byte a character: 1 for text of the template, 0 for text of a message. It is `None` where an
operation mixes both and can't tell them apart: the string has lost track, and so has whatever is made of
it. An operation on text of one kind gives text of that kind. Cost: that of the operation on `str`, and a
byte a character.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, SupportsIndex

__all__ = ["Marked", "joined", "kind_of", "marked"]


class Marked(str):
    """A string with what is known of its characters.

    >>> text = Marked("<b>", b"\\1\\1\\1") + Marked("hi", b"\\0\\0")
    >>> text, text[2:4].trust
    ('<b>hi', b'\\x01\\x00')
    """

    __slots__ = ("_trust",)
    _trust: bytes | None

    def __new__(cls, text: str, trust: bytes | None = None) -> Marked:
        made = super().__new__(cls, text)
        made._trust = trust
        return made

    @property
    def trust(self) -> bytes | None:
        """A byte a character; `None` where track was lost."""
        return self._trust

    def _part(self, start: int, end: int) -> Marked:
        trust = self._trust
        return Marked(str.__getitem__(self, slice(start, end)), trust and trust[start:end])

    def _parts(self, parts: Iterable[str], gap: int | None) -> list[str]:
        """Parts that stand one after the other, `gap` characters apart, or where each is found."""
        found: list[str] = []
        at = 0
        for part in parts:
            at = str.find(self, part, at) if gap is None else at
            found.append(self._part(at, at + len(part)))
            at += len(part) + (gap or 0)
        return found

    def __str__(self) -> str:
        return self

    def __iter__(self) -> Iterator[str]:
        return (self._part(at, at + 1) for at in range(len(self)))

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        if self._trust is None:
            return Marked(str.__getitem__(self, key))
        at = key if isinstance(key, slice) else slice(key, (int(key) + 1) or None)
        return Marked(str.__getitem__(self, key), self._trust[at])

    def __add__(self, other: str) -> str:
        if not isinstance(other, str):
            return NotImplemented
        return joined([self, other])

    def __radd__(self, other: str) -> str:
        if not isinstance(other, str):
            return NotImplemented
        return joined([other, self])

    def __mul__(self, count: SupportsIndex) -> str:
        trust = self._trust
        return Marked(str.__mul__(self, count), None if trust is None else trust * int(count))

    __rmul__ = __mul__

    def __mod__(self, values: Any) -> str:
        return marked(str.__mod__(self, values), self, values)

    def strip(self, chars: str | None = None, /) -> str:
        """As `str.strip`."""
        start = len(self) - len(str.lstrip(self, chars))
        return self._part(start, max(start, len(str.rstrip(self, chars))))

    def lstrip(self, chars: str | None = None, /) -> str:
        """As `str.lstrip`."""
        return self._part(len(self) - len(str.lstrip(self, chars)), len(self))

    def rstrip(self, chars: str | None = None, /) -> str:
        """As `str.rstrip`."""
        return self._part(0, len(str.rstrip(self, chars)))

    def removeprefix(self, prefix: str, /) -> str:
        """As `str.removeprefix`."""
        return self._part(len(self) - len(str.removeprefix(self, prefix)), len(self))

    def removesuffix(self, suffix: str, /) -> str:
        """As `str.removesuffix`."""
        return self._part(0, len(str.removesuffix(self, suffix)))

    def split(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:
        """As `str.split`."""
        return self._parts(str.split(self, sep, maxsplit), None if sep is None else len(sep))

    def rsplit(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:
        """As `str.rsplit`."""
        return self._parts(str.rsplit(self, sep, maxsplit), None if sep is None else len(sep))

    def splitlines(self, keepends: bool = False) -> list[str]:
        """As `str.splitlines`."""
        lines = self._parts(str.splitlines(self, True), 0)
        bare = str.splitlines(self)
        if keepends:
            return lines
        return [line[: len(end)] for line, end in zip(lines, bare, strict=True)]

    def partition(self, sep: str, /) -> tuple[str, str, str]:
        """As `str.partition`."""
        first, middle, last = self._parts(str.partition(self, sep), 0)
        return first, middle, last

    def rpartition(self, sep: str, /) -> tuple[str, str, str]:
        """As `str.rpartition`."""
        first, middle, last = self._parts(str.rpartition(self, sep), 0)
        return first, middle, last

    def replace(self, old: str, new: str, count: SupportsIndex = -1, /) -> str:
        """As `str.replace`."""
        if not old:
            return marked(str.replace(self, old, new, count), self, new)
        return joined(self.split(old, count), new)

    def join(self, parts: Iterable[str], /) -> str:
        """As `str.join`."""
        return joined(list(parts), self)


def _by_kind(name: str) -> Callable[..., Any]:
    """A method that gives text of one kind if all its sources are of it."""
    method = getattr(str, name)

    def call(self: Marked, *args: Any, **kwargs: Any) -> Any:
        made = method(self, *args, **kwargs)
        if self.trust is not None and len(made) == len(self) and not args and not kwargs:
            return Marked(made, self.trust)
        return marked(made, self, args, kwargs)

    call.__name__, call.__doc__ = name, f"As `str.{name}`."
    return call


for _name in ("upper", "lower", "title", "capitalize", "swapcase", "casefold", "center", "ljust"):
    setattr(Marked, _name, _by_kind(_name))
for _name in ("rjust", "zfill", "expandtabs", "translate", "format", "format_map"):
    setattr(Marked, _name, _by_kind(_name))


def joined(parts: list[str], separator: str = "") -> str:
    """Parts with a separator between them; lost if one of them has lost track.

    >>> joined([Marked("a", b"\\1"), Marked("b", b"\\0")]).trust
    b'\\x01\\x00'
    """
    text = str.join(str.__str__(separator), parts)
    trusts = []
    for number, part in enumerate(parts):
        for piece in (separator, part) if number else (part,):
            if piece:
                trusts.append(piece.trust if isinstance(piece, Marked) else None)
    known = [trust for trust in trusts if trust is not None]
    return Marked(text, b"".join(known) if len(known) == len(trusts) else None)


def kind_of(*sources: Any) -> bool | None:
    """Whether all text in some values is trusted (`True`) or none (`False`), else `None`.

    >>> kind_of(1, [Marked("a", b"\\0")]), kind_of("a")
    (False, None)
    """
    kinds = set()
    todo = list(sources)
    while todo:
        value = todo.pop()
        if isinstance(value, str):
            trust = value.trust if isinstance(value, Marked) else None
            if not value:
                continue
            if trust is None or 0 < trust.count(1) < len(trust):
                return None
            kinds.add(trust[0] == 1)
        elif isinstance(value, Mapping):
            todo += [*value.keys(), *value.values()]
        elif isinstance(value, (list, tuple, set, frozenset)):
            todo += value
        elif value is not None and not isinstance(value, (bool, int, float, bytes)):
            return None
    return False if not kinds else kinds.pop() if len(kinds) == 1 else None


def marked(text: str, *sources: Any) -> Marked:
    """What an operation made of some values: of their kind, or lost.

    >>> marked("1", 1).trust
    b'\\x00'
    """
    kind = kind_of(*sources)
    return Marked(text, None if kind is None else bytes([kind]) * len(text))
