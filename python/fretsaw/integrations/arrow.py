"""What pyarrow does: arrays of text for `encode_arrow`."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from fretsaw import EncodeError, Tokenizer

__all__ = ["encoded"]


def encoded(
    tok: Tokenizer, array: Any, add_special_tokens: bool, special: Any, threads: int
) -> Any:
    """What `Tokenizer.encode_arrow` gives for an array, a stream of arrays, or what speaks for one.

    Raises `ModuleNotFoundError` without pyarrow, `TypeError` for what is no text, `EncodeError`.
    """
    import pyarrow as pa  # type: ignore[import-untyped]

    policy = (add_special_tokens, special, threads)
    if hasattr(array, "__arrow_c_array__"):
        return _lists(pa, tok, pa.array(array), policy, 0)
    if not hasattr(array, "__arrow_c_stream__"):
        kind = type(array).__name__
        raise TypeError(f"an Arrow array has the PyCapsule interface, which {kind} lacks")
    chunks = pa.chunked_array(array).chunks
    starts = accumulate(map(len, chunks), initial=0)
    lists = [_lists(pa, tok, chunk, policy, at) for chunk, at in zip(chunks, starts, strict=False)]
    return pa.chunked_array(lists, pa.list_(pa.uint32()))


def _lists(pa: Any, tok: Tokenizer, array: Any, policy: tuple[Any, ...], before: int) -> Any:
    """The lists of an array; nulls, and what may lie under them, have no ids."""
    import numpy as np

    nulls = array.is_null().to_numpy(zero_copy_only=False)
    texts = _large_binary(pa, array).drop_null()
    offsets = np.frombuffer(texts.buffers()[1], np.int64)
    offsets = offsets[texts.offset : texts.offset + len(texts) + 1]
    data = texts.buffers()[2]
    whole = np.frombuffer(data, np.uint8) if data else np.empty(0, np.uint8)
    try:
        ids, row_offsets = tok._encode_rows(whole, offsets, *policy)
    except EncodeError as error:
        raise EncodeError(_placed(str(error), np.flatnonzero(~nulls), before)) from None
    if len(ids) > np.iinfo(np.int32).max:
        raise EncodeError(f"an Arrow list array can't have {len(ids)} ids; give it in chunks")
    # A null begins where the next text does.
    texts_before = np.concatenate([[0], np.cumsum(~nulls)])
    places = pa.array(row_offsets[texts_before].astype(np.int32))
    mask = pa.array(nulls) if nulls.any() else None
    return pa.ListArray.from_arrays(places, pa.array(ids), mask=mask)


def _large_binary(pa: Any, array: Any) -> Any:
    """Text in whatever kind of array, as bytes with wide offsets."""
    kind, types = array.type, pa.types
    if types.is_dictionary(kind):
        return _large_binary(pa, array.dictionary_decode())
    if types.is_null(kind):
        return pa.nulls(len(array), pa.large_binary())
    if types.is_string(kind) or types.is_string_view(kind):
        array = array.cast(pa.large_string())
    elif not (
        types.is_large_string(kind)
        or types.is_binary(kind)
        or types.is_large_binary(kind)
        or types.is_binary_view(kind)
    ):
        raise TypeError(f"an Arrow array of text is string or binary, not {kind}; cast it")
    return array.cast(pa.large_binary())


def _placed(message: str, rows: Any, before: int) -> str:
    """A message about a text by its place among all rows, nulls and earlier arrays counted."""
    head, _, rest = message.removeprefix("text at index ").partition(":")
    return f"text at index {before + int(rows[int(head)])}:{rest}"
