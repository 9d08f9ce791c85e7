"""Which class stands where, and under which `type`."""

from ._component import Component
from .decoders import CTC, BPEDecoder, ByteFallback, Fuse, StripDecoder, WordPieceDecoder
from .models import BPE, Unigram, WordLevel, WordPiece
from .normalizers import (
    NFC,
    NFD,
    NFKC,
    NFKD,
    BertNormalizer,
    Lowercase,
    Nmt,
    Precompiled,
    Prepend,
    Strip,
    StripAccents,
)
from .post_processors import BertProcessing, RobertaProcessing, TemplateProcessing
from .pre_tokenizers import (
    BertPreTokenizer,
    CharDelimiterSplit,
    Digits,
    FixedLength,
    Punctuation,
    Split,
    UnicodeScripts,
    Whitespace,
    WhitespaceSplit,
)
from .several_roles import ByteLevel, Metaspace, Replace, Sequence

__all__ = [
    "CLASSES",
    "PARTS",
    "UNTYPED",
    "Decoder",
    "Model",
    "Normalizer",
    "PostProcessor",
    "PreTokenizer",
    "check_role",
]

Normalizer = (
    NFC
    | NFD
    | NFKC
    | NFKD
    | Lowercase
    | Strip
    | StripAccents
    | Replace
    | Prepend
    | BertNormalizer
    | Nmt
    | Precompiled
    | ByteLevel
    | Sequence
)
PreTokenizer = (
    BertPreTokenizer
    | ByteLevel
    | CharDelimiterSplit
    | Digits
    | FixedLength
    | Metaspace
    | Punctuation
    | Split
    | UnicodeScripts
    | Whitespace
    | WhitespaceSplit
    | Sequence
)
PostProcessor = BertProcessing | RobertaProcessing | ByteLevel | TemplateProcessing | Sequence
Decoder = (
    BPEDecoder
    | ByteFallback
    | ByteLevel
    | CTC
    | Fuse
    | Metaspace
    | Replace
    | StripDecoder
    | WordPieceDecoder
    | Sequence
)
Model = BPE | WordPiece | WordLevel | Unigram

TYPES = {StripDecoder: "Strip", WordPieceDecoder: "WordPiece"}
"""The `type` where it is not the name of the class."""

CLASSES: dict[str, dict[type[Component], str]] = {
    role: {of: TYPES.get(of, of.__name__) for of in union.__args__}
    for role, union in [
        ("normalizer", Normalizer),
        ("pre_tokenizer", PreTokenizer),
        ("post_processor", PostProcessor),
        ("decoder", Decoder),
        ("model", Model),
    ]
}
"""The classes of each role, with their `type`."""

PARTS = {
    "normalizer": "normalizers",
    "pre_tokenizer": "pretokenizers",
    "post_processor": "processors",
    "decoder": "decoders",
}
"""What a `Sequence` calls its parts."""

UNTYPED: dict[str, tuple[type[Component], ...]] = {
    "normalizer": (BertNormalizer, Strip, Sequence, Replace, Prepend),
    "pre_tokenizer": (),
    "post_processor": (RobertaProcessing, BertProcessing, TemplateProcessing),
    "decoder": (BPEDecoder, WordPieceDecoder, CTC, Replace, StripDecoder),
    "model": (BPE, WordPiece, WordLevel, Unigram),
}
"""What a component without `type` may be: the first of these whose fields are all there."""


def check_role(component: object, role: str, path: str) -> None:
    """Raises `TypeError` for what does not fit the role, with the classes that do."""
    classes = CLASSES[role]
    if type(component) not in classes:
        names = ", ".join(of.__name__ for of in classes)
        found = type(component).__name__
        raise TypeError(f"{path}: expected one of {names}; found {found}")
    if isinstance(component, Sequence):
        for place, part in enumerate(component.parts):
            check_role(part, role, f"{path}.parts[{place}]")
    if role == "normalizer" and isinstance(component, ByteLevel) and component != ByteLevel():
        raise ValueError(f"{path}: ByteLevel has no fields as a normalizer; write ByteLevel()")
