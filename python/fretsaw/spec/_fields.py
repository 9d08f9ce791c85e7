"""Kinds of fields: what each takes from Python, and how it is read from and written to JSON."""

import base64
import binascii
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Annotated

from ._faults import Fault, not_among, wrong_type

__all__ = [
    "Character",
    "Charsmap",
    "Choice",
    "Flag",
    "Id",
    "IdKind",
    "IdsKind",
    "Kind",
    "LeftOut",
    "OptionalFlag",
    "OptionalKind",
    "OptionalSize",
    "OptionalText",
    "Size",
    "Text",
    "TextKind",
    "TextsKind",
    "TokenWithId",
    "elements",
]


class LeftOut(Enum):
    """What a file may do instead of giving a field a value; then the default of the class holds."""

    MISSING = "leave it out"
    MISSING_OR_NULL = "leave it out, or write null"
    ALWAYS = "have no place for it"


class Kind:
    """A kind of field; this one is for what is the same in Python and in JSON."""

    def take(self, value: object) -> object:
        """What is stored for a value from Python. Raises `Fault`."""
        return value

    def read(self, json: object) -> object:
        """What `take` takes, from a value in a file. Raises `Fault`."""
        return json

    def write(self, value: object) -> object:
        """The value for a file, from what is stored."""
        return value


class FlagKind(Kind):
    """True or false."""

    def take(self, value: object) -> object:
        if not isinstance(value, bool):
            raise wrong_type(value, "true or false")
        return value


class TextKind(Kind):
    """A string, of which surrogates are no part."""

    def take(self, value: object) -> object:
        if not isinstance(value, str):
            raise wrong_type(value, "a string")
        if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
            raise Fault(f"{value!r} has a lone surrogate")
        return value


class CharacterKind(TextKind):
    """A string of one character."""

    def take(self, value: object) -> object:
        text = super().take(value)
        if len(str(text)) != 1:
            raise not_among(text, "a single character")
        return text


class IdKind(Kind):
    """An integer from 0."""

    def __init__(self, bits: int = 32) -> None:
        self.last = 2**bits - 1

    def take(self, value: object) -> object:
        if not isinstance(value, int) or isinstance(value, bool):
            raise wrong_type(value, f"an integer from 0 to {self.last}")
        if not 0 <= value <= self.last:
            raise not_among(value, f"an integer from 0 to {self.last}")
        return value


class Choice(Kind):
    """One of a few names."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def take(self, value: object) -> object:
        expected = f"one of {', '.join(self.names)}"
        if not isinstance(value, str):
            raise wrong_type(value, expected)
        if value not in self.names:
            raise not_among(value, expected)
        return value


class OptionalKind(Kind):
    """Something or None."""

    def __init__(self, inner: Kind) -> None:
        self.inner = inner

    def take(self, value: object) -> object:
        return None if value is None else self.inner.take(value)


class TokenWithIdKind(Kind):
    """A token and its id."""

    def take(self, value: object) -> object:
        token, id = elements(value, "a token and its id", count=2)
        return at("[0]", TextKind(), token), at("[1]", IdKind(), id)

    def write(self, value: object) -> object:
        return list(elements(value, "a token and its id"))


class IdsKind(Kind):
    """A list of ids."""

    def take(self, value: object) -> object:
        return tuple(each(IdKind(), elements(value, "a list of ids")))

    def write(self, value: object) -> object:
        return list(elements(value, "a list of ids"))


class TextsKind(Kind):
    """A list of strings."""

    def take(self, value: object) -> object:
        return tuple(each(TextKind(), elements(value, "a list of strings")))

    def write(self, value: object) -> object:
        return list(elements(value, "a list of strings"))


def each(kind: Kind, values: tuple[object, ...]) -> list[object]:
    """What the kind takes of each value."""
    return [at(f"[{place}]", kind, value) for place, value in enumerate(values)]


class CharsmapKind(Kind):
    """Bytes, in base64 in a file."""

    def take(self, value: object) -> object:
        if not isinstance(value, bytes):
            raise wrong_type(value, "bytes")
        return value

    def read(self, json: object) -> object:
        if not isinstance(json, str):
            raise wrong_type(json, "a string")
        try:
            return base64.b64decode(json, validate=True)
        except (binascii.Error, ValueError):
            raise not_among(json, "a character map in base64") from None

    def write(self, value: object) -> object:
        assert isinstance(value, bytes)
        return base64.b64encode(value).decode("ascii")


def at(step: str, kind: Kind, value: object) -> object:
    """What `kind` takes, where a fault is known to be at `step`."""
    try:
        return kind.take(value)
    except Fault as fault:
        raise fault.under(step) from None


def elements(value: object, expected: str, count: int | None = None) -> tuple[object, ...]:
    """The elements of a list or another sequence, but not of a string."""
    if not isinstance(value, Sequence) or isinstance(value, str | bytes | Mapping):
        raise wrong_type(value, expected)
    if count is not None and len(value) != count:
        raise Fault(f"expected {expected}, found {len(value)} elements")
    return tuple(value)


Flag = Annotated[bool, FlagKind()]
OptionalFlag = Annotated[bool | None, OptionalKind(FlagKind()), LeftOut.MISSING_OR_NULL]
Text = Annotated[str, TextKind()]
OptionalText = Annotated[str | None, OptionalKind(TextKind()), LeftOut.MISSING_OR_NULL]
Character = Annotated[str, CharacterKind()]
Id = Annotated[int, IdKind()]
Size = Annotated[int, IdKind(64)]
OptionalSize = Annotated[int | None, OptionalKind(IdKind(64)), LeftOut.MISSING_OR_NULL]
TokenWithId = Annotated[tuple[str, int], TokenWithIdKind()]
Charsmap = Annotated[bytes, CharsmapKind()]
