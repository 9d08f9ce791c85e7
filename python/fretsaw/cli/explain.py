"""`fretsaw explain`: how a word becomes its tokens, step by step."""

import json
from collections.abc import Iterator
from typing import Any

import click
from rich.text import Text

from fretsaw.app import explain as explain_text

from ._cells import ID_STYLE, STYLES, visible
from ._console import plain_console
from ._input import text_of_argument
from ._options import Vocabulary, json_option, tokenizer_option

NEW_STYLE = "bold reverse"
BEST_STYLE = "bold"
TRIED_STYLE = "strike bright_black"
RULES = {
    "bpe": "of all pairs that have a rule the one with the lowest rank is merged, the leftmost first",
    "unigram": "of all ways to cut the piece the one with the highest sum of scores, marked with *",
    "wordpiece": "the longest token that fits, again and again",
    "wordlevel": "a word is a token, or unknown",
    "unknown": "the steps of this model can't be shown",
}


@click.command()
@click.argument("word")
@tokenizer_option
@json_option
def explain(word: str, vocabulary: Vocabulary, as_json: bool) -> None:
    """Explains how WORD becomes its tokens: the merge ladder, the lattice or the longest matches.

    The steps are those of fretsaw.reference, the ids those of the library. WORD may be a text of
    several words; each pre-token has its own steps. Mind the space in front: " word" and "word" are
    not the same.

    With --json: {"kind", "ids", "tokens", "pieces", "agrees"}; bytes are in hexadecimal. Each piece
    has its "ids" and, by kind, "rungs", "arcs" ([start, end, score, id, on the best way]) or "matches".
    """
    found = explain_text(vocabulary.tokenizer, text_of_argument(word))
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False))
        return
    console = plain_console()
    lines = [Text(f"{found['kind']}: {RULES[found['kind']]}", ID_STYLE)]
    for piece in found["pieces"]:
        lines += [Text(), *_lines(piece)]
    tokens = [visible(bytes.fromhex(token)) for token in found["tokens"]]
    lines += [Text(), _joined(tokens), Text(" ".join(map(str, found["ids"])), ID_STYLE)]
    for line in lines:
        console.print(line, no_wrap=True, overflow="ignore", crop=False)


def _lines(piece: dict[str, Any]) -> Iterator[Text]:
    """The steps of a pre-token, by kind."""
    if "rungs" in piece:
        yield from _ladder(piece["rungs"])
    elif "arcs" in piece:
        yield from _lattice(piece["piece"], piece["arcs"])
    elif "matches" in piece:
        yield from _matches(piece["matches"])
    else:
        yield Text(visible(piece["piece"].encode()))


def _ladder(rungs: list[dict[str, Any]]) -> Iterator[Text]:
    """The start and one line for each merge: the rank, the parts with the new one marked, the rule."""
    before: list[str] = []
    for rung in rungs:
        parts = [visible(bytes.fromhex(part)) for part in rung["parts"]]
        rule = rung["rule"]
        rank = "start" if not before else "whole" if rule is None else f"{rung['rank']}"
        changed = (at for at, part in enumerate(parts) if at >= len(before) or part != before[at])
        new = next(changed, None) if before else None
        yield Text(f"{rank:>10}  ", ID_STYLE).append_text(_joined(parts, new))
        before = parts


def _lattice(piece: str, arcs: list[list[Any]]) -> Iterator[Text]:
    """A line for each token that may stand in the piece, below the characters that it covers."""
    for start, end, score, token_id, best in arcs:
        token = visible(piece[start:end].encode())
        line = f"{'*' if best else ' '}{score:>9.3f}{token_id:>9}  {' ' * start}{token}"
        yield Text(line, BEST_STYLE if best else "")


def _matches(matches: list[dict[str, Any]]) -> Iterator[Text]:
    """A line for each step: what fits, and what was tried before in vain."""
    for match in matches:
        token = "nothing fits" if match["token"] is None else visible(match["token"].encode())
        line = Text(f"{match['start']:>10}  ", ID_STYLE).append(token, NEW_STYLE)
        if match["tried"]:
            line.append("  not ").append(" ".join(match["tried"]), TRIED_STYLE)
        yield line


def _joined(parts: list[str], new: int | None = None) -> Text:
    """Parts with a space between, in alternating colours, the new one marked."""
    line = Text()
    for at, part in enumerate(parts):
        line.append(" " if at else "")
        line.append(part, NEW_STYLE if at == new else STYLES[at % len(STYLES)])
    return line
