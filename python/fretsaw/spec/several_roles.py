"""The components whose name stands in several places of a tokenizer.json."""

from collections import abc
from dataclasses import dataclass
from typing import Annotated, Literal

from ._component import Component
from ._faults import wrong_type
from ._fields import Character, Choice, Flag, Kind, LeftOut, Text, elements
from .pattern import Pattern, Regex

__all__ = ["ByteLevel", "Metaspace", "PrependScheme", "Replace", "Sequence"]

PrependScheme = Literal["first", "never", "always"]


@dataclass(frozen=True, repr=False)
class ByteLevel(Component):
    """Bytes as printable characters: normalizer, pre-tokenizer, post-processor or decoder.

    Only as a pre-tokenizer do `add_prefix_space` and `use_regex` do anything. As a normalizer it
    has no fields in the file, so they must be the defaults there.

    >>> from fretsaw.spec import ByteLevel
    >>> ByteLevel(add_prefix_space=False)
    ByteLevel(add_prefix_space=False, trim_offsets=True, use_regex=True)
    """

    add_prefix_space: Flag = True
    trim_offsets: Flag = True
    use_regex: Annotated[Flag, LeftOut.MISSING] = True


@dataclass(frozen=True, repr=False)
class Metaspace(Component):
    """Spaces as a visible mark: pre-tokenizer or decoder.

    >>> from fretsaw.spec import Metaspace
    >>> Metaspace(prepend_scheme="first")
    Metaspace(replacement='▁', prepend_scheme='first', split=True)
    """

    replacement: Character = "▁"
    prepend_scheme: Annotated[
        PrependScheme, Choice("first", "never", "always"), LeftOut.MISSING
    ] = "always"
    split: Annotated[Flag, LeftOut.MISSING_OR_NULL] = True


@dataclass(frozen=True, repr=False)
class Replace(Component):
    r"""Puts `content` in the place of every match: normalizer or decoder.

    >>> from fretsaw.spec import Regex, Replace
    >>> Replace(Regex(" {2,}"), " ")
    Replace(pattern=Regex(' {2,}'), content=' ')
    """

    pattern: Pattern
    content: Text


class PartsKind(Kind):
    """Components of any role; which one they need is known only where the sequence stands."""

    def take(self, value: object) -> object:
        parts = elements(value, "a list of components")
        for place, part in enumerate(parts):
            if not isinstance(part, Component) or isinstance(part, Regex):
                raise wrong_type(part, "a component").under(f"[{place}]")
        return parts


@dataclass(frozen=True, repr=False)
class Sequence(Component):
    """One after the other: normalizers, pre-tokenizers, post-processors or decoders.

    `parts` is kept as a tuple. The file calls it `normalizers`, `pretokenizers`, `processors` or
    `decoders`.

    >>> from fretsaw.spec import NFD, Sequence, StripAccents
    >>> Sequence([NFD(), StripAccents()])
    Sequence(parts=(NFD(), StripAccents()))
    """

    parts: Annotated[abc.Sequence[Component], PartsKind()]
