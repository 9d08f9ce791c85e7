"""The executable specification: tokenization in plain Python, to be read and to be compared with.

One idea a file. Text: `piece`, `added_tokens`, `match_policy`, `normalize`, `pre_tokenize`, `classes`,
`metaspace`. Models: `bpe` and `byte_map`, `char_bpe`, `unigram`, `word_piece`, `word_level`. Around
them: `template`, `decode`, `utf8`, `stream`. Training: `train`, `train_words`, `train_unigram` with
`unigram_steps`. Files: `tokenizer_json` with `json_fields`, `json_models`, `json_stages`, `decimals`.
All together: `tokenizer`. Nothing here is fast; the core library must give the same ids.
`python -m fretsaw.reference` shows it at work.
"""

from .added_tokens import AddedToken
from .bpe import BytePairEncoder, Rung
from .char_bpe import CharacterOptions, CharacterPairEncoder
from .decode import decode_tokens
from .metaspace import Metaspace
from .normalize import Lowercase, Prepend, Replace, Strip, normalize
from .piece import Piece
from .pre_tokenize import (
    ByteLevel,
    Digits,
    WhitespaceSplit,
    pre_tokenize,
    split_digits,
    split_gpt2,
)
from .stream import StreamDecoder
from .tokenizer import Tokenizer
from .train import learn_merges, train
from .train_parity import learn_parity_merges
from .train_unigram import learn_unigram
from .train_words import learn_word_pieces, learn_words
from .unigram import Arc, Unigram
from .word_level import WordLevel
from .word_piece import Match, WordPiece

__all__ = [
    "AddedToken",
    "Arc",
    "ByteLevel",
    "BytePairEncoder",
    "CharacterOptions",
    "CharacterPairEncoder",
    "Digits",
    "Lowercase",
    "Match",
    "Metaspace",
    "Piece",
    "Prepend",
    "Replace",
    "Rung",
    "StreamDecoder",
    "Strip",
    "Tokenizer",
    "Unigram",
    "WhitespaceSplit",
    "WordLevel",
    "WordPiece",
    "decode_tokens",
    "learn_merges",
    "learn_parity_merges",
    "learn_unigram",
    "learn_word_pieces",
    "learn_words",
    "normalize",
    "pre_tokenize",
    "split_digits",
    "split_gpt2",
    "train",
]
