"""`encode_arrow`: Arrow text in, lists of ids out, for whoever speaks the PyCapsule interface."""

from typing import Any

import datasets
import polars as pl
import pyarrow as pa
import pytest
from bulk_corpora import sentences

import fretsaw
from fretsaw import EncodeError

TEXTS: list[str | None] = [*sentences(500), None, "", None, "ü世界", "<|endoftext|>"]
KINDS = [pa.string(), pa.large_string(), pa.string_view()]
KINDS += [pa.binary(), pa.large_binary(), pa.binary_view()]


@pytest.fixture
def wanted(gpt2: fretsaw.Tokenizer) -> list[list[int] | None]:
    return [None if text is None else gpt2.encode_ids(text) for text in TEXTS]


class Only:
    """An object that has one method of the interface and nothing else."""

    def __init__(self, array: Any, name: str) -> None:
        setattr(Only, name, lambda self, requested_schema=None: getattr(array, name)())


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_kind_of_text(kind: Any, gpt2: fretsaw.Tokenizer, wanted: list[list[int] | None]):
    encoded = [None if text is None else text.encode() for text in TEXTS]
    array = pa.array(encoded, pa.binary()).cast(pa.string() if "string" in str(kind) else kind)
    array = array.cast(kind)
    lists = pa.array(gpt2.encode_arrow(array))
    assert lists.type == pa.list_(pa.uint32())
    assert lists.to_pylist() == wanted
    assert pa.array(gpt2.encode_arrow(array, threads=2)).equals(lists)
    for start, length in ((1, 3), (499, 7), (505, 0)):
        part = pa.array(gpt2.encode_arrow(array.slice(start, length)))
        assert part.to_pylist() == wanted[start : start + length]
    chunks = pa.chunked_array([array.slice(0, 100), array.slice(100, 0), array.slice(100)])
    found = pa.chunked_array(gpt2.encode_arrow(chunks))
    assert (found.to_pylist(), found.num_chunks) == (wanted, 3)


def test_the_interface_is_all_it_takes(gpt2: fretsaw.Tokenizer, wanted: list[list[int] | None]):
    one = Only(pa.array(TEXTS), "__arrow_c_array__")
    assert pa.array(gpt2.encode_arrow(one)).to_pylist() == wanted
    assert gpt2.encode_arrow(pa.nulls(2)).to_pylist() == [None, None]
    words = pa.array(["a", None, "b", "a"]).dictionary_encode()
    assert gpt2.encode_arrow(words).to_pylist() == [[64], None, [65], [64]]
    assert pa.array(gpt2.encode_arrow(pa.array([], pa.string()))).to_pylist() == []


def test_special_tokens(gpt2: fretsaw.Tokenizer):
    array = pa.array(["<|endoftext|>"])
    assert pa.array(gpt2.encode_arrow(array, special="all")).to_pylist() == [[50256]]
    assert len(pa.array(gpt2.encode_arrow(array, special="none"))[0]) == 7
    with pytest.raises(EncodeError, match=r"text at index 2: .*special token"):
        gpt2.encode_arrow(pa.chunked_array([["a", None], array]), special="error")


def test_what_is_no_text(gpt2: fretsaw.Tokenizer):
    with pytest.raises(TypeError, match="string or binary, not int64"):
        gpt2.encode_arrow(pa.array([1]))
    with pytest.raises(EncodeError, match="text at index 1: not UTF-8 at byte 2"):
        gpt2.encode_arrow(pa.array([b"a", b"ab\xff"]))
    with pytest.raises(TypeError, match="which list lacks"):
        gpt2.encode_arrow(["a"])


def test_polars(gpt2: fretsaw.Tokenizer, wanted: list[list[int] | None]):
    frame = pl.DataFrame({"text": TEXTS})
    series = pl.Series(gpt2.encode_arrow(frame["text"]))
    assert series.dtype == pl.List(pl.UInt32)
    assert series.to_list() == wanted
    both = pl.concat([frame, frame], rechunk=False)
    assert pl.Series(gpt2.encode_arrow(both["text"])).to_list() == wanted * 2


def test_datasets(gpt2: fretsaw.Tokenizer, wanted: list[list[int] | None]):
    def tokens(table: pa.Table) -> pa.Table:
        return table.append_column("tokens", pa.chunked_array(gpt2.encode_arrow(table["text"])))

    data = datasets.Dataset.from_dict({"text": TEXTS}).with_format("arrow")
    found = data.map(tokens, batched=True, batch_size=100).with_format(None)
    assert found["tokens"][:] == wanted
