"""The executable specification: byte-level BPE in plain Python, to be read and to be compared with.

One idea a file: `byte_map`, `utf8`, `classes`, `pre_tokenize`, `bpe`, `match_policy`,
`added_tokens`, `tokenizer_json`, `tokenizer`, `stream`, `train`. Nothing here is fast; the core
library must give the same ids. `python -m fretsaw.reference` shows it at work.
"""

from .added_tokens import AddedToken
from .bpe import BytePairEncoder, Rung
from .pre_tokenize import ByteLevel, Digits, pre_tokenize, split_digits, split_gpt2
from .stream import StreamDecoder
from .tokenizer import Tokenizer
from .train import learn_merges, train

__all__ = [
    "AddedToken",
    "ByteLevel",
    "BytePairEncoder",
    "Digits",
    "Rung",
    "StreamDecoder",
    "Tokenizer",
    "learn_merges",
    "pre_tokenize",
    "split_digits",
    "split_gpt2",
    "train",
]
