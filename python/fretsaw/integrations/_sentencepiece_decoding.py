"""From pieces to text, with the part of the text that each stands for."""

from __future__ import annotations

from typing import Final

from fretsaw import Tokenizer

from ._sentencepiece_proto import Piece, of_bytes

_MARK: Final = "\u2581"


def decoded(
    tokenizer: Tokenizer, types: list[str], ids: list[int], strings: list[str]
) -> tuple[str, list[Piece]]:
    """The text of pieces with these ids, and what each adds to it: what a list of one more piece has more."""
    runs: list[tuple[int, int]] = []
    for at, id in enumerate(ids):
        is_byte = id >= 0 and types[id] == "Byte"
        if is_byte and runs and runs[-1][1] == at and types[ids[at - 1]] == "Byte":
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
        if ids[start] >= 0 and types[ids[start]] == "Byte":
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
