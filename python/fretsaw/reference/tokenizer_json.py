"""Reading and writing tokenizer.json, the part of it that this specification can encode exactly.

What is read: a BPE model over bytes; ByteLevel, or Digits steps with ByteLevel last; added tokens; a
ByteLevel decoder. Settings that can't change an id are passed over. Everything else is refused by
name, so that a file that loads is a file whose ids are right.

Cost: O(file).
Source: Hugging Face tokenizers 0.23.3, which fields it reads and what it makes of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .added_tokens import AddedToken
from .byte_map import CHAR_TO_BYTE
from .pre_tokenize import ByteLevel, Digits, Step

FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")


@dataclass(frozen=True)
class Spec:
    """The contents of a file, as plain data."""

    vocab: dict[str, int]
    merges: list[tuple[str, str]]
    ignore_merges: bool
    steps: list[Step]
    added_tokens: list[AddedToken]


def read(text: str) -> Spec:
    """Read a tokenizer.json; raises ValueError naming the field that is wrong or not supported."""
    data = _object(json.loads(text), "the file")
    if data.get("version", "1.0") != "1.0":
        raise _unsupported("version", data["version"])
    for field in ("truncation", "padding", "normalizer"):
        if data.get(field) is not None:
            raise _unsupported(field, data[field])
    for field in ("post_processor", "decoder"):
        stage = data.get(field)
        if not (field == "post_processor" and stage is None) and _type(stage) != "ByteLevel":
            raise _unsupported(field, stage)
    vocab, merges, ignore_merges = _read_model(_object(data.get("model"), "model"))
    steps = _read_steps(data.get("pre_tokenizer"), "pre_tokenizer")
    if (
        not steps
        or not isinstance(steps[-1], ByteLevel)
        or any(isinstance(step, ByteLevel) for step in steps[:-1])
    ):
        raise _unsupported("pre_tokenizer", data.get("pre_tokenizer"))
    added = [
        _read_added(token, f"added_tokens[{index}]")
        for index, token in enumerate(_list(data.get("added_tokens", []), "added_tokens"))
    ]
    return Spec(vocab, merges, ignore_merges, steps, added)


def write(spec: Spec, added_ids: Mapping[str, int]) -> str:
    """Write a tokenizer.json that Hugging Face loads and that gives the same ids."""
    steps = [{"type": type(step).__name__, **asdict(step)} for step in spec.steps]
    steps[-1]["trim_offsets"] = True
    data = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": added_ids[token.content], **asdict(token)} for token in spec.added_tokens
        ],
        "normalizer": None,
        "pre_tokenizer": steps[0]
        if len(steps) == 1
        else {"type": "Sequence", "pretokenizers": steps},
        "post_processor": None,
        "decoder": steps[-1],
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": spec.ignore_merges,
            "vocab": spec.vocab,
            "merges": [list(pair) for pair in spec.merges],
        },
    }
    return json.dumps(data, ensure_ascii=False, indent=2)


def _read_model(model: Mapping[str, Any]) -> tuple[dict[str, int], list[tuple[str, str]], bool]:
    if model.get("type", "BPE") != "BPE":
        raise _unsupported("model.type", model["type"])
    for field in ("dropout", "continuing_subword_prefix", "end_of_word_suffix", "byte_fallback"):
        if model.get(field):
            raise _unsupported(f"model.{field}", model[field])
    vocab = dict(_object(model.get("vocab"), "model.vocab"))
    for token, token_id in vocab.items():
        if type(token_id) is not int or not 0 <= token_id < 2**32:
            raise ValueError(
                f"model.vocab: the id of {token!r} is {token_id!r}, not a 32-bit number"
            )
    if model.get("unk_token") is not None and not CHAR_TO_BYTE.keys() <= vocab.keys():
        raise _unsupported("model.unk_token", model["unk_token"])
    merges = _read_merges(_list(model.get("merges"), "model.merges"))
    return vocab, merges, _flag(model.get("ignore_merges") or False, "model.ignore_merges")


def _read_merges(rules: Sequence[Any]) -> list[tuple[str, str]]:
    """Read rules written as "left right" or as [left, right], one way throughout."""
    if all(isinstance(rule, str) for rule in rules):  # the older way; it may have a comment line
        rules = [rule.split(" ") for rule in rules if not rule.startswith("#version")]
    for rank, rule in enumerate(rules):
        pair = isinstance(rule, list) and len(rule) == 2
        if not pair or not all(isinstance(part, str) for part in rule):
            raise ValueError(f"model.merges[{rank}]: {rule!r} is not a pair of tokens")
    return [(left, right) for left, right in rules]


def _read_steps(stage: Any, where: str) -> list[Step]:
    if _type(stage) == "Sequence":
        parts = _list(stage.get("pretokenizers"), f"{where}.pretokenizers")
        return [
            step
            for index, part in enumerate(parts)
            for step in _read_steps(part, f"{where}.pretokenizers[{index}]")
        ]
    if _type(stage) == "Digits":
        return [Digits(_flag(stage.get("individual_digits"), f"{where}.individual_digits"))]
    if _type(stage) == "ByteLevel":
        _flag(stage.get("trim_offsets"), f"{where}.trim_offsets")
        prefix = _flag(stage.get("add_prefix_space"), f"{where}.add_prefix_space")
        return [ByteLevel(prefix, _flag(stage.get("use_regex", True), f"{where}.use_regex"))]
    raise _unsupported(where, stage)


def _read_added(token: Any, where: str) -> AddedToken:
    fields = _object(token, where)
    if not isinstance(fields.get("content"), str):
        raise ValueError(f"{where}.content: {fields.get('content')!r} is not a string")
    return AddedToken(
        fields["content"], *(_flag(fields.get(flag), f"{where}.{flag}") for flag in FLAGS)
    )


def _type(stage: Any) -> Any:
    return stage.get("type") if isinstance(stage, dict) else None


def _object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{where} is {_short(value)}, not an object")
    return value


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{where} is {_short(value)}, not a list")
    return value


def _flag(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{where} is {_short(value)}, not true or false")
    return value


def _unsupported(field: str, value: Any) -> ValueError:
    return ValueError(f"`{field}` is {_short(value)}, which the reference does not encode")


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "..."
