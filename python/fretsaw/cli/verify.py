"""`fretsaw verify`: a tokenizer.json in fretsaw and in the library that it belongs to."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import click
from rich.cells import cell_len, set_cell_size

import fretsaw

from ._cells import visible
from ._input import text_of_file
from ._nasty_texts import nasty_texts
from ._options import Vocabulary, json_option, load_vocabulary
from ._oracle import FAILED, FOLLOWED, json_of, load, quiet, result_of, version_of

BEFORE, BEHIND = 2, 5
"""Tokens that are shown before and from the first one that differs on."""

TEXT_COLUMNS = 60
TOKEN_COLUMNS = 34


class Difference(NamedTuple):
    """What one text gives in the two libraries, where it is not the same."""

    source: str
    text: str
    what: str
    fretsaw: Any
    tokenizers: Any


@click.command()
@click.argument("vocabulary", metavar="TOKENIZER", callback=load_vocabulary)
@click.argument("texts", nargs=-1, metavar="[TEXTS]...")
@click.option("--most", default=5, show_default=True, metavar="N", help="Differences to show.")
@json_option
def verify(vocabulary: Vocabulary, texts: tuple[str, ...], most: int, as_json: bool) -> None:
    """Compares fretsaw with Hugging Face's `tokenizers` on a tokenizer.json of yours.

    TOKENIZER is a tokenizer.json, a folder that holds one, or anything that can be written as one;
    TEXTS are files, or - for standard input, of which every line is a text. Built-in texts are tried
    as well: white space, combining marks, emoji, controls, the tokenizer's own added tokens, tokens
    in random order and others. Compared are ids and tokens, with what the template adds and without
    it, and the decoded text, with special tokens and without them. Where both fail, they agree.

    The exit code is 0 if all is equal, 1 if something differs, 2 for bad input and if `tokenizers`
    is not installed.

    With --json: {"name", "tokenizers", "texts", "different", "differences": [{"source", "text",
    "what", "fretsaw", "tokenizers"}]}.
    """
    version = version_of()
    tried: dict[str, str] = {}
    for source, text in [*lines_of(texts), *nasty_texts(vocabulary.tokenizer)]:
        tried.setdefault(text, source)
    with quiet():
        oracle = load(json_of(vocabulary), vocabulary.name)
        found = list(differences(vocabulary.tokenizer, oracle, tried))
    if as_json:
        shown = [difference._asdict() for difference in found[:most]]
        report = {"name": vocabulary.name, "tokenizers": version, "texts": len(tried)}
        click.echo(json.dumps({**report, "different": len(found), "differences": shown}))
    else:
        own = sum(":" in source for source in tried.values())
        click.echo("\n".join(_lines(version, len(tried), own, found, most)))
    click.get_current_context().exit(1 if found else 0)


def lines_of(files: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Every line of files with its line end, and where it stands: `file:line`."""
    for file in files:
        lines = text_of_file(file).split("\n")
        for number, line in enumerate(lines, start=1):
            end = "\n" if number < len(lines) else ""
            if line + end:
                yield f"{file}:{number}", line + end


def differences(
    ours: fretsaw.Tokenizer, oracle: Any, texts: dict[str, str]
) -> Iterator[Difference]:
    """The first difference of each text that has one."""
    for text, source in texts.items():
        for what, one, other in outcomes(ours, oracle, text):
            if one != other:
                yield Difference(source, text, what, one, other)
                break


def outcomes(ours: fretsaw.Tokenizer, oracle: Any, text: str) -> Iterator[tuple[str, Any, Any]]:
    """What is compared of a text: its name, and what each of the two gives."""
    for add in (True, False):
        one = result_of(ours.encode, text, add_special_tokens=add)
        other = result_of(oracle.encode, text, add_special_tokens=add)
        title = "" if add else " without special tokens"
        yield f"tokens{title}", _tokens(one), _tokens(other)
        if FAILED in (one, other):
            return
        for skip in (True, False) if add else ():
            left = result_of(ours.decode, one.ids, skip_special_tokens=skip)
            right = result_of(oracle.decode, other.ids, skip_special_tokens=skip)
            yield f"decoded text {'without' if skip else 'with'} special tokens", left, right


def _tokens(encoding: Any) -> Any:
    """Ids with their tokens, as the JSON report has them."""
    if encoding == FAILED:
        return FAILED
    return [
        [token_id, token] for token_id, token in zip(encoding.ids, encoding.tokens, strict=True)
    ]


def _lines(version: str, texts: int, own: int, found: list[Difference], most: int) -> Iterator[str]:
    note = "" if version == FOLLOWED else f" (fretsaw follows {FOLLOWED})"
    yield f"{texts:,} texts compared with tokenizers {version}{note}: {own:,} lines, {texts - own:,} built in"
    if not found:
        yield "no difference"
        return
    yield f"{len(found):,} texts differ"
    for difference in found[:most]:
        yield ""
        yield f"{difference.source}: {difference.what} of {_shown(difference.text, TEXT_COLUMNS)}"
        yield from _side_by_side(difference.fretsaw, difference.tokenizers)


def _side_by_side(one: Any, other: Any) -> Iterator[str]:
    """Two results in two columns, from shortly before the first place where they differ."""
    if isinstance(one, str) and isinstance(other, str) and FAILED not in (one, other):
        unit, left, right = "character", list(one), list(other)
        step = TOKEN_COLUMNS // 2
    else:
        unit, left, right = "token", _cells(one), _cells(other)
        step = 1
    shorter = min(len(left), len(right))
    at = next((i for i in range(shorter) if left[i] != right[i]), shorter)
    yield f"{unit:>12}  {_padded('fretsaw')}  tokenizers"
    start = max(0, at - BEFORE)
    end = max(len(left), len(right))
    if step > 1:
        end = min(end, start + step)
        columns = [_shown("".join(side[start:end]), TOKEN_COLUMNS) for side in (left, right)]
        yield f"{start:>12}  {_padded(columns[0])}  {columns[1]}".rstrip()
        return
    for place in range(start, min(end, at + BEHIND)):
        row = [side[place] if place < len(side) else "" for side in (left, right)]
        yield f"{place:>12}  {_padded(row[0])}  {row[1]}".rstrip()


def _cells(result: Any) -> list[str]:
    """The rows of a column: ids with tokens, or the one word for an error."""
    if isinstance(result, str):
        return [result]
    return [f"{token_id} {_shown(token, TOKEN_COLUMNS - 8)}" for token_id, token in result]


def _padded(text: str) -> str:
    return text + " " * max(0, TOKEN_COLUMNS - cell_len(text))


def _shown(text: str, columns: int) -> str:
    """A text with visible white space, cut to so many columns."""
    whole = visible(text[: 4 * columns].encode("utf-8", "surrogatepass"))
    if cell_len(whole) <= columns:
        return whole
    return set_cell_size(whole, columns - 1).rstrip() + "…"
