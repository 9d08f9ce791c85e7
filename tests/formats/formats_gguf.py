"""GGUF files, written from what other formats say."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Iterable
from typing import Any

from sentencepiece_wire import Model

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
U32, I32, F32, BOOL, STRING, LIST = 4, 5, 6, 7, 8, 9

Pair = tuple[str, int, Any]
"""A key, a type, and a value; a list has the type of its entries in front of them."""


def written(pairs: Iterable[Pair], version: int = 3) -> bytes:
    """A file of these pairs and of no tensors."""
    out = io.BytesIO()
    pairs = list(pairs)
    out.write(struct.pack("<4sIQQ", b"GGUF", version, 0, len(pairs)))
    for key, kind, value in pairs:
        out.write(_value(STRING, key) + struct.pack("<I", kind) + _value(kind, value))
    return out.getvalue()


def _value(kind: int, value: Any) -> bytes:
    if kind == STRING:
        data = value if isinstance(value, bytes) else value.encode()
        return struct.pack("<Q", len(data)) + data
    if kind == LIST:
        inner, values = value
        head = struct.pack("<IQ", inner, len(values))
        return head + b"".join(_value(inner, entry) for entry in values)
    return struct.pack({0: "<B", U32: "<I", I32: "<i", F32: "<f", BOOL: "<?"}[kind], value)


def of_tokenizer_json(text: bytes, pre: str) -> bytes:
    """The file that a converter would make of a byte-level tokenizer.json."""
    file = json.loads(text)
    vocab = {id_: (token, NORMAL) for token, id_ in file["model"]["vocab"].items()}
    for token in file["added_tokens"]:
        kind = CONTROL if token["special"] else USER_DEFINED
        vocab[token["id"]] = (token["content"], kind)
    entries = [vocab.get(id_, (f"[PAD{id_}]", UNUSED)) for id_ in range(max(vocab) + 1)]
    merges = [
        merge if isinstance(merge, str) else " ".join(merge) for merge in file["model"]["merges"]
    ]
    return written(
        [
            ("general.architecture", STRING, "llama"),
            ("llama.rope.freq_base", F32, 10000.0),
            ("general.tags", LIST, (STRING, ["a", "b"])),
            ("tokenizer.ggml.model", STRING, "gpt2"),
            ("tokenizer.ggml.pre", STRING, pre),
            ("tokenizer.ggml.tokens", LIST, (STRING, [token for token, _ in entries])),
            ("tokenizer.ggml.token_type", LIST, (I32, [kind for _, kind in entries])),
            ("tokenizer.ggml.merges", LIST, (STRING, merges)),
            ("tokenizer.ggml.add_bos_token", BOOL, False),
        ]
    )


def of_model(content: bytes) -> bytes:
    """The file that a converter would make of a SentencePiece model: Unigram or BPE."""
    model = Model.read(content)
    is_unigram = model.trainer.get(3, [1]) == [1]
    unknown = next(at for at, piece in enumerate(model.pieces) if piece.type == UNKNOWN)
    (charsmap,) = model.normalizer.get(2, [b""])
    (add_dummy_prefix,) = model.normalizer.get(3, [1])
    (remove_extra_whitespaces,) = model.normalizer.get(4, [1])
    assert isinstance(charsmap, bytes)
    return written(
        [
            ("tokenizer.ggml.model", STRING, "t5" if is_unigram else "llama"),
            ("tokenizer.ggml.tokens", LIST, (STRING, [piece.piece for piece in model.pieces])),
            ("tokenizer.ggml.scores", LIST, (F32, [piece.score for piece in model.pieces])),
            ("tokenizer.ggml.token_type", LIST, (I32, [piece.type for piece in model.pieces])),
            ("tokenizer.ggml.unknown_token_id", U32, unknown),
            ("tokenizer.ggml.add_bos_token", BOOL, False),
            ("tokenizer.ggml.add_eos_token", BOOL, False),
            ("tokenizer.ggml.add_space_prefix", BOOL, add_dummy_prefix),
            ("tokenizer.ggml.remove_extra_whitespaces", BOOL, remove_extra_whitespaces),
            ("tokenizer.ggml.precompiled_charsmap", LIST, (0, list(charsmap))),
        ]
    )


def of_rwkv(lines: Iterable[tuple[int, bytes]]) -> bytes:
    """The file that a converter would make of RWKV's vocabulary."""
    tokens = {id_: (repr(token)[2:-1], NORMAL) for id_, token in lines}
    tokens[0] = ("<s>", CONTROL)
    entries = [tokens.get(id_, (f"[PAD{id_}]", UNUSED)) for id_ in range(max(tokens) + 1)]
    return written(
        [
            ("tokenizer.ggml.model", STRING, "rwkv"),
            ("tokenizer.ggml.tokens", LIST, (STRING, [token for token, _ in entries])),
            ("tokenizer.ggml.token_type", LIST, (I32, [kind for _, kind in entries])),
        ]
    )
