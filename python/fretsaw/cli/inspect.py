"""`fretsaw inspect`: what a tokenizer does with a text, and what its vocabulary holds."""

import itertools
import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import click
from rich.cells import cell_len
from rich.text import Text

import fretsaw

from ._cells import ID_STYLE, visible
from ._console import plain_console
from ._options import Vocabulary, json_option, load_vocabulary, tokenizer_option
from ._pipeline import drawing, stages
from ._reach import reach

SHOWN_ADDED_TOKENS = 20
SHOWN_GAPS = 10
TOKEN_COLUMNS = 60
LABEL_COLUMNS, STAGE_COLUMNS = 16, 20
"""Where the names of what is shown stand: bold on a terminal, and numbers below them dim."""


class Report(NamedTuple):
    """What is shown of a vocabulary; its fields are those of `--json`."""

    name: str
    fingerprint: str
    tokens: int
    tokens_of_model: int
    largest_id: int | None
    single_bytes: int
    pipeline: dict[str, list[str]]
    added_tokens: dict[str, int]
    special_tokens: dict[str, int]
    gaps: list[tuple[int, int]]
    tokens_tried: int
    unreachable: int
    unreachable_tokens: list[tuple[int, str]]
    longest_tokens: list[tuple[int, str, int]]


@click.command()
@click.argument("file", metavar="[NAME|FILE|DIR]", required=False)
@tokenizer_option
@click.option(
    "--longest", default=10, show_default=True, metavar="N", help="Show this many longest tokens."
)
@click.option(
    "--unreachable",
    default=10,
    show_default=True,
    metavar="N",
    help="Show this many unreachable tokens; with 0 none is looked for.",
)
@json_option
def inspect(
    file: str | None, vocabulary: Vocabulary, longest: int, unreachable: int, as_json: bool
) -> None:
    """Shows what a text goes through, sizes, added tokens, gaps in the ids, and notable tokens.

    Two vocabularies with the same fingerprint give the same output for every input. A token is
    unreachable if encoding its own text, alone or beside a few others, never yields it; parts of
    characters are not tried.

    With --json: one object. A gap is [first, last], a longest token [id, token, bytes], an
    unreachable token [id, token]; "unreachable" is how many there are of the "tokens_tried".
    """
    if file is not None:
        vocabulary = load_vocabulary(click.get_current_context(), click.Option(["--file"]), file)
    report = report_of(vocabulary, max(longest, 0), max(unreachable, 0))
    if as_json:
        click.echo(json.dumps(report._asdict(), ensure_ascii=False))
        return
    console = plain_console()
    for line in _lines(report):
        shown = Text(line)
        columns = STAGE_COLUMNS if line.startswith((" ↓", " │")) else LABEL_COLUMNS
        shown.stylize(ID_STYLE if line.startswith(" ") else "bold", 0, columns)
        console.print(shown, no_wrap=True, overflow="ignore", crop=False)


def report_of(vocabulary: Vocabulary, longest: int, unreachable: int) -> Report:
    """Everything there is to show."""
    tokenizer = vocabulary.tokenizer
    vocab = tokenizer.get_vocab()
    token_of = dict(sorted((token_id, token) for token, token_id in vocab.items()))
    bytes_of = {token_id: tokenizer.token_bytes(token_id) for token_id in token_of}
    added = tokenizer.get_added_tokens_decoder()
    tried, never = reach(tokenizer, token_of) if unreachable else (0, [])
    by_length = sorted(bytes_of, key=lambda token_id: (-len(bytes_of[token_id]), token_id))
    return Report(
        name=vocabulary.name,
        fingerprint=tokenizer.fingerprint,
        tokens=tokenizer.get_vocab_size(),
        tokens_of_model=tokenizer.get_vocab_size(with_added_tokens=False),
        largest_id=max(token_of, default=None),
        single_bytes=len({token for token in bytes_of.values() if len(token) == 1}),
        pipeline=stages(tokenizer),
        added_tokens={token.content: token_id for token_id, token in added.items()},
        special_tokens={
            token_of[token_id]: token_id for token_id in special_ids(tokenizer, token_of)
        },
        gaps=list(gaps(token_of)),
        tokens_tried=tried,
        unreachable=len(never),
        unreachable_tokens=[
            (token_id, visible(bytes_of[token_id])) for token_id in never[:unreachable]
        ],
        longest_tokens=[
            (token_id, visible(bytes_of[token_id]), len(bytes_of[token_id]))
            for token_id in by_length[:longest]
        ],
    )


def special_ids(tokenizer: fretsaw.Tokenizer, ids: Iterable[int]) -> list[int]:
    """The ids that decoding leaves out when it skips special tokens."""
    single = [[token_id] for token_id in ids]
    without = tokenizer.decode_batch(single, skip_special_tokens=True)
    whole = tokenizer.decode_batch(single, skip_special_tokens=False)
    return [
        token_id
        for [token_id], skipped, kept in zip(single, without, whole, strict=True)
        if kept and not skipped
    ]


def gaps(ids: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Runs of numbers that are no id, first and last, from ids in ascending order.

    >>> list(gaps([0, 1, 4, 6]))
    [(2, 3), (5, 5)]
    """
    for before, after in itertools.pairwise([-1, *ids]):
        if after - before > 1:
            yield before + 1, after - 1


def _lines(report: Report) -> Iterator[str]:
    added = report.tokens - report.tokens_of_model
    yield f"vocabulary      {report.name}"
    yield f"fingerprint     {report.fingerprint}"
    yield ""
    yield from drawing(report.pipeline, len(report.added_tokens))
    yield ""
    yield f"tokens          {report.tokens:,}, {added:,} of them added to the model's own"
    yield f"largest id      {'-' if report.largest_id is None else report.largest_id}"
    yield f"gaps            {_gaps(report.gaps)}"
    yield f"single bytes    {report.single_bytes} of 256 are tokens"
    yield from _tokens("special tokens", report.special_tokens)
    others = report.added_tokens.keys() - report.special_tokens.keys()
    yield from _tokens("other added", {t: i for t, i in report.added_tokens.items() if t in others})
    if report.tokens_tried:
        never = f"{report.unreachable:,}" if report.unreachable else "none"
        yield f"unreachable     {never} of {report.tokens_tried:,} tokens tried on their own text"
    for token_id, token in report.unreachable_tokens:
        yield f"{token_id:>12}    {_cut(token)}"
    if report.unreachable > len(report.unreachable_tokens):
        yield f"{'':>12}    and {report.unreachable - len(report.unreachable_tokens):,} more"
    if report.longest_tokens:
        yield "longest tokens"
    for token_id, token, length_bytes in report.longest_tokens:
        yield f"{token_id:>12}    {length_bytes:>4} bytes  {_cut(token)}"


def _tokens(title: str, tokens: dict[str, int]) -> Iterator[str]:
    """Some tokens of a kind, after their number."""
    yield f"{title:<16}{len(tokens) or 'none'}"
    for token, token_id in list(tokens.items())[:SHOWN_ADDED_TOKENS]:
        yield f"{token_id:>12}    {visible(token.encode())}"
    if len(tokens) > SHOWN_ADDED_TOKENS:
        yield f"{'':>12}    and {len(tokens) - SHOWN_ADDED_TOKENS} more"


def _gaps(found: list[tuple[int, int]]) -> str:
    if not found:
        return "none"
    runs = [
        str(first) if first == last else f"{first}-{last}" for first, last in found[:SHOWN_GAPS]
    ]
    more = f" and {len(found) - SHOWN_GAPS} more" if len(found) > SHOWN_GAPS else ""
    return ", ".join(runs) + more


def _cut(token: str) -> str:
    """The token, cut to the columns there are."""
    if cell_len(token) <= TOKEN_COLUMNS:
        return token
    kept = token
    while cell_len(kept) > TOKEN_COLUMNS - 1:
        kept = kept[:-1]
    return f"{kept}…"
