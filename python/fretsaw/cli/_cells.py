"""Tokens side by side with their ids below, in alternating colours.

    Hello ␣world
    15496    995

White space and control characters are visible; a token that is not whole characters shows its bytes
in hexadecimal. Without colours (a pipe, NO_COLOR) the gap between cells still tells tokens apart.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

STYLES = ("black on cyan", "black on yellow", "black on green", "black on magenta")
ID_STYLE = "bright_black"
VISIBLE = {" ": "␣", "\n": "↵", "\t": "⇥", "\r": "␍"}


class Cell(NamedTuple):
    """One token as it is shown."""

    text: str
    id: str
    ends_line: bool


def visible(token: bytes) -> str:
    """The token with visible white space, or `<f09f>` where it is not whole characters.

    >>> visible(b" world"), visible(b"\\xf0\\x9f"), visible(b"\\n\\x00")
    ('␣world', '<f09f>', '↵<U+0000>')
    """
    try:
        text = token.decode("utf-8")
    except UnicodeDecodeError:
        return f"<{token.hex()}>"
    shown = "".join(map(_character, text))
    return f"◌{shown}" if unicodedata.category(text[:1] or " ")[0] == "M" else shown


def _character(character: str) -> str:
    if character in VISIBLE:
        return VISIBLE[character]
    return character if character.isprintable() else f"<U+{ord(character):04X}>"


def cells(tokens: Iterable[tuple[int, bytes]]) -> Iterator[Cell]:
    """Cells of ids and the bytes they stand for."""
    for token_id, token in tokens:
        yield Cell(visible(token), str(token_id), token.endswith(b"\n"))


def rows(all_cells: Iterable[Cell], width: int) -> Iterator[list[tuple[Cell, int]]]:
    """Rows of cells with their widths in columns; a token that ends a line ends its row.

    No row is wider than `width` columns: a single token that would be is cut with an ellipsis.
    """
    row: list[tuple[Cell, int]] = []
    used = 0
    for cell in all_cells:
        needed = max(cell_len(cell.text), len(cell.id))
        if row and used + needed > width:
            yield row
            row, used = [], 0
        if needed > width:
            cell = cell._replace(text=set_cell_size(cell.text, max(width - 1, 1)).rstrip() + "…")
            needed = width
        row.append((cell, needed))
        used += needed + 1
        if cell.ends_line:
            yield row
            row, used = [], 0
    if row:
        yield row


def show(console: Console, all_cells: Iterable[Cell]) -> None:
    """Prints rows of tokens, each with a row of ids below and an empty line between."""
    number = 0
    for row in rows(all_cells, console.width):
        tokens, ids = Text(), Text(style=ID_STYLE)
        for cell, columns in row:
            padding = columns - cell_len(cell.text)
            tokens.append(cell.text, STYLES[number % len(STYLES)])
            tokens.append(" " * (padding + 1))
            ids.append(cell.id.ljust(columns + 1))
            number += 1
        for line in (tokens, ids):
            line.rstrip()
            console.print(line, no_wrap=True, overflow="ignore", crop=False)
        console.print()
