"""From tokens back to text."""

from dataclasses import dataclass

from ._component import Component
from ._fields import Character, Flag, Size, Text

__all__ = ["CTC", "BPEDecoder", "ByteFallback", "Fuse", "StripDecoder", "WordPieceDecoder"]


@dataclass(frozen=True, repr=False)
class BPEDecoder(Component):
    """A suffix becomes a space.

    >>> from fretsaw.spec import BPEDecoder
    >>> BPEDecoder()
    BPEDecoder(suffix='</w>')
    """

    suffix: Text = "</w>"


@dataclass(frozen=True, repr=False)
class ByteFallback(Component):
    """Tokens like `<0x0A>` become the bytes they name. No fields, like `Fuse`.

    >>> from fretsaw.spec import ByteFallback, Fuse, Sequence
    >>> Sequence([ByteFallback(), Fuse()])
    Sequence(parts=(ByteFallback(), Fuse()))
    """


@dataclass(frozen=True, repr=False)
class Fuse(Component):
    """All tokens become one."""


@dataclass(frozen=True, repr=False)
class CTC(Component):
    """Repeated tokens become one, and padding goes.

    >>> from fretsaw.spec import CTC
    >>> CTC()
    CTC(pad_token='<pad>', word_delimiter_token='|', cleanup=True)
    """

    pad_token: Text = "<pad>"
    word_delimiter_token: Text = "|"
    cleanup: Flag = True


@dataclass(frozen=True, repr=False)
class StripDecoder(Component):
    """A character goes from both ends of each token, so often at most. In the file: `Strip`.

    >>> from fretsaw.spec import StripDecoder
    >>> StripDecoder(" ", start=1)
    StripDecoder(content=' ', start=1, stop=0)
    """

    content: Character = " "
    start: Size = 0
    stop: Size = 0


@dataclass(frozen=True, repr=False)
class WordPieceDecoder(Component):
    """Pieces with the prefix join the one before. In the file: `WordPiece`.

    >>> from fretsaw.spec import WordPieceDecoder
    >>> WordPieceDecoder()
    WordPieceDecoder(prefix='##', cleanup=True)
    """

    prefix: Text = "##"
    cleanup: Flag = True
