"""Trainers under the names that users of Hugging Face tokenizers know.

For `Tokenizer.train` and `Tokenizer.train_from_iterator`; `fretsaw.train` takes the same options as
keywords. Options, defaults and results are those of `tokenizers.trainers` 0.23.3; `show_progress` is
taken and does nothing.

>>> from fretsaw import Tokenizer
>>> from fretsaw.spec import BPE, Spec
>>> from fretsaw.trainers import BpeTrainer
>>> tok = Tokenizer.from_str(Spec(BPE({}, [])).to_json())
>>> tok.train_from_iterator(["hug hugs", "pug"], BpeTrainer(vocab_size=8))
>>> tok.encode("hugs").tokens
['hug', 's']
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .spec import AddedToken

__all__ = ["BpeTrainer", "Trainer", "WordLevelTrainer", "WordPieceTrainer"]

Special = Sequence[str | AddedToken]


@dataclass(kw_only=True)
class BpeTrainer:
    """Trains byte-pair encoding.

    `initial_alphabet` gives the first character of each string. With `max_token_length`, pairs of
    that many characters or more are not counted when they appear.

    >>> from fretsaw.trainers import BpeTrainer
    >>> BpeTrainer(vocab_size=1000, special_tokens=["<s>"]).min_frequency
    0
    """

    vocab_size: int = 30_000
    min_frequency: int = 0
    show_progress: bool = True
    special_tokens: Special = ()
    limit_alphabet: int | None = None
    initial_alphabet: Iterable[str] = ()
    continuing_subword_prefix: str | None = None
    end_of_word_suffix: str | None = None
    max_token_length: int | None = None
    affixed_order: Sequence[str] = field(default=(), repr=False)
    """Symbols with a prefix or suffix in the order of their ids, where it is to be another one than
    that of their bytes."""

    model = "bpe"


@dataclass(kw_only=True)
class WordPieceTrainer:
    """Trains WordPiece: the vocabulary is that of byte-pair encoding.

    >>> from fretsaw.trainers import WordPieceTrainer
    >>> WordPieceTrainer().continuing_subword_prefix
    '##'
    """

    vocab_size: int = 30_000
    min_frequency: int = 0
    show_progress: bool = True
    special_tokens: Special = ()
    limit_alphabet: int | None = None
    initial_alphabet: Iterable[str] = ()
    continuing_subword_prefix: str | None = "##"
    end_of_word_suffix: str | None = None
    affixed_order: Sequence[str] = field(default=(), repr=False)
    """As with `BpeTrainer`."""

    model = "wordpiece"


@dataclass(kw_only=True)
class WordLevelTrainer:
    """Trains a vocabulary of the most frequent words.

    >>> from fretsaw.trainers import WordLevelTrainer
    >>> WordLevelTrainer(min_frequency=2).vocab_size
    30000
    """

    vocab_size: int = 30_000
    min_frequency: int = 0
    show_progress: bool = True
    special_tokens: Special = ()

    model = "wordlevel"


Trainer = BpeTrainer | WordPieceTrainer | WordLevelTrainer


def options_of(trainer: Trainer, threads: int) -> dict[str, Any]:
    """The fields of a trainer, and what it does not have, for the compiled side."""
    return {
        "model": trainer.model,
        "vocab_size": trainer.vocab_size,
        "min_frequency": trainer.min_frequency,
        "special_tokens": list(trainer.special_tokens),
        "limit_alphabet": getattr(trainer, "limit_alphabet", None),
        "initial_alphabet": [text[0] for text in getattr(trainer, "initial_alphabet", ()) if text],
        "continuing_subword_prefix": getattr(trainer, "continuing_subword_prefix", None),
        "end_of_word_suffix": getattr(trainer, "end_of_word_suffix", None),
        "max_token_length": getattr(trainer, "max_token_length", None),
        "affixed_order": list(getattr(trainer, "affixed_order", ())),
        "threads": threads,
    }
