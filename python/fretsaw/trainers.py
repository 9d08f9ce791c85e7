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
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from .spec import AddedToken

__all__ = ["BpeTrainer", "Trainer", "UnigramTrainer", "WordLevelTrainer", "WordPieceTrainer"]

ModelName = Literal["bpe", "unigram", "wordpiece", "wordlevel"]
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
    byte_fallback: bool = False
    """Whether the tokens of the 256 bytes come behind the special ones; not in Hugging Face."""
    character_coverage: float = 1.0
    """The share of the text's characters that the alphabet has to reach; not in Hugging Face."""
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


@dataclass(kw_only=True)
class UnigramTrainer:
    """Trains a Unigram model: the pieces that make the text most probable.

    `seed_size`, `byte_fallback` and `character_coverage` are SentencePiece's.

    >>> from fretsaw.trainers import UnigramTrainer
    >>> UnigramTrainer(unk_token="<unk>").max_piece_length
    16
    """

    vocab_size: int = 8000
    show_progress: bool = True
    special_tokens: Special = ()
    shrinking_factor: float = 0.75
    unk_token: str | None = None
    max_piece_length: int = 16
    n_sub_iterations: int = 2
    initial_alphabet: Iterable[str] = ()
    seed_size: int = 1_000_000
    byte_fallback: bool = False
    character_coverage: float = 1.0

    model = "unigram"


Trainer = BpeTrainer | UnigramTrainer | WordPieceTrainer | WordLevelTrainer


_TRAINERS: dict[ModelName, type[Trainer]] = {
    "bpe": BpeTrainer,
    "unigram": UnigramTrainer,
    "wordpiece": WordPieceTrainer,
    "wordlevel": WordLevelTrainer,
}


def trainer_of(model: ModelName, **options: Any) -> Trainer:
    """The trainer of a model, with those of the options that it has.

    A `continuing_subword_prefix` of `None` is the trainer's own.
    """
    if options.get("continuing_subword_prefix") is None:
        options.pop("continuing_subword_prefix", None)
    kind = _TRAINERS[model]
    names = {field.name for field in fields(kind)}
    return kind(**{name: value for name, value in options.items() if name in names})


def options_of(trainer: Trainer, threads: int, continues: bool = False) -> dict[str, Any]:
    """The fields of a trainer, and what it does not have, for the compiled side."""
    missing: dict[str, Any] = {
        "min_frequency": 0,
        "limit_alphabet": None,
        "initial_alphabet": (),
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "max_token_length": None,
        "affixed_order": (),
        "byte_fallback": False,
        "character_coverage": 1.0,
        "unk_token": None,
        "shrinking_factor": 0.75,
        "max_piece_length": 16,
        "n_sub_iterations": 2,
        "seed_size": 1_000_000,
    }
    options = {name: getattr(trainer, name, value) for name, value in missing.items()}
    options["initial_alphabet"] = [text[0] for text in options["initial_alphabet"] if text]
    options["affixed_order"] = list(options["affixed_order"])
    options["special_tokens"] = list(trainer.special_tokens)
    return options | {
        "model": trainer.model,
        "vocab_size": trainer.vocab_size,
        "continues": continues,
        "threads": threads,
    }
