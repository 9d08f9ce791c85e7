"""A loaded model of SentencePiece: what it was made with, and its pieces and ids."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

from fretsaw import FretsawError, Tokenizer

_RETURN_TYPES = (int, str, bytes, "proto", "serialized_proto", "numpy", "offset_mapping")


def text_of(text: Any) -> str:
    """The text of a `str` or of bytes."""
    if isinstance(text, str):
        text.encode()
        return text
    if isinstance(text, bytes):
        return text.decode()
    raise TypeError("Input must be str or bytes")


class PieceModel:
    """A model, how it encodes if a call does not say, and what is known of each piece."""

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
    def from_file(cls, model_file: Any, **kwargs: Any) -> Self:
        """A processor of a model file."""
        processor = cls(**kwargs)
        processor.LoadFromFile(model_file)
        return processor

    @classmethod
    def from_proto(cls, model_proto: Any, **kwargs: Any) -> Self:
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
        found = self._tokenizer.token_to_id(text_of(piece))
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
