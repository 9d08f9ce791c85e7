"""What happens to the text before it is cut."""

from dataclasses import dataclass

from ._component import Component
from ._fields import Charsmap, Flag, OptionalFlag, Text

__all__ = [
    "NFC",
    "NFD",
    "NFKC",
    "NFKD",
    "BertNormalizer",
    "Lowercase",
    "Nmt",
    "Precompiled",
    "Prepend",
    "Strip",
    "StripAccents",
]


@dataclass(frozen=True, repr=False)
class NFC(Component):
    """Unicode normalization form C. So for `NFD`, `NFKC` and `NFKD`.

    >>> from fretsaw.spec import NFC
    >>> NFC()
    NFC()
    """


@dataclass(frozen=True, repr=False)
class NFD(Component):
    """Unicode normalization form D."""


@dataclass(frozen=True, repr=False)
class NFKC(Component):
    """Unicode normalization form KC."""


@dataclass(frozen=True, repr=False)
class NFKD(Component):
    """Unicode normalization form KD."""


@dataclass(frozen=True, repr=False)
class Lowercase(Component):
    """Lower case, character by character."""


@dataclass(frozen=True, repr=False)
class Strip(Component):
    """White space at the ends goes.

    >>> from fretsaw.spec import Strip
    >>> Strip(strip_right=False)
    Strip(strip_left=True, strip_right=False)
    """

    strip_left: Flag = True
    strip_right: Flag = True


@dataclass(frozen=True, repr=False)
class StripAccents(Component):
    """Combining marks go; put `NFD` before it."""


@dataclass(frozen=True, repr=False)
class Prepend(Component):
    """Puts a text in front.

    >>> from fretsaw.spec import Prepend
    >>> Prepend()
    Prepend(prepend='▁')
    """

    prepend: Text = "▁"


@dataclass(frozen=True, repr=False)
class BertNormalizer(Component):
    """BERT's cleaning; `strip_accents=None` does as `lowercase` does.

    >>> from fretsaw.spec import BertNormalizer
    >>> BertNormalizer(lowercase=False).strip_accents is None
    True
    """

    clean_text: Flag = True
    handle_chinese_chars: Flag = True
    strip_accents: OptionalFlag = None
    lowercase: Flag = True


@dataclass(frozen=True, repr=False)
class Nmt(Component):
    """SentencePiece's `nmt` rules: control characters go, odd spaces become spaces."""


@dataclass(frozen=True, repr=False)
class Precompiled(Component):
    """SentencePiece's compiled character map, in base64 in the file.

    >>> from fretsaw.spec import Precompiled
    >>> Precompiled(bytes(4))
    Precompiled(precompiled_charsmap=b'\\x00\\x00\\x00\\x00')
    """

    precompiled_charsmap: Charsmap
