"""Pieces, and the forms in which sentencepiece gives them: messages of protobuf, byte by byte.

A `SentencePieceText` is a text (1), its pieces (2) and a score (3); a piece has a string (1), an id (2),
the text it stands for (3), and where that starts and ends in bytes (4, 5).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any, NamedTuple


class Piece(NamedTuple):
    """A piece: where it stands counts bytes; `surface` is `None` where it stands for no text."""

    id: int
    piece: str
    surface: str | None
    start: int
    end: int


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _bytes(field: int, value: bytes) -> bytes:
    return bytes([field << 3 | 2]) + _varint(len(value)) + value


def _number(field: int, value: int) -> bytes:
    return bytes([field << 3]) + _varint(value)


def _piece(piece: Piece) -> bytes:
    surface = b"" if piece.surface is None else _bytes(3, piece.surface.encode())
    head = _bytes(1, piece.piece.encode()) + _number(2, piece.id)
    return head + surface + _number(4, piece.start) + _number(5, piece.end)


def serialized(text: str, pieces: Iterable[Piece], score: float | None = None) -> bytes:
    """A `SentencePieceText`."""
    parts = [_bytes(1, text.encode()), *(_bytes(2, _piece(piece)) for piece in pieces)]
    if score is not None:
        parts.append(bytes([3 << 3 | 5]) + struct.pack("<f", score))
    return b"".join(parts)


def serialized_nbest(texts: Iterable[bytes]) -> bytes:
    """An `NBestSentencePieceText`."""
    return b"".join(_bytes(1, text) for text in texts)


def parsed(message: str, data: bytes) -> Any:
    """A message as an object; the class is that of the installed sentencepiece."""
    try:
        from sentencepiece import sentencepiece_pb2
    except ImportError as error:
        missing = (
            "return_type='proto' needs sentencepiece and protobuf; 'serialized_proto' does not"
        )
        raise ImportError(missing) from error
    made = getattr(sentencepiece_pb2, message)()
    made.ParseFromString(data)
    return made


def is_sequence(value: Any) -> bool:
    """Whether it has items and is no string."""
    return hasattr(value, "__len__") and not isinstance(value, str | bytes)


def of_bytes(values: list[int]) -> list[str]:
    """The texts of byte pieces: the last one of a character has it, one of none is U+FFFD."""
    texts = [""] * len(values)
    at = 0
    while at < len(values):
        for size in range(1, 5):
            try:
                texts[at + size - 1] = bytes(values[at : at + size]).decode()
            except (UnicodeDecodeError, IndexError):
                continue
            at += size
            break
        else:
            texts[at] = "\ufffd"
            at += 1
    return texts


def mapping(text: str, pieces: list[Piece], as_bytes: bool) -> dict[str, list[Any]]:
    """Ids, pieces, and where they stand, in bytes or characters of the text."""
    if as_bytes:
        strings: list[Any] = [piece.piece.encode() for piece in pieces]
        offsets = [(piece.start, piece.end) for piece in pieces]
    else:
        strings = [piece.piece for piece in pieces]
        raw = text.encode()
        chars = [0]
        for byte in raw:
            chars.append(chars[-1] + (byte & 0xC0 != 0x80))
        place = [chars[at] for at in range(len(raw) + 1)]
        offsets = [(place[piece.start], place[piece.end]) for piece in pieces]
    return {"ids": [piece.id for piece in pieces], "pieces": strings, "offsets": offsets}
