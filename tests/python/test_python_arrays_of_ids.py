"""Ids that come as arrays: decoded as lists are, and refused as lists are."""

import array
from typing import Any

import numpy as np
import pytest

import fretsaw

IDS = [15496, 11, 995, 0, 50256, 220]


@pytest.mark.parametrize(
    "given",
    [
        *(np.array(IDS, dtype) for dtype in ("u4", "i8", "i4", "u8", "u2", ">u4")),
        np.array([IDS, IDS], "u4")[0],
        np.repeat(np.array(IDS, "u4"), 2)[::2],
        array.array("I", IDS),
        array.array("q", IDS),
        memoryview(np.array(IDS, "u4")),
        tuple(IDS),
    ],
    ids=lambda given: f"{type(given).__name__}-{getattr(given, 'dtype', '')}",
)
def test_arrays_decode_as_lists(given: Any) -> None:
    tok = fretsaw.get("gpt2")
    text = "Hello, world!<|endoftext|> "
    assert tok.decode(given, skip_special_tokens=False) == text
    assert tok.decode_bytes(given, skip_special_tokens=False) == text.encode()
    assert tok.decode_batch([given, given], skip_special_tokens=False) == [text, text]
    stream = tok.stream(skip_special_tokens=False)
    assert stream.push_many(given) + stream.finish() == text


@pytest.mark.parametrize(
    ("given", "as_list"),
    [
        (np.array([-1, 5], "i8"), [-1, 5]),
        (np.array([2**32, 5], "u8"), [2**32, 5]),
        (np.array([0.5]), [0.5]),
    ],
    ids=["negative", "large", "float"],
)
def test_what_a_list_may_not_hold(given: Any, as_list: list[Any]) -> None:
    tok = fretsaw.get("gpt2")
    with pytest.raises((TypeError, OverflowError)) as error:
        tok.decode(given)
    with pytest.raises((TypeError, OverflowError)) as known:
        tok.decode(as_list)
    assert error.type is known.type


def test_two_dimensions_are_too_many() -> None:
    with pytest.raises((TypeError, ValueError)):
        fretsaw.get("gpt2").decode(np.array([IDS, IDS], "u4"))


@pytest.mark.parametrize(
    "value",
    [
        *(0, 1, 255, 256, 257, 50_256, 2**15, 2**16, 2**29, 2**30 - 1, 2**30, 2**31, 2**32 - 1),
        *(2**32, -1, -5, -(2**30), -(2**31), 2**60, 2**64, True),
    ],
)
def test_ints_of_a_list_are_read_as_those_of_a_tuple(value: int) -> None:
    tok = fretsaw.get("cl100k_base")

    def told(given: Any) -> str:
        try:
            return tok.decode(given)
        except (fretsaw.DecodeError, OverflowError) as error:
            return str(error)

    known = told((9906, value, 0))
    assert told([9906, value, 0]) == known
    assert ("Hello" in known) == (0 <= value < 100_256)


def test_every_id_of_a_list() -> None:
    tok = fretsaw.get("gpt2")
    ids = list(range(50_257))
    for given in (ids, ids[::-1]):
        expected = b"".join(tok.token_bytes(id) for id in given)
        assert tok.decode_bytes(given, skip_special_tokens=False) == expected
