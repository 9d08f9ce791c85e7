"""The content of a SentencePiece model as data that a test can change, without protobuf."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            return value, at


def _number(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


Fields = dict[int, list[int | bytes | float]]


def parse(data: bytes) -> Fields:
    """The values of each field: numbers, floats, and everything else as bytes."""
    fields: Fields = {}
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        value: int | bytes | float
        match key & 7:
            case 0:
                value, at = _varint(data, at)
            case 2:
                size, at = _varint(data, at)
                value, at = data[at : at + size], at + size
            case _:
                value, at = struct.unpack("<f", data[at : at + 4])[0], at + 4
        fields.setdefault(key >> 3, []).append(value)
    return fields


def write(fields: Fields) -> bytes:
    """The bytes of fields."""
    out = b""
    for number, values in fields.items():
        for value in values:
            if isinstance(value, float):
                out += _number(number << 3 | 5) + struct.pack("<f", value)
            elif isinstance(value, int):
                out += _number(number << 3) + _number(value)
            else:
                out += _number(number << 3 | 2) + _number(len(value)) + value
    return out


@dataclass
class Piece:
    """A piece; `type` is that of the format."""

    piece: str
    score: float
    type: int = 1


@dataclass
class Model:
    """A model: pieces, and the fields of the messages beside them by number."""

    pieces: list[Piece]
    trainer: Fields = field(default_factory=dict)
    normalizer: Fields = field(default_factory=dict)
    denormalizer: Fields | None = None

    @classmethod
    def read(cls, content: bytes) -> Model:
        """The model of a file's content."""
        whole = parse(content)
        pieces = []
        for one in map(parse, whole[1]):  # type: ignore[arg-type]
            text, score, kind = one[1][0], one.get(2, [0.0])[0], one.get(3, [1])[0]
            assert isinstance(text, bytes)
            pieces.append(Piece(text.decode(), float(score), int(kind)))
        trainer, normalizer = whole[2][0], whole[3][0]
        assert isinstance(trainer, bytes)
        assert isinstance(normalizer, bytes)
        return cls(pieces, parse(trainer), parse(normalizer))

    def content(self) -> bytes:
        """The file's content."""
        pieces = [
            write({1: [one.piece.encode()], 2: [float(one.score)], 3: [one.type]})
            for one in self.pieces
        ]
        whole: Fields = {1: [*pieces], 2: [write(self.trainer)], 3: [write(self.normalizer)]}
        if self.denormalizer is not None:
            whole[5] = [write(self.denormalizer)]
        return write(whole)
