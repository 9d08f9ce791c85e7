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
from typing import Any

from fretsaw import DecodeError, EncodeError

from ._sentencepiece_decoding import decoded
from ._sentencepiece_model import PieceModel, text_of
from ._sentencepiece_names import add_names
from ._sentencepiece_proto import (
    Piece,
    is_sequence,
    mapping,
    parsed,
    serialized,
    serialized_nbest,
)

__all__ = ["SentencePieceProcessor", "set_random_generator_seed"]

_MOST_BEST = 512
_Cut = tuple[int, str, int, int]
_random = random.Random()


def set_random_generator_seed(seed: int) -> None:
    """Makes all sampling that comes follow from a seed."""
    _random.seed(seed)


class SentencePieceProcessor(PieceModel):
    """A model of SentencePiece, as sentencepiece's class of this name."""

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
            plain = text_of(text)
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
            text = text_of(given)
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
            strings = [text_of(item) for item in items]
            as_bytes = bool(items) and isinstance(items[0], bytes)
        else:
            strings, as_bytes = [self.IdToPiece(id) for id in self._checked(items)], False
        if return_type not in (str, bytes):
            ids = [self.PieceToId(piece) for piece in strings]
            text, pieces = decoded(self._tokenizer, self._types, ids, strings)
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

    def Normalize(self, input: Any, with_offsets: bool | None = None) -> Any:
        """A text, or each of a list of them, as the model sees it."""
        if with_offsets:
            raise ValueError(
                "with_offsets is not available; encode with 'offset_mapping' says more"
            )
        if isinstance(input, list):
            return [self.Normalize(text) for text in input]
        normalized = self._tokenizer.normalize(text_of(input))
        return normalized.encode() if isinstance(input, bytes) else normalized


add_names(SentencePieceProcessor)
