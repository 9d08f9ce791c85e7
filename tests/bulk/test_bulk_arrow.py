"""`encode_arrow`: Arrow text in, lists of ids out, for whoever speaks the PyCapsule interface."""

import struct
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import daft
import dask.dataframe as dd
import datasets
import duckdb
import pandas as pd
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


def only(array: Any, name: str) -> Any:
    """An object that has one method of the interface and nothing else."""
    return type("Only", (), {name: lambda self, requested_schema=None: getattr(array, name)()})()


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
    one = only(pa.array(TEXTS), "__arrow_c_array__")
    assert pa.array(gpt2.encode_arrow(one)).to_pylist() == wanted
    stream = only(pa.chunked_array([TEXTS, ["a"]]), "__arrow_c_stream__")
    assert pa.chunked_array(gpt2.encode_arrow(stream)).to_pylist() == [*wanted, [64]]


@pytest.mark.parametrize(
    ("array", "lists"),
    [
        (pa.nulls(2), [None, None]),
        (pa.array(["a", None, "b", "a"]).dictionary_encode(), [[64], None, [65], [64]]),
        (pa.array([None], pa.dictionary(pa.int8(), pa.string())), [None]),
        (pa.array([], pa.string()), []),
        (pa.record_batch({"text": ["a", None]}), [[64], None]),
        (pa.StructArray.from_arrays([["a"] * 3], ["text"])[1:], [[64], [64]]),
        (pa.array([{"text": "a"}, None, {"text": None}]), [[64], None, None]),
    ],
    ids=["nulls", "dictionary", "empty-dictionary", "empty", "batch", "slice", "struct"],
)
def test_other_kinds(array: Any, lists: list[list[int] | None], gpt2: fretsaw.Tokenizer):
    found = gpt2.encode_arrow(array)
    assert (len(found), pa.array(found).to_pylist()) == (len(lists), lists)


def test_a_stream_without_arrays_has_a_type_all_the_same(gpt2: fretsaw.Tokenizer):
    found = pa.chunked_array(gpt2.encode_arrow(pa.chunked_array([], pa.string())))
    assert (found.type, len(found)) == (pa.list_(pa.uint32()), 0)
    with pytest.raises(TypeError, match="not Int64"):
        gpt2.encode_arrow(pa.chunked_array([], pa.int64()))


def test_what_comes_back_can_be_taken_more_than_once(gpt2: fretsaw.Tokenizer):
    stream = gpt2.encode_arrow(pa.chunked_array([["a"], ["b"]]))
    assert len(stream) == 2
    for _ in range(2):
        assert pa.chunked_array(stream).to_pylist() == [[64], [65]]
    lists = gpt2.encode_arrow(pa.array(["a"]))
    taken = [pa.array(lists) for _ in range(2)]
    del lists, stream
    assert [array.to_pylist() for array in taken] == [[[64]], [[64]]]


def test_no_package_for_arrow_is_needed():
    program = """
import sys
sys.modules["pyarrow"] = None
import fretsaw, polars as pl
tok = fretsaw.get("gpt2")
frame = pl.DataFrame({"text": ["Hello world", None, ""]})
lists = pl.Series(tok.encode_arrow(frame["text"]))
assert (lists.dtype, lists.to_list()) == (pl.List(pl.UInt32), [[15496, 995], None, []])
assert pl.Series(tok.encode_arrow(frame)).to_list() == lists.to_list()
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")


def test_a_stream_that_fails_is_an_error(gpt2: fretsaw.Tokenizer):
    def batches() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"text": ["a"]})
        raise OSError("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(pa.schema({"text": pa.string()}), batches())
    with pytest.raises(ValueError, match="the disk is gone"):
        gpt2.encode_arrow(reader)


def test_what_was_taken_is_an_error(gpt2: fretsaw.Tokenizer):
    for source in (pa.array(["a"]), pa.chunked_array([["a"]])):
        name = "__arrow_c_array__" if isinstance(source, pa.Array) else "__arrow_c_stream__"
        capsules = getattr(source, name)()
        again = type("Again", (), {name: lambda self, capsules=capsules: capsules})()
        assert len(gpt2.encode_arrow(again)) == 1
        with pytest.raises(ValueError, match="taken before"):
            gpt2.encode_arrow(again)


def test_capsules_that_are_none(gpt2: fretsaw.Tokenizer):
    schema, array = pa.array(["a"]).__arrow_c_array__()
    for given in ((array, schema), (1, 2), None, (schema,)):
        wrong = type("Wrong", (), {"__arrow_c_array__": lambda self, given=given: given})()
        with pytest.raises((TypeError, ValueError)):
            gpt2.encode_arrow(wrong)
    wrong = type("Wrong", (), {"__arrow_c_stream__": lambda self: array})()
    with pytest.raises(ValueError, match="PyCapsule"):
        gpt2.encode_arrow(wrong)


def test_offsets_that_do_not_fit_are_an_error(gpt2: fretsaw.Tokenizer):
    for offsets in ([0, 5, 3], [0, -2, 3], [0, 2, 1]):
        places = pa.py_buffer(struct.pack("3i", *offsets))
        damaged = pa.StringArray.from_buffers(2, places, pa.py_buffer(b"abc"))
        with pytest.raises(ValueError, match="don't fit"):
            gpt2.encode_arrow(damaged)


def test_special_tokens(gpt2: fretsaw.Tokenizer):
    array = pa.array(["<|endoftext|>"])
    assert pa.array(gpt2.encode_arrow(array, special="all")).to_pylist() == [[50256]]
    assert len(pa.array(gpt2.encode_arrow(array, special="none"))[0]) == 7
    with pytest.raises(EncodeError, match=r"text at index 2: .*special token"):
        gpt2.encode_arrow(pa.chunked_array([["a", None], array]), special="error")


def test_what_is_no_text(gpt2: fretsaw.Tokenizer):
    with pytest.raises(TypeError, match="string or binary, not Int64"):
        gpt2.encode_arrow(pa.array([1]))
    with pytest.raises(EncodeError, match="text at index 1: not UTF-8 at byte 2"):
        gpt2.encode_arrow(pa.array([b"a", b"ab\xff"]))
    with pytest.raises(TypeError, match="string or binary, not Struct"):
        gpt2.encode_arrow(pa.table({"a": ["a"], "b": ["b"]}))
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


def test_duckdb(gpt2: fretsaw.Tokenizer, wanted: list[list[int] | None]):
    relation = duckdb.from_arrow(pa.table({"text": TEXTS}))
    lists = pa.chunked_array(gpt2.encode_arrow(relation))
    found = duckdb.from_arrow(pa.table({"tokens": lists})).fetchall()
    assert [tokens for (tokens,) in found] == wanted


def test_daft(gpt2: fretsaw.Tokenizer, wanted: list[list[int] | None]):
    @daft.func.batch(return_dtype=daft.DataType.list(daft.DataType.uint32()))
    def tokens(text: daft.Series) -> pa.Array:
        return pa.array(gpt2.encode_arrow(text, threads=1))

    frame = daft.from_pydict({"text": TEXTS}).with_column("tokens", tokens(daft.col("text")))
    assert frame.to_pydict()["tokens"] == wanted


def test_dask(gpt2: fretsaw.Tokenizer, wanted: list[list[int] | None]):
    lists = pd.ArrowDtype(pa.list_(pa.uint32()))

    def tokens(text: pd.Series) -> pd.Series:
        found = pa.chunked_array(gpt2.encode_arrow(text, threads=1))
        return pd.Series(pd.arrays.ArrowExtensionArray(found), text.index)

    text = pd.Series(TEXTS, dtype=pd.ArrowDtype(pa.string()))
    frame = dd.from_pandas(pd.DataFrame({"text": text}), npartitions=3)
    found = frame["text"].map_partitions(tokens, meta=pd.Series([], dtype=lists)).compute()
    assert pa.array(found).to_pylist() == wanted


def test_what_spark_calls(gpt2: fretsaw.Tokenizer, wanted: list[list[int] | None]):
    """`mapInArrow` hands over an iterator of record batches and takes one, of the types it was told."""

    def tokens(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            lists = pa.array(gpt2.encode_arrow(batch.column("text"), threads=1))
            yield pa.record_batch({"tokens": lists.cast(pa.list_(pa.int32()))})

    batches = pa.table({"text": TEXTS}).to_batches(max_chunksize=100)
    found = pa.Table.from_batches(tokens(iter(batches)))
    assert found.schema.field("tokens").type == pa.list_(pa.int32())
    assert found["tokens"].to_pylist() == wanted
