"""A tokenizer as data: to build a tokenizer.json in Python, and to look into one.

One frozen dataclass for each `type` of a tokenizer.json, with its fields and the defaults of Hugging
Face tokenizers 0.23.3. Only two names differ, because a class has one meaning: the decoders `Strip`
and `WordPiece` are `StripDecoder` and `WordPieceDecoder`. A pattern is a `str`, which is literal
text, or a `Regex`. `Normalizer`, `PreTokenizer`, `PostProcessor`, `Decoder` and `Model` are the
unions of the classes that fit there.

>>> from fretsaw.spec import NFC, ByteLevel, Sequence, Spec, WordLevel
>>> spec = Spec(WordLevel({"<unk>": 0}), normalizer=Sequence([NFC()]), decoder=ByteLevel())
>>> spec.normalizer
Sequence(parts=(NFC(),))
"""

from .added_token import AddedToken
from .decoders import CTC, BPEDecoder, ByteFallback, Fuse, StripDecoder, WordPieceDecoder
from .document import Spec
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
from .pattern import Regex
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
from .roles import Decoder, Model, Normalizer, PostProcessor, PreTokenizer
from .settings import Padding, Truncation
from .several_roles import ByteLevel, Metaspace, Replace, Sequence
from .templates import SequencePiece, SpecialToken, SpecialTokenPiece

__all__ = [
    "BPE",
    "CTC",
    "NFC",
    "NFD",
    "NFKC",
    "NFKD",
    "AddedToken",
    "BPEDecoder",
    "BertNormalizer",
    "BertPreTokenizer",
    "BertProcessing",
    "ByteFallback",
    "ByteLevel",
    "CharDelimiterSplit",
    "Decoder",
    "Digits",
    "FixedLength",
    "Fuse",
    "Lowercase",
    "Metaspace",
    "Model",
    "Nmt",
    "Normalizer",
    "Padding",
    "PostProcessor",
    "PreTokenizer",
    "Precompiled",
    "Prepend",
    "Punctuation",
    "Regex",
    "Replace",
    "RobertaProcessing",
    "Sequence",
    "SequencePiece",
    "Spec",
    "SpecialToken",
    "SpecialTokenPiece",
    "Split",
    "Strip",
    "StripAccents",
    "StripDecoder",
    "TemplateProcessing",
    "Truncation",
    "UnicodeScripts",
    "Unigram",
    "Whitespace",
    "WhitespaceSplit",
    "WordLevel",
    "WordPiece",
    "WordPieceDecoder",
]
