"""Reading the `model` of a tokenizer.json.

A BPE model behind a ByteLevel pre-tokenizer, without options that concern characters, is one over
bytes (bpe.py); any other is one over characters (char_bpe.py), which sees the byte alphabet, if any.

Cost: O(vocabulary).
Source: Hugging Face tokenizers 0.23.3, which fields it reads and which it does not do without.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .bpe import BytePairEncoder
from .byte_map import CHAR_TO_BYTE
from .char_bpe import CharacterOptions, CharacterPairEncoder
from .json_fields import (
    read_flag,
    read_list,
    read_object,
    read_size,
    read_text,
    short,
    type_of,
    unsupported,
)
from .unigram import Unigram
from .word_level import WordLevel
from .word_piece import WordPiece

Model = BytePairEncoder | CharacterPairEncoder | Unigram | WordLevel | WordPiece


def read_model(value: Any, byte_level: bool) -> Model:
    """Read a model; `byte_level` says whether it gets its pieces from a ByteLevel pre-tokenizer."""
    model = read_object(value, "model")
    if model.get("type", "BPE") == "BPE":
        return _read_bpe(model, byte_level)
    if type_of(model) == "Unigram":
        return _read_unigram(model)
    if type_of(model) == "WordLevel":
        return WordLevel(_read_vocab(model), read_text(model.get("unk_token"), "model.unk_token"))
    if type_of(model) == "WordPiece":
        return WordPiece(
            _read_vocab(model),
            read_text(model.get("unk_token"), "model.unk_token"),
            read_text(model.get("continuing_subword_prefix"), "model.continuing_subword_prefix"),
            read_size(model.get("max_input_chars_per_word"), "model.max_input_chars_per_word"),
        )
    raise unsupported("model.type", model["type"])


def _read_bpe(model: Mapping[str, Any], byte_level: bool) -> BytePairEncoder | CharacterPairEncoder:
    if model.get("dropout"):
        raise unsupported("model.dropout", model["dropout"])
    vocab = _read_vocab(model)
    merges = _read_merges(read_list(model.get("merges"), "model.merges"))
    unk_token = model.get("unk_token")
    options = CharacterOptions(
        unk_token=None if unk_token is None else read_text(unk_token, "model.unk_token"),
        fuse_unk=_flag(model, "fuse_unk"),
        byte_fallback=_flag(model, "byte_fallback"),
        continuing_subword_prefix=_text(model, "continuing_subword_prefix"),
        end_of_word_suffix=_text(model, "end_of_word_suffix"),
        ignore_merges=_flag(model, "ignore_merges"),
    )
    plain = not (options.continuing_subword_prefix or options.end_of_word_suffix)
    every_byte = CHAR_TO_BYTE.keys() <= vocab.keys()
    if byte_level and plain and (every_byte or not (options.unk_token or options.byte_fallback)):
        return BytePairEncoder(vocab, merges, options.ignore_merges)
    return CharacterPairEncoder(vocab, merges, options)


def _read_unigram(model: Mapping[str, Any]) -> Unigram:
    pieces = []
    for place, entry in enumerate(read_list(model.get("vocab"), "model.vocab")):
        pair = isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], str)
        if not pair or type(entry[1]) not in (int, float):
            raise ValueError(f"model.vocab[{place}] is {short(entry)}, not a token and its score")
        pieces.append((entry[0], float(entry[1])))
    unk_id = model.get("unk_id")
    if unk_id is not None:
        unk_id = read_size(unk_id, "model.unk_id")
    return Unigram(
        pieces, unk_id, read_flag(model.get("byte_fallback", False), "model.byte_fallback")
    )


def _read_vocab(model: Mapping[str, Any]) -> dict[str, int]:
    vocab = dict(read_object(model.get("vocab"), "model.vocab"))
    for token, token_id in vocab.items():
        if type(token_id) is not int or not 0 <= token_id < 2**32:
            raise ValueError(
                f"model.vocab: the id of {token!r} is {token_id!r}, not a 32-bit number"
            )
    return vocab


def _read_merges(rules: Sequence[Any]) -> list[tuple[str, str]]:
    """Read rules written as "left right" or as [left, right], one way throughout."""
    if all(isinstance(rule, str) for rule in rules):  # the older way; it may have a comment line
        rules = [rule.split(" ") for rule in rules if not rule.startswith("#version")]
    for rank, rule in enumerate(rules):
        pair = isinstance(rule, list) and len(rule) == 2
        if not pair or not all(isinstance(part, str) for part in rule):
            raise ValueError(f"model.merges[{rank}]: {rule!r} is not a pair of tokens")
    return [(left, right) for left, right in rules]


def _flag(model: Mapping[str, Any], field: str) -> bool:
    return model.get(field) is not None and read_flag(model[field], f"model.{field}")


def _text(model: Mapping[str, Any], field: str) -> str:
    return "" if model.get(field) is None else read_text(model[field], f"model.{field}")
