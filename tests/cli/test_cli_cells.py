"""How tokens are shown."""

import pytest

from fretsaw.cli._cells import Cell, cells, rows, visible


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        (b" a\n\t\r", "␣a↵⇥␍"),
        ("\u0301".encode(), "◌\u0301"),
        ("e\u0301".encode(), "e\u0301"),
        ("\u00a0\u200b".encode(), "<U+00A0><U+200B>"),
        (b"\xe4\xb8", "<e4b8>"),
        ("世".encode(), "世"),
        (b"", ""),
    ],
)
def test_visible(token, shown):
    assert visible(token) == shown


def test_wide_characters_take_two_columns():
    tokens = [(1, "世界".encode()), (2, b"ab")]
    assert [[columns for _, columns in row] for row in rows(cells(tokens), 7)] == [[4, 2]]
    assert [[columns for _, columns in row] for row in rows(cells(tokens), 6)] == [[4], [2]]


def test_a_row_ends_where_a_line_does():
    tokens = [(1, b"a\n"), (2, b"b")]
    assert [[cell for cell, _ in row] for row in rows(cells(tokens), 80)] == [
        [Cell("a↵", "1", True)],
        [Cell("b", "2", False)],
    ]
