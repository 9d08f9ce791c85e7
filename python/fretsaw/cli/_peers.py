"""Other tokenizer libraries, each as a few calls that start from the content of a tokenizer.json.

Nothing here is needed to use fretsaw: a library is imported when it is asked for, and one that is not
installed, or that can't read a file, is reported as left out. Special tokens are never added; those that
stand in the text are found wherever a library lets one choose. Each call is the fastest that a library
documents for its kind of result, and whoever has none of that kind is given the few lines of NumPy that
a user would write.
"""

import importlib
import importlib.util
import itertools
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

__all__ = [
    "PEERS",
    "Peer",
    "folder_of",
    "ids_of_flat",
    "leaving_out",
    "load_peer",
    "module_of_folder",
    "name_of_version",
    "of_fretsaw",
    "quieted",
]

Ids = list[int]
Offsets = list[tuple[int, int]]

NO_FAILURES = (KeyboardInterrupt, SystemExit, GeneratorExit)
"""What is no failure of a library: a panic of one in Rust is no `Exception` either."""

GPT2_PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


@dataclass(frozen=True)
class Peer:
    """A library with one tokenizer loaded.

    `flat` gives `(ids, marks)`: all ids of a batch as one array, and either where each text starts and
    ends among them, or how long each is; `offsets` are characters, or `None` where a library has none.
    """

    one: Callable[[str], Ids]
    batch: Callable[[list[str]], list[Ids]]
    flat: Callable[[list[str]], tuple[Any, Any]]
    offsets: Callable[[str], Offsets] | None = None
    object_ids: Callable[[str], Ids] | None = None
    """By way of an object that knows more than the ids, where that is another call."""
    decode: Callable[[Ids], str] | None = None
    stream: Callable[[Ids], str] | None = None
    """The text of ids by a new stream, with a call for each of them."""


def ids_of_flat(result: tuple[Any, Any], count: int) -> list[Ids]:
    """The lists of a flat batch of `count` texts.

    >>> ids_of_flat(([5, 6, 7], [0, 2, 3]), 2), ids_of_flat(([5, 6, 7], [2, 1]), 2)
    ([[5, 6], [7]], [[5, 6], [7]])
    """
    ids, marks = (
        column.tolist() if hasattr(column, "tolist") else list(column) for column in result
    )
    bounds = marks if len(marks) == count + 1 else [0, *itertools.accumulate(marks)]
    return [ids[start:end] for start, end in itertools.pairwise(bounds)]


def _fretsaw(file: bytes) -> Peer:
    return of_fretsaw(importlib.import_module("fretsaw").Tokenizer.from_str(file))


def of_fretsaw(tok: Any) -> Peer:
    """fretsaw, with a tokenizer that is loaded."""
    none = _adds_none(tok)

    def stream(ids: Ids) -> str:
        one = tok.stream()
        push = one.push
        return "".join([push(id_) for id_ in ids]) + str(one.finish())

    return Peer(
        partial(tok.encode_ids, **none),
        partial(tok.encode_batch_ids, **none),
        partial(tok.encode_batch_flat, **none),
        lambda text: tok.encode(text, **none).offsets,
        _ids_of(tok.encode, none),
        tok.decode,
        stream,
    )


def _adds_none(tok: Any) -> dict[str, bool]:
    """What a call needs so that no special tokens are added: nothing, if the file has none to add."""
    return {"add_special_tokens": False} if tok.num_special_tokens_to_add(False) else {}


def _ids_of(encode: Callable[..., Any], options: dict[str, bool]) -> Callable[[str], Ids]:
    """The ids by way of an object, by the shortest call."""
    if options:
        return lambda text: encode(text, **options).ids
    return lambda text: encode(text).ids


def _joined(lists: Sequence[Ids]) -> tuple[Any, Any]:
    """The NumPy lines of a user whose library gives lists."""
    numpy = importlib.import_module("numpy")
    lengths = [len(ids) for ids in lists]
    ids = itertools.chain.from_iterable(lists)
    return numpy.fromiter(ids, numpy.uint32, sum(lengths)), lengths


def _tokenizers(file: bytes) -> Peer:
    tok = importlib.import_module("tokenizers").Tokenizer.from_str(file.decode())
    decoders = importlib.import_module("tokenizers.decoders")
    none = _adds_none(tok)

    def batch(texts: list[str]) -> list[Ids]:
        # The faster batch call, which leaves offsets out.
        return [item.ids for item in tok.encode_batch_fast(texts, **none)]

    def stream(ids: Ids) -> str:
        step = decoders.DecodeStream(skip_special_tokens=True).step
        return "".join([step(tok, id_) or "" for id_ in ids])

    return Peer(
        _ids_of(tok.encode, none),
        batch,
        lambda texts: _joined(batch(texts)),
        lambda text: tok.encode(text, add_special_tokens=False).offsets,
        decode=tok.decode,
        stream=stream,
    )


def _tokenizers_1(file: bytes) -> Peer:
    module = module_of_folder("tokenizers-1", "tokenizers")
    tok = _from_disk(file, module.Tokenizer.from_file)
    numpy = importlib.import_module("numpy")

    def batch(texts: list[str]) -> list[Ids]:
        return [item.ids for item in tok.encode_batch(texts, add_special_tokens=False)]

    def flat(texts: list[str]) -> tuple[Any, Any]:
        arrays = [item.ids_array for item in tok.encode_batch(texts, add_special_tokens=False)]
        return numpy.concatenate(arrays), [len(array) for array in arrays]

    return Peer(
        lambda text: tok.encode(text, add_special_tokens=False).ids,
        batch,
        flat,
        decode=tok.decode,
    )


def _tiktoken(file: bytes) -> Peer:
    """For byte-level files whose ids are ranks; where they are not, its ids differ."""
    spec = json.loads(file)
    pattern = _pattern(spec)
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    byte_of = {chr(byte): byte for byte in printable}
    byte_of.update({chr(0x100 + at): byte for at, byte in enumerate(others)})
    added = {token["content"]: token["id"] for token in spec["added_tokens"]}
    ranks = {
        bytes(byte_of[char] for char in token): id_
        for token, id_ in spec["model"]["vocab"].items()
        if token not in added
    }
    encoding = importlib.import_module("tiktoken").Encoding(
        "peer", pat_str=pattern, mergeable_ranks=ranks, special_tokens=added
    )
    numpy = importlib.import_module("numpy")

    def flat(texts: list[str]) -> tuple[Any, Any]:
        if len(texts) > 1:
            return _joined(encoding.encode_ordinary_batch(texts))
        arrays = [encoding.encode_to_numpy(text, disallowed_special=()) for text in texts]
        return numpy.concatenate(arrays), [len(array) for array in arrays]

    return Peer(
        encoding.encode_ordinary, encoding.encode_ordinary_batch, flat, decode=encoding.decode
    )


def _pattern(spec: dict[str, Any]) -> str:
    """The one regular expression by which a byte-level file splits."""
    step = spec["pre_tokenizer"] or {"type": "none"}
    steps = step.get("pretokenizers", [step])
    if spec["normalizer"] is not None:
        raise ValueError("has a normalizer")
    match [step["type"] for step in steps]:
        case ["ByteLevel"]:
            return GPT2_PATTERN
        case ["Split", "ByteLevel"] if "Regex" in steps[0]["pattern"]:
            return str(steps[0]["pattern"]["Regex"])
    raise ValueError("not one byte-level split")


def _snaptokens(file: bytes) -> Peer:
    return _like_tokenizers(
        importlib.import_module("snaptokens").Tokenizer.from_json_str(file.decode())
    )


def _fastokens(file: bytes) -> Peer:
    return _like_tokenizers(
        importlib.import_module("fastokens").Tokenizer.from_json_str(file.decode())
    )


def _like_tokenizers(tok: Any) -> Peer:
    numpy = importlib.import_module("numpy")

    def flat(texts: list[str]) -> tuple[Any, Any]:
        ids, marks = tok.encode_batch_flat(texts)
        return numpy.frombuffer(ids, numpy.uint32), numpy.frombuffer(marks, numpy.int64)

    # Special tokens are not added unless asked for.
    return Peer(
        _ids_of(tok.encode, {}),
        lambda texts: [item.ids for item in tok.encode_batch(texts)],
        flat,
        decode=tok.decode,
    )


def _tokie(file: bytes) -> Peer:
    tok = _from_disk(file, importlib.import_module("tokie").Tokenizer.from_json)
    none = _adds_none(tok)
    return Peer(
        _ids_of(tok.encode, none),
        lambda texts: [item.ids for item in tok.encode_batch(texts, **none)],
        partial(tok.encode_batch_flat, **none),
        lambda text: tok.encode_with_offsets(text, **none).offsets,
        decode=tok.decode,
    )


def _gigatoken(file: bytes) -> Peer:
    tok = importlib.import_module("gigatoken").Tokenizer.from_json(file)

    def flat(texts: list[str]) -> tuple[Any, Any]:
        layout = tok.encode_batch(texts).layout
        return layout.content.data, layout.offsets.data

    return Peer(
        lambda text: tok.encode(text).tolist(),
        tok.encode_batch_list,
        flat,
        decode=lambda ids: tok.decode(ids).decode(),
    )


def _kitoken(file: bytes) -> Peer:
    tok = importlib.import_module("kitoken").Kitoken.from_tokenizers(file)
    return Peer(
        lambda text: tok.encode(text, True),
        lambda texts: tok.encode_all(texts, True),
        lambda texts: _joined(tok.encode_all(texts, True)),
        decode=lambda ids: tok.decode(ids).decode(),
    )


def _iree(file: bytes) -> Peer:
    tok = importlib.import_module("iree.tokenizer").Tokenizer.from_str(file.decode())

    def stream(ids: Ids) -> str:
        one = tok.decode_stream()
        feed = one.feed
        return "".join([feed([id_]) for id_ in ids]) + str(one.finalize())

    return Peer(
        tok.encode,
        tok.encode_batch,
        tok.encode_batch_to_array,
        lambda text: [tuple(pair) for pair in tok.encode_rich(text).offsets],
        decode=tok.decode,
        stream=stream,
    )


PEERS: dict[str, Callable[[bytes], Peer]] = {
    "fretsaw": _fretsaw,
    "tokenizers": _tokenizers,
    "tokenizers-1": _tokenizers_1,
    "snaptokens": _snaptokens,
    "gigatoken": _gigatoken,
    "fastokens": _fastokens,
    "tokie": _tokie,
    "kitoken": _kitoken,
    "tiktoken": _tiktoken,
    "iree-tokenizer": _iree,
}
"""All libraries, by the names of their packages; `tokenizers-1` is a second version of the first, which
lies in a folder of its own (see `folder_of`)."""


def load_peer(name: str, file: bytes) -> Peer | str:
    """A library with a tokenizer.json loaded, or why it is left out."""
    try:
        return PEERS[name](file)
    except NO_FAILURES:
        raise
    except ImportError:
        return "not installed"
    except BaseException as error:
        return f"can't load the file: {quieted(error)}"


@contextmanager
def leaving_out(name: str, left_out: dict[str, str]) -> Iterator[None]:
    """Notes a library that fails in what is done inside, and goes on."""
    try:
        yield
    except NO_FAILURES:
        raise
    except BaseException as error:
        left_out[name] = f"fails: {quieted(error)}"


def quieted(error: BaseException) -> str:
    """An error of another library in one short line."""
    line = " ".join(str(error).split()) or type(error).__name__
    return line if len(line) <= 100 else line[:99] + "…"


def name_of_version(name: str) -> str:
    """The version of a library that is installed; empty if it is not."""
    try:
        if name == "tokenizers-1":
            return str(module_of_folder(name, "tokenizers").__version__)
        return version(name)
    except (PackageNotFoundError, ImportError):
        return ""


def folder_of(name: str) -> Path:
    """Where a package lies that can't be installed beside another version of itself:
    `pip install --target` of that folder puts it there."""
    return Path(os.environ.get("FRETSAW_PEERS") or Path(sys.prefix, "peers"), name)


def module_of_folder(name: str, package: str) -> Any:
    """A package from a folder of its own, under another name, once a process."""
    as_name = name.replace("-", "_")
    if as_name not in sys.modules:
        place = folder_of(name) / package
        spec = importlib.util.spec_from_file_location(
            as_name, place / "__init__.py", submodule_search_locations=[str(place)]
        )
        if spec is None or spec.loader is None or not (place / "__init__.py").exists():
            raise ImportError(name)
        module = importlib.util.module_from_spec(spec)
        sys.modules[as_name] = module
        spec.loader.exec_module(module)
    return sys.modules[as_name]


def _from_disk(file: bytes, load: Callable[[str], Any]) -> Any:
    """Loads what a library reads from the disk only."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tokenizer.json")
        path.write_bytes(file)
        return load(str(path))
