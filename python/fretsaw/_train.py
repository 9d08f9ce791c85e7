"""Training: sources to counts of pieces, and counts to a tokenizer."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from . import _byte_level
from . import spec as parts
from ._checkpoint import Checkpoint
from ._count import Counting, Progress
from ._errors import TrainError
from ._native import PieceCounter, PieceCounts, Tokenizer
from ._sources import Errors, Reading, Source
from .trainers import ModelName, Special, Trainer, options_of, trainer_of

__all__ = ["PieceCounts", "count_pieces", "train"]

BY_MODEL = object()
"""Stands for the pre-tokenizer that goes with a model."""


def train(
    source: Source | None = None,
    *,
    model: ModelName = "bpe",
    spec: parts.Spec | None = None,
    continue_from: Tokenizer | None = None,
    counts: PieceCounts | None = None,
    vocab_size: int = 30_000,
    min_frequency: int = 0,
    normalizer: parts.Normalizer | None = None,
    pre_tokenizer: Any = BY_MODEL,
    special_tokens: Special = (),
    unk_token: str | None = None,
    limit_alphabet: int | None = None,
    initial_alphabet: Iterable[str] = (),
    continuing_subword_prefix: str | None = None,
    end_of_word_suffix: str | None = None,
    max_token_length: int | None = None,
    byte_fallback: bool = False,
    character_coverage: float = 1.0,
    shrinking_factor: float = 0.75,
    max_piece_length: int = 16,
    n_sub_iterations: int = 2,
    seed_size: int = 1_000_000,
    max_distinct: int | None = None,
    max_pretoken_chars: int | None = None,
    by: str = "line",
    field: str = "text",
    column: str = "text",
    errors: Errors = "strict",
    threads: int = 0,
    progress: Progress | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
) -> Tokenizer:
    """Train a tokenizer on texts.

    `source` is a path or a glob, several `pathlib.Path`, or an iterable of `str`. Of a text file
    each line (with its end) is a text of its own, or the whole with `by="file"`, or what stands
    between any other `by`. Files named `.jsonl` and `.parquet` hold texts under `field` or `column`;
    `.gz` and `.zst` are unpacked. Instead of a source, `counts` may hold counted pieces.

    The pipeline is `spec`, whose model is replaced, or made of `normalizer` and `pre_tokenizer`: by
    default `ByteLevel(add_prefix_space=False)` for "bpe", `Metaspace()` for "unigram",
    `BertPreTokenizer()` for "wordpiece" and `WhitespaceSplit()` for "wordlevel". With ByteLevel the
    256 byte characters are in the alphabet. Without `spec`, all models but "bpe" have `unk_token`
    ("<unk>" for "unigram", else "[UNK]") as first token, if it is not among `special_tokens`.
    With `byte_fallback`, "bpe" and "unigram" have tokens for the 256 bytes.

    With `continue_from`, a tokenizer with byte-pair encoding, all its tokens keep their ids and its
    merges their order; new tokens come behind them until there are `vocab_size`. New text is cut by
    the tokenizer's own pipeline, and its new characters become tokens too.

    The options of trainers are those of Hugging Face tokenizers, and so are vocabulary and merges,
    but for "unigram", and for any number of `threads` (0: as many as CPUs). `progress` is called
    with a stage, what is done of it and how much there is (0 where that is not known).

    `max_distinct` bounds memory by dropping rare pieces, `max_pretoken_chars` cuts long ones; both
    are off because they change the result. What is counted and learned is saved in the file `checkpoint`
    every minute and when training is stopped; with `resume` training goes on from that file, if there
    is one, to the very same result. The file is removed in the end.

    Raises `TrainError` where a source can't be read as asked, an option can't be used, or a checkpoint
    is damaged or was made for something else; `EncodeError` where a text can't be cut, `SpecError`
    where the pipeline is at fault, `OSError`.

    >>> import fretsaw
    >>> tok = fretsaw.train(["hug hugs pug pugs hugging"], vocab_size=259)
    >>> tok.encode("hugs").ids, tok.encode("hugs").tokens
    ([257, 82], ['hug', 's'])
    """
    if (source is None) == (counts is None):
        raise TrainError("give a source to train on, or counts; one of the two")
    if continue_from is not None:
        if spec is not None:
            raise TrainError("give a spec or a tokenizer to continue from, not both")
        spec = parts.Spec.from_json(continue_from.to_str())
    if spec is None:
        if model not in _PRE_TOKENIZERS:
            raise TrainError(f"model is {model!r}; it must be one of {', '.join(_PRE_TOKENIZERS)}")
        if model != "bpe":
            unk_token = unk_token or ("<unk>" if model == "unigram" else "[UNK]")
            special_tokens = _with_unknown(special_tokens, unk_token)
        if pre_tokenizer is BY_MODEL:
            pre_tokenizer = _PRE_TOKENIZERS[model]
        spec = pipeline_of(model, normalizer, pre_tokenizer, unk_token, byte_fallback)
    else:
        model = _model_of(spec.model)
    if continue_from is not None:
        if not isinstance(spec.model, parts.BPE):
            raise TrainError("training can continue from byte-pair encoding alone")
        continuing_subword_prefix = spec.model.continuing_subword_prefix
        end_of_word_suffix = spec.model.end_of_word_suffix
    alphabet = list(initial_alphabet)
    if is_byte_level(spec.pre_tokenizer):
        alphabet += _byte_level.CHARACTERS
    trainer = trainer_of(
        model,
        vocab_size=vocab_size,
        min_frequency=min_frequency,
        special_tokens=special_tokens,
        unk_token=unk_token,
        limit_alphabet=limit_alphabet,
        initial_alphabet=alphabet,
        continuing_subword_prefix=continuing_subword_prefix,
        end_of_word_suffix=end_of_word_suffix,
        max_token_length=max_token_length,
        byte_fallback=byte_fallback,
        character_coverage=character_coverage,
        shrinking_factor=shrinking_factor,
        max_piece_length=max_piece_length,
        n_sub_iterations=n_sub_iterations,
        seed_size=seed_size,
    )
    tok = Tokenizer.from_str(spec.to_json())
    continues = continue_from is not None
    options = options_of(trainer, threads, continues)
    if resume and checkpoint is None:
        raise TrainError("resume needs a checkpoint to go on from")
    if counts is not None:
        if checkpoint is not None:
            raise TrainError("a checkpoint begins with counting; it does not go with counts")
        tok._train(counts, options, progress)
        return tok
    assert source is not None
    reading = Reading(by=by, field=field, column=column, errors=errors)
    counting = Counting(tok, reading, threads, max_distinct, max_pretoken_chars)
    kept = None
    if checkpoint is not None:
        asked = {name: repr(value) for name, value in options.items() if name != "threads"}
        kept = Checkpoint(checkpoint, counting.asked(source) | asked, resume)
    tok._train(counting.counts(source, progress, kept), options, progress, kept)
    if kept is not None:
        kept.remove()
    return tok


def count_pieces(
    source: Source,
    *,
    spec: parts.Spec | None = None,
    normalizer: parts.Normalizer | None = None,
    pre_tokenizer: parts.PreTokenizer | None = parts.ByteLevel(add_prefix_space=False),  # noqa: B008
    by: str = "line",
    field: str = "text",
    column: str = "text",
    errors: Errors = "strict",
    max_distinct: int | None = None,
    max_pretoken_chars: int | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> PieceCounts:
    """Count the pieces of texts, for `train(counts=...)`: on many machines, and merged on one.

    The source and its options are those of `train`, and so is what it raises.

    >>> import fretsaw
    >>> counts = fretsaw.count_pieces(["a b"]).merge(fretsaw.count_pieces(["b b"]))
    >>> counts.as_dict()
    {'a': 1, 'b': 1, 'Ġb': 2}
    """
    if spec is None:
        spec = pipeline_of("bpe", normalizer, pre_tokenizer, None)
    tok = Tokenizer.from_str(spec.to_json())
    reading = Reading(by=by, field=field, column=column, errors=errors)
    counting = Counting(tok, reading, threads, max_distinct, max_pretoken_chars)
    return counting.counts(source, progress)


def train_on_files(tok: Tokenizer, files: Any, trainer: Trainer | None) -> None:
    """What `Tokenizer.train` does: files are text, line by line, whatever their names."""
    if isinstance(files, str | os.PathLike):
        files = [files]
    trainer = trainer or trainer_of(_model_of(tok.model))
    counter = PieceCounter(tok)
    for file in files:
        for block in Reading().blocks(Path(file), is_plain=True):
            counter.count_block(block)
    tok._train(counter.finish(), options_of(trainer, 0))


def train_on_iterator(
    tok: Tokenizer, iterator: Iterable[Any], trainer: Trainer | None, length: int | None
) -> None:
    """What `Tokenizer.train_from_iterator` does; `length` is of no use."""
    trainer = trainer or trainer_of(_model_of(tok.model))
    counts = Counting(tok, Reading()).counts(iter(iterator))
    tok._train(counts, options_of(trainer, 0))


_PRE_TOKENIZERS: dict[ModelName, parts.PreTokenizer] = {
    "bpe": parts.ByteLevel(add_prefix_space=False),
    "unigram": parts.Metaspace(),
    "wordpiece": parts.BertPreTokenizer(),
    "wordlevel": parts.WhitespaceSplit(),
}


def pipeline_of(
    model: ModelName,
    normalizer: parts.Normalizer | None,
    pre_tokenizer: parts.PreTokenizer | None,
    unk_token: str | None,
    byte_fallback: bool = False,
) -> parts.Spec:
    """A pipeline around an empty model, with the decoder that goes with it."""
    empty: parts.Model
    decoder: parts.Decoder | None = None
    match model:
        case "wordpiece":
            empty = parts.WordPiece({}, unk_token=unk_token or "[UNK]")
            decoder = parts.WordPieceDecoder()
        case "wordlevel":
            empty = parts.WordLevel({}, unk_token=unk_token or "[UNK]")
        case "unigram":
            empty = parts.Unigram([])
        case "bpe":
            empty = parts.BPE({}, [], unk_token=unk_token, byte_fallback=byte_fallback)
    if is_byte_level(pre_tokenizer):
        decoder = parts.ByteLevel()
    elif isinstance(pre_tokenizer, parts.Metaspace):
        decoder = pre_tokenizer
        if byte_fallback:
            decoder = parts.Sequence([parts.ByteFallback(), pre_tokenizer])
    return parts.Spec(empty, normalizer=normalizer, pre_tokenizer=pre_tokenizer, decoder=decoder)


def _model_of(model: parts.Model) -> ModelName:
    match model:
        case parts.BPE():
            return "bpe"
        case parts.WordPiece():
            return "wordpiece"
        case parts.WordLevel():
            return "wordlevel"
        case parts.Unigram():
            return "unigram"


def _with_unknown(special_tokens: Special, unk_token: str) -> Special:
    contents = [token if isinstance(token, str) else token.content for token in special_tokens]
    return list(special_tokens) if unk_token in contents else [unk_token, *special_tokens]


def is_byte_level(pre_tokenizer: Any) -> bool:
    if isinstance(pre_tokenizer, parts.Sequence):
        return any(map(is_byte_level, pre_tokenizer.parts))
    return isinstance(pre_tokenizer, parts.ByteLevel)
