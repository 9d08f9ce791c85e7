"""Compiled files: a loaded one is the tokenizer it was made of, and nothing else is ever loaded.

Every output is compared, of files of each kind, of random pipelines and of all of the data folder.
Then what must be refused: damaged, cut, foreign and future files. `test_python_sidecars.py` has the
compiled files that are kept without being asked for by name.
"""

from __future__ import annotations

import copy
import gzip
import json
import pickle
import random
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from frozen import golden_strings, sampled
from random_pipelines import make_case
from small_tokenizers import MERGES, Added, tokenizer_json

import fretsaw
from fretsaw import spec

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from oracle.tables import ALL_NAMES

SEED = 58
ADVICE = "compile the tokenizer again"
PIPELINES = 250
PATTERN = r"\S+|\s+"
RANKS = b"YQ== 0\nYg== 1\nIA== 2\nYWI= 3\nYyA= 5\nYw== 4\n"

ADDED = (
    Added("<s>", special=True),
    Added("<m>", lstrip=True, rstrip=True, special=True),
    Added("{u}", single_word=True),
    Added("(N)", normalized=True),
)
TEXTS = [
    "",
    "ab abc  abc",
    "<s>",
    "a <m>  {u} (n)(N)é",
    "it's 1212 é\n\n",
    "\x00\ufeffab 中🙂",
    "a b c",
]


def outcome(call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """The result, or type and message of the error."""
    try:
        return call(*arguments, **options)
    except Exception as error:
        return type(error), str(error)


def compiled(tok: fretsaw.Tokenizer, path: Path, **options: Any) -> fretsaw.Tokenizer:
    """A tokenizer by way of a compiled file."""
    tok.compile(path)
    return fretsaw.Tokenizer.from_file(path, **options)


def added_strings(tok: fretsaw.Tokenizer) -> list[str]:
    return [token.content for token in tok.get_added_tokens_decoder().values()]


def facts(tok: fretsaw.Tokenizer) -> dict[str, Any]:
    """What can be asked of a tokenizer without a text."""
    found: dict[str, Any] = {
        "get_vocab": tok.get_vocab(),
        "get_vocab(False)": tok.get_vocab(False),
        "sizes": (tok.get_vocab_size(), tok.get_vocab_size(False)),
        "get_added_tokens_decoder": tok.get_added_tokens_decoder(),
        "fingerprint": tok.fingerprint,
        "truncation": tok.truncation,
        "padding": tok.padding,
        "to_str": outcome(tok.to_str),
    }
    ids = [*range(300), *list(found["get_vocab"].values())[::97], *range(2**32 - 1, 2**32 + 2)]
    highest = max(found["get_vocab"].values(), default=0)
    ids += range(max(0, highest - 40), highest + 3)
    found["id_to_token"] = [outcome(tok.id_to_token, id_) for id_ in ids]
    found["token_bytes"] = [outcome(tok.token_bytes, id_) for id_ in ids]
    tokens = [*list(found["get_vocab"])[::97], "no such token", ""]
    found["token_to_id"] = [tok.token_to_id(token) for token in tokens]
    return found


def components(tok: fretsaw.Tokenizer) -> tuple[Any, ...]:
    """The five components, as objects of `fretsaw.spec`."""
    return tok.normalizer, tok.pre_tokenizer, tok.model, tok.post_processor, tok.decoder


def encoded(tok: fretsaw.Tokenizer, text: str, **options: Any) -> Any:
    encoding = outcome(tok.encode, text, **options)
    return encoding if isinstance(encoding, tuple) else (encoding.ids, encoding.tokens)


def streamed(tok: fretsaw.Tokenizer, ids: list[int], skip: bool | None) -> list[str]:
    stream = tok.stream(skip_special_tokens=skip)
    return [*(stream.push(id_) for id_ in ids), stream.finish()]


def of_text(tok: fretsaw.Tokenizer, text: str) -> Iterator[Any]:
    """What a tokenizer makes of a text, by every way to encode."""
    yield encoded(tok, text)
    yield encoded(tok, text, add_special_tokens=False)
    for special in ("none", "all", "error", set(added_strings(tok)[::2])):
        yield encoded(tok, text, special=special)
    middle = len(text) // 2
    for trusted in ([], [(0, middle)], [(middle // 2, len(text))]):
        yield encoded(tok, text, trusted=trusted)
    yield outcome(tok.count, text)
    yield outcome(tok.normalize, text)
    yield outcome(tok.pre_tokenize, text)


def of_ids(tok: fretsaw.Tokenizer, ids: list[int]) -> Iterator[Any]:
    """What a tokenizer makes of ids, by every way to decode."""
    for skip in (True, False, None):
        yield outcome(tok.decode, ids, skip_special_tokens=skip)
        yield outcome(tok.decode_bytes, ids, skip_special_tokens=skip)
        yield outcome(streamed, tok, ids, skip)


def of_batch(tok: fretsaw.Tokenizer, texts: list[str]) -> Iterator[Any]:
    """What a tokenizer makes of many texts at once."""
    flat = outcome(tok.encode_batch_flat, texts)
    yield flat if isinstance(flat[0], type) else [array.tolist() for array in flat]
    batch = outcome(tok.encode_batch, texts, special="all")
    yield batch if isinstance(batch, tuple) else [(row.ids, row.tokens) for row in batch]
    yield outcome(tok.encode_batch_ids, texts)
    yield outcome(tok.count_batch, texts)


def assert_same_outputs(one: fretsaw.Tokenizer, other: fretsaw.Tokenizer, texts: list[str]) -> None:
    for text in texts:
        assert list(of_text(one, text)) == list(of_text(other, text)), repr(text)
        found = outcome(one.encode_ids, text, special="all")
        if isinstance(found, list):
            assert list(of_ids(one, found)) == list(of_ids(other, found)), repr(text)
    assert list(of_batch(one, texts)) == list(of_batch(other, texts))


def assert_same(one: fretsaw.Tokenizer, other: fretsaw.Tokenizer, texts: list[str]) -> None:
    for name, fact in facts(one).items():
        assert fact == facts(other)[name], name
    assert_same_outputs(one, other, texts)


def made(model: dict[str, Any], **fields: Any) -> str:
    """A tokenizer.json around a model."""
    return json.dumps({"version": "1.0", "added_tokens": [], "model": model, **fields})


TOKENS = ["<unk>", "a", "b", "c", "▁", "▁a", "ab", "##b", "##c", "é", "abc"]
TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [
        {"SpecialToken": {"id": "<unk>", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
    ],
    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {"<unk>": {"id": "<unk>", "ids": [0], "tokens": ["<unk>"]}},
}
UNKNOWN = {"id": 0, "content": "<unk>", "special": True, "normalized": False} | dict.fromkeys(
    ["single_word", "lstrip", "rstrip"], False
)
VOCAB = {token: place for place, token in enumerate(TOKENS)}
BYTES = {f"<0x{byte:02X}>": 20 + byte for byte in range(256)}
METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
UNIGRAM = {"type": "Unigram", "unk_id": 0, "vocab": [[token, -len(token)] for token in TOKENS]}

# The content of a file of each kind; ranks of a .tiktoken file as bytes.
KINDS: dict[str, str | bytes] = {
    "byte-level BPE": tokenizer_json(ADDED),
    "byte-level BPE, ignore_merges": tokenizer_json(ADDED, ignore_merges=True),
    "rules that come twice": tokenizer_json(merges=(*MERGES, MERGES[0], ("a", "bc"), ("a", "bc"))),
    "no rules": tokenizer_json(merges=()),
    "BPE of characters with bytes": made(
        {
            "type": "BPE", "dropout": None, "unk_token": "<unk>", "fuse_unk": True,
            "continuing_subword_prefix": None, "end_of_word_suffix": None,
            "byte_fallback": True, "vocab": VOCAB | BYTES, "merges": ["▁ a", "a b", "ab c"],
        },
        added_tokens=[UNKNOWN],
        normalizer={"type": "Sequence", "normalizers": [
            {"type": "Prepend", "prepend": "▁"},
            {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        ]},
        post_processor=TEMPLATE,
        decoder={"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
            {"type": "ByteFallback"}, {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0},
        ]},
    ),
    "BPE with prefix and suffix": made(
        {
            "type": "BPE", "unk_token": "<unk>", "continuing_subword_prefix": "##",
            "end_of_word_suffix": None, "vocab": VOCAB, "merges": ["a ##b"],
        },
        pre_tokenizer={"type": "Whitespace"},
    ),
    "WordPiece": made(
        {
            "type": "WordPiece", "unk_token": "<unk>", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 20, "vocab": VOCAB,
        },
        added_tokens=[UNKNOWN],
        normalizer={"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                    "strip_accents": None, "lowercase": True},
        pre_tokenizer={"type": "BertPreTokenizer"},
        post_processor=TEMPLATE,
        decoder={"type": "WordPiece", "prefix": "##", "cleanup": True},
    ),
    "Unigram": made(
        UNIGRAM | {"byte_fallback": False},
        added_tokens=[UNKNOWN], pre_tokenizer=METASPACE, decoder=METASPACE,
    ),
    "Unigram, an entry twice": made(UNIGRAM | {"vocab": [*UNIGRAM["vocab"], ["ab", -0.5]]}),
    "Unigram with bytes": made(
        UNIGRAM | {"byte_fallback": True,
                   "vocab": [*UNIGRAM["vocab"], *([token, -9.5] for token in BYTES)]},
        pre_tokenizer=METASPACE,
    ),
    "WordLevel, ids with gaps": made(
        {"type": "WordLevel", "unk_token": "?", "vocab": {"ab": 900, "?": 7, "abc": 3, "c": 65_540}},
        pre_tokenizer={"type": "WhitespaceSplit"},
    ),
    "an expression": tokenizer_json(ADDED, pre_tokenizer={
        "type": "Sequence",
        "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": r"\d{1,3}(?=(?:\d{3})*\b)|\p{L}+"},
             "behavior": "Isolated", "invert": False},
            {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True,
             "use_regex": False},
        ],
    }),
    "truncation and padding": tokenizer_json(
        ADDED,
        truncation={"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0},
        padding={"strategy": {"Fixed": 6}, "direction": "Left", "pad_to_multiple_of": None,
                 "pad_id": 3, "pad_type_id": 0, "pad_token": "<p>"},
    ),
    "tekken.json": json.dumps({
        "config": {
            "pattern": PATTERN, "num_vocab_tokens": 257, "default_vocab_size": 260,
            "default_num_special_tokens": 3, "version": "v3",
        },
        "vocab": [
            {"rank": byte, "token_bytes": __import__("base64").b64encode(bytes([byte])).decode(),
             "token_str": None}
            for byte in range(256)
        ] + [{"rank": 256, "token_bytes": "YWI=", "token_str": "ab"}],
    }),
    "ranks": RANKS,
}  # fmt: skip


def load(content: str | bytes, folder: Path) -> fretsaw.Tokenizer:
    """The tokenizer of a content of `KINDS`."""
    if isinstance(content, str) and '"token_bytes"' not in content:
        return fretsaw.Tokenizer.from_str(content)
    data = content if isinstance(content, bytes) else content.encode()
    path = folder / ("x.tiktoken" if isinstance(content, bytes) else "tekken.json")
    path.write_bytes(data)
    if isinstance(content, str):
        return fretsaw.Tokenizer.from_file(path)
    return fretsaw.Tokenizer.from_file(path, pattern=PATTERN, special_tokens={"<s>": 6, "<e>": 9})
