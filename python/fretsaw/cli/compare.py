"""`fretsaw compare`: two vocabularies on the same text, and where they cut differently."""

import json
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

import click
from rich.text import Text

from ._cells import ID_STYLE, STYLES, visible
from ._console import plain_console
from ._input import InputError, text_of_argument, text_of_file
from ._options import Special, Vocabulary, json_option, load_vocabulary, special_option

Cuts = tuple[bytes, ...]


class Side(NamedTuple):
    """One vocabulary's tokens of a text, as the bytes they stand for."""

    name: str
    tokens: list[bytes]


class Difference(NamedTuple):
    """A stretch of text between two common cuts that the two sides cut differently."""

    left: Cuts
    right: Cuts


@click.command()
@click.argument("left", metavar="A", callback=load_vocabulary)
@click.argument("right", metavar="B", callback=load_vocabulary)
@click.argument("texts", nargs=-1, metavar="[TEXT]...")
@click.option("-f", "--file", "files", multiple=True, metavar="FILE", help="Compare on this file.")
@click.option("--most", default=20, show_default=True, help="Differences to show, commonest first.")
@special_option
@json_option
def compare(
    left: Vocabulary,
    right: Vocabulary,
    texts: tuple[str, ...],
    files: tuple[str, ...],
    most: int,
    special: Special,
    as_json: bool,
) -> None:
    """Compares vocabularies A and B on the same text: how many tokens, and where cuts differ.

    A TEXT or FILE of - is standard input. A difference is the shortest stretch between two places
    where both cut. Where a vocabulary changes the text first (a normalizer), its cuts have no
    places in it and only counts are given.

    With --json: {"characters", "left": {"name", "tokens"}, "right": {...}, "same_cuts",
    "differences": [{"times", "left": [...], "right": [...]}]}; the last two are null without places.
    """
    inputs = [text_of_file(text) if text == "-" else text_of_argument(text) for text in texts]
    inputs += map(text_of_file, files)
    if not inputs:
        raise InputError("nothing to compare on: give a TEXT, --file FILE, or - for standard input")
    totals = [0, 0]
    same: int | None = 0
    found: Counter[Difference] = Counter()
    for text in inputs:
        sides = [_side(vocabulary, text, special) for vocabulary in (left, right)]
        totals = [total + len(side.tokens) for total, side in zip(totals, sides, strict=True)]
        if all(b"".join(side.tokens) == text.encode() for side in sides):
            found.update(differences(sides[0].tokens, sides[1].tokens))
            same = None if same is None else same + _common(sides[0].tokens, sides[1].tokens)
        else:
            same = None
    characters = sum(map(len, inputs))
    counts = [(left.name, totals[0]), (right.name, totals[1])]
    if as_json:
        click.echo(_json(characters, counts, same, found, most))
        return
    _print(characters, counts, same, found, most)


def differences(left: list[bytes], right: list[bytes]) -> Iterator[Difference]:
    """Stretches between common cuts that are cut differently; both sides are the same bytes.

    >>> list(differences([b"ab", b"c", b"d"], [b"a", b"bc", b"d"]))
    [Difference(left=(b'ab', b'c'), right=(b'a', b'bc'))]
    """
    at, beside, ends = 0, 0, [0, 0]
    starts = (0, 0)
    while at < len(left) or beside < len(right):
        if ends[0] <= ends[1] and at < len(left):
            ends[0] += len(left[at])
            at += 1
        else:
            ends[1] += len(right[beside])
            beside += 1
        if ends[0] == ends[1]:
            one, other = tuple(left[starts[0] : at]), tuple(right[starts[1] : beside])
            if one != other:
                yield Difference(one, other)
            starts = (at, beside)


def _side(vocabulary: Vocabulary, text: str, special: Special) -> Side:
    tokenizer = vocabulary.tokenizer
    ids = tokenizer.encode_ids(text, add_special_tokens=False, special=special)
    return Side(vocabulary.name, [tokenizer.token_bytes(token_id) for token_id in ids])


def _common(left: list[bytes], right: list[bytes]) -> int:
    """How many cuts both have, the end of the text included."""
    return len(set(accumulate(map(len, left))) & set(accumulate(map(len, right))))


def _json(
    characters: int,
    counts: list[tuple[str, int]],
    same: int | None,
    found: Counter[Difference],
    most: int,
) -> str:
    sides = [{"name": name, "tokens": tokens} for name, tokens in counts]
    shown = [
        {"times": times, "left": [*map(visible, one.left)], "right": [*map(visible, one.right)]}
        for one, times in found.most_common(most)
    ]
    report = {"characters": characters, "left": sides[0], "right": sides[1], "same_cuts": same}
    report["differences"] = None if same is None else shown
    return json.dumps(report, ensure_ascii=False)


def _print(
    characters: int,
    counts: list[tuple[str, int]],
    same: int | None,
    found: Counter[Difference],
    most: int,
) -> None:
    lines = [Text(f"{'tokens':>14}{'characters/token':>18}  vocabulary")]
    for name, tokens in counts:
        ratio = f"{characters / tokens:.2f}" if tokens else "-"
        lines.append(Text(f"{tokens:>14,}{ratio:>18}  {name}"))
    if same is None:
        lines.append(Text("a vocabulary changes the text first, so cuts can't be compared"))
    else:
        cut = f"{same:,} cuts in common, {found.total():,} stretches cut differently"
        lines.append(Text(cut, "bold"))
        lines += [_difference(one, times) for one, times in found.most_common(most)]
    console = plain_console()
    for line in lines:
        console.print(line, no_wrap=True, overflow="ignore", crop=False)


def _difference(one: Difference, times: int) -> Text:
    """Both sides of a difference, tokens in alternating colours with a bar between."""
    line = Text(f"{times:>8,}×")
    for side, gap in zip(one, ("  ", "   "), strict=True):
        line.append(gap)
        for at, token in enumerate(side):
            line.append("|" if at else "", ID_STYLE)
            line.append(visible(token), STYLES[at % len(STYLES)])
    return line
