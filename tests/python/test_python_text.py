"""What may be text: str, and nothing else; NUL and every scalar value, but no lone surrogate."""

from __future__ import annotations

import re

import pytest

import fretsaw

WRONG = [None, b"ab", 5, 1.5, ["ab"], ("a",), bytearray(b"ab"), {"a": 1}, object()]


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: type(wrong).__name__)
def test_what_is_no_text_is_a_type_error(gpt2: fretsaw.Tokenizer, wrong: object) -> None:
    for call in (gpt2.encode, gpt2.encode_ids, gpt2.count):
        with pytest.raises(TypeError, match=type(wrong).__name__):
            call(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: type(wrong).__name__)
def test_in_a_batch_with_its_index(gpt2: fretsaw.Tokenizer, wrong: object) -> None:
    batch = ["a", "b", wrong, "c", None]
    for call in (
        gpt2.encode_batch,
        gpt2.encode_batch_flat,
        gpt2.encode_batch_ids,
        gpt2.count_batch,
    ):
        with pytest.raises(TypeError, match=r"\b2\b"):
            call(batch)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", ["one text", None, 5, b"bytes"])
def test_what_is_no_batch(gpt2: fretsaw.Tokenizer, wrong: object) -> None:
    for call in (
        gpt2.encode_batch,
        gpt2.encode_batch_flat,
        gpt2.encode_batch_ids,
        gpt2.count_batch,
    ):
        with pytest.raises(TypeError):
            call(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("\ud800", 0), ("a\udfff", 1), ("\ud83d\ude00", 0), ("é🙂\udc80b", 2),
        ("a" * 5_000 + "\ud800", 5_000),
    ],
)  # fmt: skip
def test_a_lone_surrogate_is_an_encode_error(gpt2: fretsaw.Tokenizer, text: str, at: int) -> None:
    for call in (gpt2.encode, gpt2.encode_ids, gpt2.count):
        with pytest.raises(fretsaw.EncodeError, match=rf"\b{at}\b"):
            call(text)
    for batch_call in (gpt2.encode_batch, gpt2.encode_batch_flat):
        with pytest.raises(fretsaw.EncodeError, match=r"\b1\b"):
            batch_call(["fine", text])
    assert issubclass(fretsaw.EncodeError, ValueError)


def test_other_strings_are_not_text_of_a_token(gpt2: fretsaw.Tokenizer) -> None:
    for wrong in (None, 5, b"a"):
        with pytest.raises(TypeError):
            gpt2.token_to_id(wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            gpt2.id_to_token(str(wrong))  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["\x00", "a\x00b", "\x00" * 100, "\x00a\x00", " \x00 ", "é\x00"])
def test_nul_is_a_character(gpt2: fretsaw.Tokenizer, text: str) -> None:
    ids = gpt2.encode_ids(text)
    assert gpt2.decode(ids) == text
    assert gpt2.count(text) == len(ids)
    assert gpt2.encode_batch([text, ""])[0].ids == ids


def test_a_subclass_of_str_is_text(gpt2: fretsaw.Tokenizer) -> None:
    class Text(str):
        pass

    assert gpt2.encode_ids(Text("Hello world")) == [15496, 995]
    assert gpt2.encode_batch([Text("Hello world")])[0].tokens == ["Hello", "Ġworld"]


def test_sequences_of_every_kind(gpt2: fretsaw.Tokenizer) -> None:
    for batch in (["Hello", " world"], ("Hello", " world")):
        assert [encoding.ids for encoding in gpt2.encode_batch(batch)] == [[15496], [995]]
        assert gpt2.encode_batch_flat(batch)[0].tolist() == [15496, 995]
    assert gpt2.encode_batch([]) == []
    ids, row_offsets = gpt2.encode_batch_flat([])
    assert (ids.tolist(), row_offsets.tolist()) == ([], [0])
    assert gpt2.decode_batch([]) == []
    assert gpt2.decode([]) == ""
    assert (gpt2.encode("").ids, gpt2.encode("").tokens) == ([], [])


def test_built_in_names() -> None:
    assert {"byte", "gpt2"} <= set(fretsaw.names())
    with pytest.raises(fretsaw.FretsawError) as caught:
        fretsaw.get("gtp2")
    message = str(caught.value)
    assert all(re.search(rf"\b{name}\b", message) for name in fretsaw.names())
    assert "gpt2" in message.split("Known")[0].replace("gtp2", "")
    with pytest.raises(fretsaw.FretsawError):
        fretsaw.get("")


def test_the_byte_tokenizer() -> None:
    tok = fretsaw.get("byte")
    assert tok.get_vocab_size() == 256
    for text in ("", "a", "é中🙂\x00 \n", "<|endoftext|>", "x" * 10_000):
        assert tok.encode_ids(text) == list(text.encode())
        assert tok.decode(tok.encode_ids(text)) == text
    assert [tok.token_bytes(byte) for byte in range(256)] == [bytes([byte]) for byte in range(256)]
    assert tok.decode_bytes(range(256)) == bytes(range(256))


def test_encodings_compare_and_show_themselves(gpt2: fretsaw.Tokenizer) -> None:
    one, same, other = gpt2.encode("Hello"), gpt2.encode("Hello"), gpt2.encode("World")
    assert one == same
    assert one != other
    assert one != [15496]
    assert "1" in repr(one)
    first = one.ids
    first.append(5)
    assert one.ids == [15496]
