"""`fretsaw inspect`: what a vocabulary holds."""

import itertools
import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import click
from rich.cells import cell_len

import fretsaw

from ._cells import visible
from ._options import Vocabulary, json_option, tokenizer_option

SHOWN_SPECIAL_TOKENS = 20
SHOWN_GAPS = 10
TOKEN_COLUMNS = 60


class Report(NamedTuple):
    """What is shown of a vocabulary; its fields are those of `--json`."""

    name: str
    fingerprint: str
    tokens: int
    tokens_of_model: int
    largest_id: int | None
    single_bytes: int
    special_tokens: dict[str, int]
    gaps: list[tuple[int, int]]
    longest_tokens: list[tuple[int, str, int]]


@click.command()
@tokenizer_option
@click.option(
    "--longest", default=10, show_default=True, metavar="N", help="Show this many longest tokens."
)
@json_option
def inspect(vocabulary: Vocabulary, longest: int, as_json: bool) -> None:
    """Shows sizes, special tokens, gaps in the ids, the longest tokens and the fingerprint.

    Two vocabularies with the same fingerprint give the same output for every input.

    With --json: one object. A gap is [first, last], a longest token [id, token, bytes].
    """
    report = report_of(vocabulary, max(longest, 0))
    if as_json:
        click.echo(json.dumps(report._asdict(), ensure_ascii=False))
    else:
        click.echo("\n".join(_lines(report)))


def report_of(vocabulary: Vocabulary, longest: int) -> Report:
    """Everything there is to show."""
    tokenizer = vocabulary.tokenizer
    vocab = tokenizer.get_vocab()
    token_of = dict(sorted((token_id, token) for token, token_id in vocab.items()))
    bytes_of = {token_id: tokenizer.token_bytes(token_id) for token_id in token_of}
    by_length = sorted(bytes_of, key=lambda token_id: (-len(bytes_of[token_id]), token_id))
    return Report(
        name=vocabulary.name,
        fingerprint=tokenizer.fingerprint,
        tokens=tokenizer.get_vocab_size(),
        tokens_of_model=tokenizer.get_vocab_size(with_added_tokens=False),
        largest_id=max(token_of, default=None),
        single_bytes=len({token for token in bytes_of.values() if len(token) == 1}),
        special_tokens={
            token_of[token_id]: token_id for token_id in special_ids(tokenizer, token_of)
        },
        gaps=list(gaps(token_of)),
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
    yield f"tokens          {report.tokens:,}, {added:,} of them added to the model's own"
    yield f"largest id      {'-' if report.largest_id is None else report.largest_id}"
    yield f"gaps            {_gaps(report.gaps)}"
    yield f"single bytes    {report.single_bytes} of 256 are tokens"
    yield f"special tokens  {len(report.special_tokens) or 'none'}"
    special = list(report.special_tokens.items())
    for token, token_id in special[:SHOWN_SPECIAL_TOKENS]:
        yield f"{token_id:>12}    {visible(token.encode())}"
    if len(special) > SHOWN_SPECIAL_TOKENS:
        yield f"{'':>12}    and {len(special) - SHOWN_SPECIAL_TOKENS} more"
    if report.longest_tokens:
        yield "longest tokens"
    for token_id, token, length_bytes in report.longest_tokens:
        yield f"{token_id:>12}    {length_bytes:>4} bytes  {_cut(token)}"


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
