"""Files that are cut, changed or of something else: an ordinary error in bounded memory, or a tokenizer."""

from __future__ import annotations

import gzip
import os
import random
import struct
import subprocess
import sys
from pathlib import Path

import formats_gguf as gguf
import pytest
from formats_texts import native
from frozen import PROVE
from hypothesis import given
from hypothesis import strategies as st

import fretsaw

BYTES = [bytes([byte]) for byte in range(256)]
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "##s", "a", "b", "##c", "\u4f60"]
SAMPLES = ["", "the abc's  a\n", "\u4f60\u597d \U0001f600", "<s>[CLS]</s>", "\x00\u0301" * 9]


def byte_level_gguf() -> bytes:
    alphabet = [chr(byte) for byte in (*range(33, 127), *range(161, 173), *range(174, 256))]
    tokens = [*alphabet, *(chr(0x100 + at) for at in range(68)), "th", "the", "<s>"]
    return gguf.written(
        [
            ("general.architecture", gguf.STRING, "gpt2"),
            ("gpt2.layers", gguf.U32, 4),
            ("gpt2.names", gguf.LIST, (gguf.STRING, ["a", "b"])),
            ("gpt2.numbers", gguf.LIST, (gguf.F32, [1.0, 2.0])),
            ("tokenizer.ggml.model", gguf.STRING, "gpt2"),
            ("tokenizer.ggml.pre", gguf.STRING, "llama-bpe"),
            ("tokenizer.ggml.tokens", gguf.LIST, (gguf.STRING, tokens)),
            ("tokenizer.ggml.token_type", gguf.LIST, (gguf.I32, [1] * 258 + [3])),
            ("tokenizer.ggml.merges", gguf.LIST, (gguf.STRING, ["t h", "th e"])),
            ("tokenizer.ggml.bos_token_id", gguf.U32, 258),
            ("tokenizer.ggml.add_bos_token", gguf.BOOL, True),
            ("tokenizer.chat_template", gguf.STRING, "{{ x }}"),
        ]
    )


def pieces_gguf(model: str) -> bytes:
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "\u2581", "a"]
    return gguf.written(
        [
            ("tokenizer.ggml.model", gguf.STRING, model),
            ("tokenizer.ggml.tokens", gguf.LIST, (gguf.STRING, tokens)),
            ("tokenizer.ggml.scores", gguf.LIST, (gguf.F32, [-1.0 * at for at in range(261)])),
            ("tokenizer.ggml.token_type", gguf.LIST, (gguf.I32, [2, 3, 3] + [6] * 256 + [1, 1])),
            ("tokenizer.ggml.bos_token_id", gguf.U32, 1),
            ("tokenizer.ggml.eos_token_id", gguf.U32, 2),
            ("tokenizer.ggml.unknown_token_id", gguf.U32, 0),
        ]
    )


def words_gguf() -> bytes:
    tokens = [word if word[0] == "[" else "\u2581" + word for word in WORDS]
    return gguf.written(
        [
            ("tokenizer.ggml.model", gguf.STRING, "bert"),
            ("tokenizer.ggml.tokens", gguf.LIST, (gguf.STRING, tokens)),
            ("tokenizer.ggml.token_type", gguf.LIST, (gguf.I32, [3] * 5 + [1] * 6)),
            ("tokenizer.ggml.unknown_token_id", gguf.U32, 1),
            ("tokenizer.ggml.cls_token_id", gguf.U32, 2),
            ("tokenizer.ggml.seperator_token_id", gguf.U32, 3),
        ]
    )


def rwkv() -> bytes:
    tokens = [*BYTES, b"the", b" a", "\u4f60".encode()]
    lines = (f"{at + 1} {token!r} {len(token)}\n" for at, token in enumerate(tokens))
    return "".join(lines).encode()


def clip() -> bytes:
    return b"bpe_simple_vocab#version: 0.2\n" + b"".join(b"a b%d\n" % at for at in range(48_894))


FILES = {
    "gguf-gpt2": byte_level_gguf(),
    "gguf-llama": pieces_gguf("llama"),
    "gguf-t5": pieces_gguf("t5"),
    "gguf-bert": words_gguf(),
    "gguf-rwkv": gguf.of_rwkv([(at + 1, byte) for at, byte in enumerate(BYTES)]),
    "rwkv": rwkv(),
    "vocab.txt": "\n".join(WORDS).encode(),
    "packed": gzip.compress("\n".join(WORDS).encode()),
}

each_file = pytest.mark.parametrize("name", FILES)


def load(content: bytes) -> None:
    """Loads what may be nothing, and runs what loads."""
    try:
        tok = fretsaw.Tokenizer.from_str(content)
    except fretsaw.SpecError as error:
        assert str(error)
        return
    for text in SAMPLES:
        try:
            tok.decode(tok.encode(text).ids)
        except (fretsaw.EncodeError, fretsaw.DecodeError) as error:
            assert str(error)


@each_file
def test_the_files_themselves_load(name: str) -> None:
    tok = fretsaw.Tokenizer.from_str(FILES[name])
    for text in SAMPLES:
        tok.decode(tok.encode(text).ids)


@each_file
def test_cut_files(name: str) -> None:
    content = FILES[name]
    rng = random.Random(f"cut {name}")
    ends = range(len(content)) if PROVE else rng.sample(range(len(content)), min(len(content), 250))
    for end in ends:
        load(content[:end])


@each_file
def test_flipped_bytes(name: str) -> None:
    content = FILES[name]
    rng = random.Random(f"flipped {name}")
    # What stands in front says how the rest is read.
    places = [range(len(content)), range(min(len(content), 400))]
    for _ in range(20_000 if PROVE else 500):
        changed = bytearray(content)
        for _ in range(rng.randrange(1, 5)):
            changed[rng.choice(rng.choice(places))] = rng.choice(
                [0, 1, 8, 9, 0x7F, 0xFF, rng.randrange(256)]
            )
        load(bytes(changed))


@each_file
def test_parts_that_are_repeated_or_missing(name: str) -> None:
    content = FILES[name]
    rng = random.Random(f"parts {name}")
    for _ in range(5_000 if PROVE else 200):
        start, end = sorted(rng.randrange(len(content) + 1) for _ in range(2))
        load(content[:start] + content[end:])
        load(content[:end] + content[start:])


def test_types_of_values_are_checked() -> None:
    """Every key with a value of every type."""
    values = [
        (gguf.U32, 7),
        (gguf.BOOL, True),
        (gguf.F32, float("nan")),
        (gguf.STRING, "gpt2"),
        (gguf.LIST, (gguf.STRING, ["a", "a"])),
        (gguf.LIST, (gguf.I32, [-1, 99])),
        (gguf.LIST, (gguf.F32, [float("inf")])),
        (gguf.LIST, (0, [1, 2, 3])),
        (gguf.LIST, (gguf.BOOL, [])),
        (gguf.STRING, b"\xff\xfe"),
    ]
    keys = """model pre tokens scores token_type merges bos_token_id eos_token_id unknown_token_id
        cls_token_id seperator_token_id add_bos_token add_eos_token add_space_prefix
        remove_extra_whitespaces precompiled_charsmap normalizer.lowercase"""
    for model in ("gpt2", "llama", "t5", "bert", "rwkv"):
        sound = {
            "tokenizer.ggml.model": (gguf.STRING, model),
            "tokenizer.ggml.tokens": (gguf.LIST, (gguf.STRING, WORDS)),
            "tokenizer.ggml.merges": (gguf.LIST, (gguf.STRING, [])),
            "tokenizer.ggml.scores": (gguf.LIST, (gguf.F32, [0.0] * len(WORDS))),
        }
        for key in keys.split():
            for value in values:
                changed = {**sound, f"tokenizer.ggml.{key}": value}
                load(gguf.written((name, *typed) for name, typed in changed.items()))
        load(gguf.written([*((name, *typed) for name, typed in sound.items())] * 2))


def test_clip() -> None:
    content = clip()
    for changed in (content, content[:1000], content[:-20], content.replace(b" ", b"  ", 9)):
        with pytest.raises(fretsaw.SpecError):
            fretsaw.Tokenizer.from_str(changed)


def test_clip_that_is_changed(data_dir: Path) -> None:
    whole = native(data_dir, "clip/bpe_simple_vocab_16e6.txt")
    # Merges behind these are not read.
    content = b"".join(whole.splitlines(keepends=True)[:48_895])
    load(content)
    rng = random.Random("clip")
    for _ in range(100 if PROVE else 6):
        end = rng.randrange(len(content))
        load(content[:end])
        changed = bytearray(content)
        for _ in range(rng.randrange(1, 5)):
            changed[rng.randrange(len(content))] = rng.choice([0, 9, 10, 32, 0xFF, 0x41])
        load(bytes(changed))


@pytest.mark.parametrize(
    "content",
    [
        b"1 'a' 99999999999999999999999\n",
        b"99999999999999999999999 'a' 1\n",
        b"4294967295 'a' 1\n",
        b"-1 'a' 1\n",
        b"1 'a' -1\n",
        b"1 b'\\xff' 1\n1 b'\\xfe' 1\n",
        b"1 'a 1\n",
        b"1 '\\U00110000' 1\n",
        b"1 " + b"'" * 1_000_000,
        b"1 'a' 1\n" * 100_000,
    ],
    ids=range(10),
)
def test_numbers_that_are_no_counts(content: bytes) -> None:
    with pytest.raises(fretsaw.SpecError):
        fretsaw.Tokenizer.from_str(content)


def test_a_long_list_of_words() -> None:
    words = [*(word.encode() for word in WORDS[:5]), *(b"w%d" % at for at in range(300_000))]
    tok = fretsaw.Tokenizer.from_str(b"\n".join(words))
    assert tok.encode_ids("w299999 x", add_special_tokens=False) == [300_004, 1]
    load(b"\n" * 1_000_000)
    load(b"a" * 10_000_000)


@given(st.binary(max_size=300))
def test_bytes_of_any_kind(content: bytes) -> None:
    load(content)
    load(b"GGUF" + content)
    load(b"GGUF\x03\x00\x00\x00" + content)
    load(b"1 'a' 1\n" + content)
    load(b"\x1f\x8b\x08" + content)


CHILD = """
import resource, sys
limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
import fretsaw
try:
    fretsaw.Tokenizer.from_file(sys.argv[2])
except fretsaw.SpecError as error:
    print(error)
"""

LIMIT_BYTES = 1 << 30


def of_list(key: str, kind: int, count: int) -> bytes:
    name = struct.pack("<Q", len(key)) + key.encode()
    return b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + name + struct.pack("<IIQ", 9, kind, count)


@pytest.mark.parametrize(
    "content",
    [
        b"GGUF" + struct.pack("<IQQ", 3, 0, 2**64 - 1),
        of_list("tokenizer.ggml.tokens", 8, 1 << 30),
        of_list("tokenizer.ggml.tokens", 8, 1 << 22),
        of_list("tokenizer.ggml.scores", 6, 1 << 31),
        of_list("tokenizer.ggml.token_type", 11, 1 << 30),
        of_list("other", 8, 1 << 30),
        of_list("other", 6, 1 << 31),
        b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1 << 32),
    ],
    ids=range(8),
)
def test_a_hole_in_a_file_costs_no_memory(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(content)
    os.truncate(path, 10 << 30)
    command = [sys.executable, "-c", CHILD, str(LIMIT_BYTES), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert done.stdout.strip()


def test_what_is_packed_has_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "x.gz"
    layer = gzip.compress(bytes(1 << 24))
    path.write_bytes(layer * 17)
    with pytest.raises(fretsaw.SpecError, match="unpacked bytes"):
        fretsaw.Tokenizer.from_file(path)
    for content in (b"\x1f\x8b\x08", layer[:100], layer):
        load(content)
