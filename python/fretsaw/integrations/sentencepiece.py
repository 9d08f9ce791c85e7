"""Takes the place of sentencepiece 0.2.3: `from fretsaw.integrations import sentencepiece`.

`SentencePieceProcessor` has the names, defaults, results and errors of the class there. Sampling
follows from `set_random_generator_seed` but with other random numbers; bytes that are not UTF-8 are
refused; `ParallelEncode`, `ConvertToFlatbuffer`, the trainer and the normalizer as a class of its own
are not here.

>>> import tempfile, pathlib
>>> sp = SentencePieceProcessor()
>>> sp.encode("not loaded")
Traceback (most recent call last):
...
RuntimeError: Model is not initialized.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fretsaw import DecodeError, EncodeError, FretsawError, Tokenizer

from ._sentencepiece_proto import (
    Piece,
    is_sequence,
    mapping,
    of_bytes,
    parsed,
    serialized,
    serialized_nbest,
)

__all__ = ["SentencePieceProcessor", "set_random_generator_seed"]

_RETURN_TYPES = (int, str, bytes, "proto", "serialized_proto", "numpy", "offset_mapping")
_MOST_BEST = 512
_MARK = "\u2581"
_Cut = tuple[int, str, int, int]
_random = random.Random()


def set_random_generator_seed(seed: int) -> None:
    """Makes all sampling that comes follow from a seed."""
    _random.seed(seed)


def _text(text: Any) -> str:
    """The text of a `str` or of bytes."""
    if isinstance(text, str):
        text.encode()
        return text
    if isinstance(text, bytes):
        return text.decode()
    raise TypeError("Input must be str or bytes")


class SentencePieceProcessor:
    """A model of SentencePiece, as sentencepiece's class of this name."""

    def __init__(
        self,
        model_file: Any = None,
        model_proto: Any = None,
        out_type: Any = None,
        add_bos: bool = False,
        add_eos: bool = False,
        reverse: bool = False,
        emit_unk_piece: bool = False,
        enable_sampling: bool = False,
        nbest_size: int = -1,
        alpha: float = 0.1,
        num_threads: int = -1,
        return_type: Any = None,
    ) -> None:
        self._loaded: Tokenizer | None = None
        self._return_type: Any = int
        self._return_type = self._resolve(return_type, out_type)
        self._options = {
            "add_bos": add_bos,
            "add_eos": add_eos,
            "reverse": reverse,
            "emit_unk_piece": emit_unk_piece,
        }
        self._sampling: dict[str, Any] = {
            "enable_sampling": enable_sampling,
            "nbest_size": nbest_size,
            "alpha": alpha,
        }
        self._num_threads = num_threads
        if model_file or model_proto:
            self.Load(model_file=model_file, model_proto=model_proto)

    @classmethod
    def from_file(cls, model_file: Any, **kwargs: Any) -> SentencePieceProcessor:
        """A processor of a model file."""
        processor = cls(**kwargs)
        processor.LoadFromFile(model_file)
        return processor

    @classmethod
    def from_proto(cls, model_proto: Any, **kwargs: Any) -> SentencePieceProcessor:
        """A processor of a model's content."""
        processor = cls(**kwargs)
        processor.LoadFromSerializedProto(model_proto)
        return processor

    def Load(self, model_file: Any = None, model_proto: Any = None) -> None:
        """Loads a model file, or a model's content."""
        if model_file and model_proto:
            raise ValueError("model_file and model_proto must be exclusive.")
        if model_proto:
            return self.LoadFromSerializedProto(model_proto)
        if model_file:
            return self.LoadFromFile(model_file)
        raise ValueError("Either model_file or model_proto must be specified.")

    def LoadFromFile(self, filename: Any) -> None:
        """Loads a model file."""
        try:
            content = Path(filename).read_bytes()
        except OSError as error:
            raise RuntimeError(f"NOT_FOUND: {error}") from error
        self.LoadFromSerializedProto(content)

    def LoadFromSerializedProto(self, serialized: Any) -> None:
        """Loads a model's content."""
        if hasattr(serialized, "SerializeToString"):
            serialized = serialized.SerializeToString()
        try:
            loaded = Tokenizer.from_str(serialized)
            self._scores, self._types, names = loaded.piece_table()
        except (FretsawError, ValueError) as error:
            raise RuntimeError(f"INTERNAL: {error}") from error
        self._loaded, self._content = loaded, bytes(serialized)
        self._unknown = self._types.index("Unknown") if "Unknown" in self._types else -1
        wanted = ("Unknown", "Control", "Control", "Control")
        ids = [self.PieceToId(name) for name in names]
        self._special = [
            id if id >= 0 and self._types[id] == kind else -1
            for id, kind in zip(ids, wanted, strict=True)
        ]

    @property
    def _tokenizer(self) -> Tokenizer:
        if self._loaded is None:
            raise RuntimeError("Model is not initialized.")
        return self._loaded

    def _resolve(self, return_type: Any, out_type: Any, default: Any = None) -> Any:
        if out_type is not None:
            if return_type is not None:
                message = "Cannot specify both out_type and return_type. Use return_type instead."
                raise ValueError(message)
            return_type = out_type
        if return_type is None:
            return_type = default if default is not None else self._return_type
        if return_type == "immutable_proto":
            message = "immutable_proto is deprecated and no longer supported."
            raise ValueError(f"{message} Use return_type='proto' instead.")
        if return_type not in _RETURN_TYPES:
            raise ValueError(f"Invalid return_type: {return_type}. Must be one of {_RETURN_TYPES}")
        return return_type

    # Text to pieces.

    def Encode(
        self,
        input: Any,
        add_bos: bool | None = None,
        add_eos: bool | None = None,
        reverse: bool | None = None,
        emit_unk_piece: bool | None = None,
        enable_sampling: bool | None = None,
        nbest_size: int | None = None,
        alpha: float | None = None,
        num_threads: int | None = None,
        thread_pool: Any = None,
        return_type: Any = None,
        out_type: Any = None,
        return_bytes: bool | None = None,
    ) -> Any:
        """A text, or a list of them, as ids, pieces or what `return_type` says."""
        return_type = self._resolve(return_type, out_type)
        if return_bytes is not None and return_type != "offset_mapping":
            raise ValueError("return_bytes is only supported when return_type='offset_mapping'")
        options = self._given(add_bos, add_eos, reverse, emit_unk_piece)
        given = {"enable_sampling": enable_sampling, "nbest_size": nbest_size, "alpha": alpha}
        sampling: dict[str, Any] = {
            name: self._sampling[name] if value is None else value for name, value in given.items()
        }
        if sampling["enable_sampling"] is True and sampling["nbest_size"] in (None, 0, 1):
            raise ValueError(
                'When enable_sampling is True, We must specify "nbest_size > 1" or '
                '"nbest_size = -1", and "alpha".'
            )
        self._check_threads(num_threads)

        def cut(text: str) -> list[_Cut]:
            if not sampling["enable_sampling"]:
                return self._tokenizer.encode_pieces(text)
            return self._sample(text, sampling["nbest_size"], sampling["alpha"])

        def encode(text: Any) -> Any:
            plain = _text(text)
            if return_type is int and not sampling["enable_sampling"]:
                return self._framed(self._ids(plain), options)
            if return_type == "offset_mapping":
                as_bytes = isinstance(text, bytes) if return_bytes is None else return_bytes
                return self._mapping(plain, cut(plain), options, as_bytes)
            return self._shaped(plain, cut(plain), return_type, options)

        return [encode(text) for text in input] if isinstance(input, list) else encode(input)

    def _given(self, *values: bool | None) -> dict[str, bool]:
        pairs = zip(self._options.items(), values, strict=True)
        return {name: kept if value is None else value for (name, kept), value in pairs}

    def _check_threads(self, num_threads: Any) -> None:
        num_threads = self._num_threads if num_threads is None else num_threads
        if not isinstance(num_threads, int):
            raise TypeError("num_threads must be int")

    def _ids(self, text: str) -> list[int]:
        try:
            return self._tokenizer.encode_ids(text)
        except EncodeError as error:
            raise RuntimeError(f"INTERNAL: {error}") from error

    def _sample(self, text: str, nbest_size: int, alpha: float) -> list[_Cut]:
        if nbest_size > _MOST_BEST:
            raise RuntimeError(f"INTERNAL: nbest_size must be nbest_size <= {_MOST_BEST}")
        if not alpha >= 0:
            raise RuntimeError("INTERNAL: alpha must be 0 or more")
        seed = _random.getrandbits(64)
        try:
            return self._tokenizer.sample_pieces(
                text, nbest_size=nbest_size, alpha=alpha, seed=seed
            )
        except ValueError as error:
            raise RuntimeError(f"INTERNAL: {error}") from error

    def _ends(self, options: dict[str, bool]) -> tuple[list[int], list[int]]:
        _, bos, eos, _ = self._special
        if options["add_bos"] and bos == -1:
            raise ValueError("BOS token is not defined as a control symbol in this model.")
        if options["add_eos"] and eos == -1:
            raise ValueError("EOS token is not defined as a control symbol in this model.")
        return [bos] * options["add_bos"], [eos] * options["add_eos"]

    def _framed(self, ids: list[int], options: dict[str, bool]) -> list[int]:
        first, last = self._ends(options)
        return [*first, *(ids[::-1] if options["reverse"] else ids), *last]

    def _strings(self, cut: list[_Cut], options: dict[str, bool]) -> list[str]:
        unknown = self._special[0]
        if options["emit_unk_piece"] and unknown == -1:
            raise ValueError("UNK token is not defined in this model.")
        strings = [piece for _, piece, _, _ in cut]
        if options["emit_unk_piece"]:
            name = self.IdToPiece(unknown)
            strings = [name if self.PieceToId(piece) == unknown else piece for piece in strings]
        first, last = self._ends(options)
        inner = strings[::-1] if options["reverse"] else strings
        return [*map(self.IdToPiece, first), *inner, *map(self.IdToPiece, last)]

    def _check_plain(self, options: dict[str, bool]) -> None:
        if any(options.values()):
            message = "add_bos, add_eos, reverse, and emit_unk_piece is not supported in proto API"
            raise RuntimeError(f"UNIMPLEMENTED: {message}")

    def _shaped(
        self, text: str, cut: list[_Cut], return_type: Any, options: dict[str, bool]
    ) -> Any:
        if return_type is int:
            return self._framed([id for id, _, _, _ in cut], options)
        if return_type == "numpy":
            import numpy as np

            return np.array(self._framed([id for id, _, _, _ in cut], options), dtype=np.int32)
        if return_type is str:
            return self._strings(cut, options)
        if return_type is bytes:
            return [piece.encode() for piece in self._strings(cut, options)]
        self._check_plain(options)
        data = serialized(text, self._pieces(text, cut))
        return data if return_type == "serialized_proto" else parsed("SentencePieceText", data)

    def _pieces(self, text: str, cut: list[_Cut]) -> list[Piece]:
        raw = text.encode()
        pieces = []
        for at, (id, piece, start, end) in enumerate(cut):
            surface: str | None = raw[start:end].decode()
            if self._types[id] == "Byte":
                # The last byte of a character has its text: it is followed by no continuation.
                behind = cut[at + 1][1] if at + 1 < len(cut) else ""
                if re.fullmatch("<0x[89AB].>", behind):
                    surface = None
            pieces.append(Piece(id, piece, surface, start, end))
        return pieces

    def _mapping(
        self, text: str, cut: list[_Cut], options: dict[str, bool], as_bytes: bool
    ) -> dict[str, list[Any]]:
        self._check_plain(options)
        return mapping(text, [Piece(id, piece, None, *at) for id, piece, *at in cut], as_bytes)

    def NBestEncode(
        self,
        input: Any,
        add_bos: bool | None = None,
        add_eos: bool | None = None,
        reverse: bool | None = None,
        emit_unk_piece: bool | None = None,
        nbest_size: int | None = None,
        return_type: Any = None,
        out_type: Any = None,
    ) -> Any:
        """The best ways to cut a text, or each of a list of them."""
        return_type = self._resolve(return_type, out_type)
        options = self._given(add_bos, add_eos, reverse, emit_unk_piece)
        size: int = self._sampling["nbest_size"] if nbest_size is None else nbest_size
        size = max(size, 1)
        if size > _MOST_BEST:
            raise RuntimeError(f"INTERNAL: nbest_size must be nbest_size <= {_MOST_BEST}")

        def encode(given: Any) -> Any:
            text = _text(given)
            try:
                ways = self._tokenizer.nbest_pieces(text, size)
            except ValueError as error:
                raise RuntimeError(f"INTERNAL: {error}") from error
            if return_type not in ("proto", "serialized_proto"):
                return [self._shaped(text, cut, return_type, options) for cut, _ in ways]
            self._check_plain(options)
            data = serialized_nbest(
                serialized(text, self._pieces(text, cut), score) for cut, score in ways
            )
            whole = return_type == "serialized_proto"
            return data if whole else parsed("NBestSentencePieceText", data)

        if return_type == "offset_mapping":
            raise ValueError(f"unknown return_type={return_type}")
        return [encode(text) for text in input] if isinstance(input, list) else encode(input)

    # Pieces to text.

    def Decode(
        self,
        input: Any,
        return_type: Any = None,
        out_type: Any = None,
        num_threads: int | None = None,
        thread_pool: Any = None,
        return_bytes: bool | None = None,
    ) -> Any:
        """The text of ids or pieces, or the texts of several lists of them."""
        return_type = self._resolve(return_type, out_type, default=str)
        if return_bytes is not None and return_type != "offset_mapping":
            raise ValueError("return_bytes is only supported when return_type='offset_mapping'")
        if return_type in (int, "numpy"):
            raise ValueError(f"unknown return_type={return_type} or input type")
        self._check_threads(num_threads)
        if input is None or (isinstance(input, str | bytes) and not input):
            input = []
        if not is_sequence(input):
            input = [input]
        is_batch = (
            input.ndim > 1 if hasattr(input, "ndim") else bool(len(input) and is_sequence(input[0]))
        )
        lists = input if is_batch else [input]
        # What the first one that is not empty holds, all hold.
        filled = (items[0] for items in lists if is_sequence(items) and len(items))
        is_pieces = isinstance(next(filled, None), str | bytes)
        found = [self._decode(items, return_type, bool(return_bytes), is_pieces) for items in lists]
        return found if is_batch else found[0]

    def _decode(self, items: Any, return_type: Any, return_bytes: bool, is_pieces: bool) -> Any:
        if is_pieces:
            strings = [_text(item) for item in items]
            as_bytes = bool(items) and isinstance(items[0], bytes)
        else:
            strings, as_bytes = [self.IdToPiece(id) for id in self._checked(items)], False
        if return_type not in (str, bytes):
            text, pieces = self._decoded(strings)
            if return_type == "offset_mapping":
                as_bytes = as_bytes or return_bytes
                found: Any = mapping(text, pieces, as_bytes)
                return {"text": text.encode() if as_bytes else text, **found}
            data = serialized(text, pieces)
            return data if return_type == "serialized_proto" else parsed("SentencePieceText", data)
        try:
            if is_pieces:
                text = self._tokenizer.decode_pieces(strings)
            else:
                text = self._tokenizer.decode(self._checked(items))
        except DecodeError as error:
            raise RuntimeError(f"INTERNAL: {error}") from error
        return text.encode() if return_type is bytes or as_bytes else text

    def _checked(self, ids: Any) -> list[int]:
        try:
            checked = [id.__index__() for id in ids]
        except AttributeError as error:
            message = (
                "Input must be an integer buffer, list of integers, or a sequence of integers."
            )
            raise TypeError(message) from error
        if any(not 0 <= id < len(self._types) for id in checked):
            raise IndexError("OUT_OF_RANGE: piece id is out of range.")
        return checked

    def _decoded(self, strings: list[str]) -> tuple[str, list[Piece]]:
        """The text of pieces, and what each adds to it: what a list of one more piece has more."""
        tokenizer = self._tokenizer
        ids = [self.PieceToId(piece) for piece in strings]
        runs: list[tuple[int, int]] = []
        for at, id in enumerate(ids):
            is_byte = id >= 0 and self._types[id] == "Byte"
            if is_byte and runs and runs[-1][1] == at and self._types[ids[at - 1]] == "Byte":
                runs[-1] = (runs[-1][0], at + 1)
            else:
                runs.append((at, at + 1))
        pieces: list[Piece] = []
        done = 0
        # What stands in front decides whether a mark falls away: text, or a mark that did.
        before: list[str] = []
        for start, end in runs:
            front = tokenizer.decode_pieces(before)
            added = tokenizer.decode_pieces([*before, *strings[start:end]])[len(front) :]
            surfaces = [added]
            if ids[start] >= 0 and self._types[ids[start]] == "Byte":
                surfaces = of_bytes([int(piece[3:5], 16) for piece in strings[start:end]])
            for at, surface in enumerate(surfaces, start):
                size = len(surface.encode())
                pieces.append(Piece(ids[at], strings[at], surface, done, done + size))
                done += size
            if done:
                before = ["x"]
            elif not before and strings[start].startswith(_MARK):
                before = [strings[start]]
        return tokenizer.decode_pieces(strings), pieces

    def Normalize(self, input: Any, with_offsets: bool | None = None) -> Any:
        """A text, or each of a list of them, as the model sees it."""
        if with_offsets:
            raise ValueError(
                "with_offsets is not available; encode with 'offset_mapping' says more"
            )
        if isinstance(input, list):
            return [self.Normalize(text) for text in input]
        normalized = self._tokenizer.normalize(_text(input))
        return normalized.encode() if isinstance(input, bytes) else normalized

    # Pieces and ids.

    def GetPieceSize(self) -> int:
        """How many pieces there are."""
        return len(self._types) if self._loaded is not None else 0

    def PieceToId(self, piece: Any) -> Any:
        """The id of a piece, or of each of several; the unknown one's where there is none."""
        if not isinstance(piece, str | bytes) and isinstance(piece, Sequence):
            return [self.PieceToId(each) for each in piece]
        if not isinstance(piece, str | bytes):
            raise TypeError("PieceToId(): incompatible function arguments.")
        found = self._tokenizer.token_to_id(_text(piece))
        return self._unknown if found is None else found

    def _each(self, id: Any, of: Callable[[int], Any]) -> Any:
        if hasattr(id, "__len__"):
            return [of(each) for each in self._checked(id)]
        return of(self._checked([id])[0])

    def IdToPiece(self, id: Any) -> Any:
        """The piece of an id, or of each of several."""
        return self._each(id, self._tokenizer.id_to_token)

    def GetScore(self, id: Any) -> Any:
        """The score of an id, or of each of several."""
        return self._each(id, lambda id: self._scores[id])

    def IsUnknown(self, id: Any) -> Any:
        """Whether an id, or each of several, stands for what is unknown."""
        return self._each(id, lambda id: self._types[id] == "Unknown")

    def IsControl(self, id: Any) -> Any:
        """Whether an id, or each of several, is a control piece."""
        return self._each(id, lambda id: self._types[id] == "Control")

    def IsUnused(self, id: Any) -> Any:
        """Whether an id, or each of several, is unused."""
        return self._each(id, lambda id: self._types[id] == "Unused")

    def IsByte(self, id: Any) -> Any:
        """Whether an id, or each of several, stands for a byte."""
        return self._each(id, lambda id: self._types[id] == "Byte")

    def unk_id(self) -> int:
        """The id of the unknown piece, or -1."""
        return self._special[0]

    def bos_id(self) -> int:
        """The id of the start of a text, or -1."""
        return self._special[1]

    def eos_id(self) -> int:
        """The id of the end of a text, or -1."""
        return self._special[2]

    def pad_id(self) -> int:
        """The id of padding, or -1."""
        return self._special[3]

    def serialized_model_proto(self) -> bytes:
        """The model's content."""
        return self._content if self._loaded is not None else b""

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in vars(self).items() if name != "_loaded"}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._loaded = None
        if "_content" in state:
            self.LoadFromSerializedProto(state["_content"])

    def __len__(self) -> int:
        return self.GetPieceSize()

    def __getitem__(self, piece: Any) -> Any:
        return self.PieceToId(piece)

    piece_size = vocab_size = GetPieceSize


def _form(method: str, **fixed: Any) -> Callable[..., Any]:
    """A method that is another one with some arguments given."""

    def call(self: SentencePieceProcessor, input: Any, *args: Any, **kwargs: Any) -> Any:
        names = ("nbest_size", "alpha")
        return getattr(self, method)(
            input, **dict(zip(names, args, strict=False)), **fixed, **kwargs
        )

    return call


_FORMS: dict[str, Any] = {"Pieces": str, "Ids": int, "Numpy": "numpy", "Proto": "proto"}
_OTHERS: dict[str, Callable[..., Any]] = {
    "EncodeAsOffsetMapping": _form("Encode", return_type="offset_mapping"),
    "DecodePieces": SentencePieceProcessor.Decode,
    "DecodePiecesAsProto": _form("Decode", return_type="proto"),
    "DecodeIds": SentencePieceProcessor.Decode,
    "DecodeIdsAsProto": _form("Decode", return_type="proto"),
    "Tokenize": SentencePieceProcessor.Encode,
    "Detokenize": SentencePieceProcessor.Decode,
}
for _name, _type in _FORMS.items():
    _sampled = _form("Encode", enable_sampling=True, return_type=_type)
    _OTHERS[f"EncodeAs{_name}"] = _form("Encode", return_type=_type)
    _OTHERS[f"SampleEncodeAs{_name}"] = _sampled
    _OTHERS[f"NBestEncodeAs{_name}"] = _form("NBestEncode", return_type=_type)
for _name, _method in _OTHERS.items():
    setattr(SentencePieceProcessor, _name, _method)
for _name, _value in list(vars(SentencePieceProcessor).items()):
    if re.match("[A-Z]", _name):
        _snake = re.sub("(?<!^)(?=[A-Z])", "_", _name).lower().replace("n_best", "nbest")
        setattr(SentencePieceProcessor, _snake, _value)
