"""Limits that docs/limits.md names: at the limit it works, and beyond it an error says so."""

import struct

import pytest

import fretsaw


def field(number: int, content: bytes) -> bytes:
    """A field of a protobuf message that has a length."""
    size, length = len(content), b""
    while size > 127:
        length += bytes([size & 127 | 128])
        size >>= 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + content


def model_with(piece: str) -> bytes:
    """A SentencePiece model of the unknown piece and this one."""
    unknown = field(1, b"<unk>") + b"\x18\x02"
    normal = field(1, piece.encode()) + b"\x15" + struct.pack("<f", -1.0)
    return field(1, unknown) + field(1, normal)


def test_a_piece_of_sentencepiece_is_shorter_than_8000_bytes() -> None:
    tok = fretsaw.Tokenizer.from_str(model_with("a" * 7_999))
    assert tok.get_vocab_size() == 2
    with pytest.raises(fretsaw.SpecError, match="shorter than 8000 bytes"):
        fretsaw.Tokenizer.from_str(model_with("a" * 8_000))


def test_more_threads_than_there_may_be_are_taken_for_those() -> None:
    tok = fretsaw.get("gpt2")
    texts = ["Hello world"] * 50
    few = [encoding.ids for encoding in tok.encode_batch(texts, threads=1)]
    many = [encoding.ids for encoding in tok.encode_batch(texts, threads=1 << 40)]
    assert few == many == [[15496, 995]] * 50


def test_ids_stop_below_two_to_the_24th() -> None:
    model = '{"model": {"type": "WordLevel", "unk_token": "a", "vocab": {"a": %d}}}'
    tok = fretsaw.Tokenizer.from_str(model % (2**24 - 2))
    assert tok.encode_ids("a") == [2**24 - 2]
    with pytest.raises(fretsaw.SpecError, match=r"above the limit|16777215"):
        fretsaw.Tokenizer.from_str(model % (2**24 - 1))
