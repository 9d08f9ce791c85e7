"""`fretsaw count`: how many tokens files have."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import click
from rich.console import Console
from rich.progress import track

from ._input import text_of_file
from ._options import Special, Vocabulary, json_option, special_option, tokenizer_option

PROGRESS_FROM_BYTES = 64_000_000
"""A terminal shows progress from this size on: about a second of work."""


class Count(NamedTuple):
    """Sizes of one file or of all."""

    file: str
    tokens: int
    characters: int

    @property
    def ratio(self) -> float | None:
        """Characters per token."""
        return self.characters / self.tokens if self.tokens else None

    def as_dict(self) -> dict[str, object]:
        """The fields of `--json`."""
        return {**self._asdict(), "characters_per_token": self.ratio}

    def as_row(self) -> str:
        """A line of the table."""
        ratio = "-" if self.ratio is None else f"{self.ratio:.2f}"
        return f"{self.tokens:>14,}{self.characters:>14,}{ratio:>18}  {self.file}"


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@tokenizer_option
@special_option
@json_option
def count(files: tuple[str, ...], vocabulary: Vocabulary, special: Special, as_json: bool) -> None:
    """Counts the tokens of each FILE and of all together.

    A FILE of - is standard input. The more characters per token, the better the vocabulary fits.

    With --json: {"files": [...], "total": {...}}, each with file, tokens, characters and
    characters_per_token (null where there are no tokens).
    """
    counts = []
    for file in _with_progress(files):
        text = text_of_file(file)
        counts.append(Count(file, vocabulary.tokenizer.count(text, special=special), len(text)))
    tokens, characters = (sum(column) for column in list(zip(*counts, strict=True))[1:])
    total = Count("total", tokens, characters)
    if as_json:
        report = {"files": [one.as_dict() for one in counts], "total": total.as_dict()}
        click.echo(json.dumps(report, ensure_ascii=False))
        return
    click.echo(f"{'tokens':>14}{'characters':>14}{'characters/token':>18}  file")
    for row in counts if len(counts) == 1 else [*counts, total]:
        click.echo(row.as_row())


def _with_progress(files: tuple[str, ...]) -> Iterator[str]:
    """The files, with a progress bar on a terminal where there is much to do."""
    console = Console(stderr=True)
    if not console.is_terminal or _size_bytes(files) < PROGRESS_FROM_BYTES:
        yield from files
        return
    yield from track(files, description="counting", console=console, transient=True)


def _size_bytes(files: Iterable[str]) -> int:
    return sum(path.stat().st_size for path in map(Path, files) if path.is_file())
