"""How the text is cut before the model sees it."""

from dataclasses import dataclass
from typing import Annotated, Literal

from ._component import Component
from ._fields import Character, Choice, Flag, LeftOut, Size
from .pattern import Pattern

__all__ = [
    "BertPreTokenizer",
    "CharDelimiterSplit",
    "Digits",
    "FixedLength",
    "Punctuation",
    "Split",
    "SplitBehavior",
    "UnicodeScripts",
    "Whitespace",
    "WhitespaceSplit",
]

SplitBehavior = Literal["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
Behavior = Annotated[
    SplitBehavior,
    Choice("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"),
]


@dataclass(frozen=True, repr=False)
class BertPreTokenizer(Component):
    """Cuts at white space and around punctuation. No fields, like the three classes below.

    >>> from fretsaw.spec import BertPreTokenizer, Whitespace
    >>> BertPreTokenizer(), Whitespace()
    (BertPreTokenizer(), Whitespace())
    """


@dataclass(frozen=True, repr=False)
class UnicodeScripts(Component):
    """Cuts where the script changes."""


@dataclass(frozen=True, repr=False)
class Whitespace(Component):
    r"""Pieces are the matches of `\w+|[^\w\s]+`."""


@dataclass(frozen=True, repr=False)
class WhitespaceSplit(Component):
    """Cuts at white space."""


@dataclass(frozen=True, repr=False)
class CharDelimiterSplit(Component):
    """Cuts at a character, which goes.

    >>> from fretsaw.spec import CharDelimiterSplit
    >>> CharDelimiterSplit("-")
    CharDelimiterSplit(delimiter='-')
    """

    delimiter: Character


@dataclass(frozen=True, repr=False)
class Digits(Component):
    """Cuts around numbers, or around every digit.

    >>> from fretsaw.spec import Digits
    >>> Digits(individual_digits=True)
    Digits(individual_digits=True)
    """

    individual_digits: Flag = False


@dataclass(frozen=True, repr=False)
class FixedLength(Component):
    """Pieces of so many characters.

    >>> from fretsaw.spec import FixedLength
    >>> FixedLength()
    FixedLength(length=5)
    """

    length: Annotated[Size, LeftOut.MISSING] = 5


@dataclass(frozen=True, repr=False)
class Punctuation(Component):
    """Cuts around punctuation.

    >>> from fretsaw.spec import Punctuation
    >>> Punctuation("Contiguous")
    Punctuation(behavior='Contiguous')
    """

    behavior: Annotated[Behavior, LeftOut.MISSING] = "Isolated"


@dataclass(frozen=True, repr=False)
class Split(Component):
    r"""Cuts at the matches of a pattern; with `invert`, at what is between them.

    >>> from fretsaw.spec import Regex, Split
    >>> Split(Regex(r"\d{1,3}"), "Isolated")
    Split(pattern=Regex('\\d{1,3}'), behavior='Isolated', invert=False)
    """

    pattern: Pattern
    behavior: Behavior
    invert: Flag = False
