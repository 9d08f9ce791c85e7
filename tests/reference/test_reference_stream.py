"""UTF-8 with replacement, and streams: never half a character, and in the end the same text."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from fretsaw.reference import AddedToken, StreamDecoder, Tokenizer
from fretsaw.reference.byte_map import BYTE_TO_CHAR
from fretsaw.reference.utf8 import decode_prefix, decode_with_replacement

EDGE_BYTES = [
    0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xDF,
    0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
]  # fmt: skip

BYTE_VOCAB = {char: byte for byte, char in BYTE_TO_CHAR.items()}


def byte_tokenizer() -> Tokenizer:
    """The id of a byte is its value; 256 is two bytes, 257 a special token."""
    vocab = {**BYTE_VOCAB, BYTE_TO_CHAR[0xF0] + BYTE_TO_CHAR[0x9F]: 256}
    return Tokenizer(vocab, [], [AddedToken("<end>", special=True)])


def test_decoding_equals_python_on_all_edge_sequences() -> None:
    for length in range(5):
        for sequence in itertools.product(EDGE_BYTES, repeat=length):
            data = bytes(sequence)
            if length == 4 and data[0] < 0xE0:
                continue  # the first character is decided by then; the rest was a shorter case
            assert decode_with_replacement(data) == data.decode("utf-8", "replace"), data


@given(st.binary(max_size=40), st.binary(max_size=8))
@settings(derandomize=True, deadline=None, max_examples=200)
def test_what_is_decided_stays_decided(data: bytes, more: bytes) -> None:
    text, used = decode_prefix(data)
    assert len(data) - used <= 3
    assert (data + more).decode("utf-8", "replace").startswith(text)
    assert data[:used].decode("utf-8", "replace") == text


def test_characters_and_wrong_bytes_byte_by_byte() -> None:
    stream = StreamDecoder(byte_tokenizer())
    chunks = [stream.push(byte) for byte in b"\xc3\xa9\xff\xe2\x82"]
    assert chunks == ["", "é", "\ufffd", "", ""]
    assert stream.pending == b"\xe2\x82"
    assert stream.finish() == "\ufffd"
    assert stream.pending == b""


def test_a_wrong_byte_is_given_out_as_soon_as_nothing_can_complete_it() -> None:
    stream = StreamDecoder(byte_tokenizer())
    assert [stream.push(byte) for byte in b"\xe0\x80\xed\xa0"] == [
        "",
        "\ufffd\ufffd",
        "",
        "\ufffd\ufffd",
    ]
    assert [stream.push(byte) for byte in b"\xf0\x9fA"] == ["", "", "\ufffdA"]


def test_special_and_unknown_ids_keep_the_pending_bytes() -> None:
    stream = StreamDecoder(byte_tokenizer())
    assert [stream.push(token_id) for token_id in (256, 257, 99999, 0x98, 0x80)] == [
        "",
        "",
        "",
        "",
        "😀",
    ]
    stream = StreamDecoder(byte_tokenizer(), skip_special_tokens=False)
    assert [stream.push(token_id) for token_id in (256, 257)] == ["", "\ufffd<end>"]


@given(
    st.lists(st.one_of(st.sampled_from(EDGE_BYTES), st.integers(0, 300)), max_size=40),
    st.booleans(),
)
@settings(derandomize=True, deadline=None, max_examples=300)
def test_chunks_and_finish_are_decode(ids: list[int], skip: bool) -> None:
    tokenizer = byte_tokenizer()
    stream = StreamDecoder(tokenizer, skip)
    chunks = []
    for token_id in ids:
        chunks.append(stream.push(token_id))
        assert len(stream.pending) <= 3
    assert "".join([*chunks, stream.finish()]) == tokenizer.decode(ids, skip)
