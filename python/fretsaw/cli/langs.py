"""`fretsaw langs`: characters per token by language, as bars."""

import json
from typing import NamedTuple

import click
from rich.cells import cell_len
from rich.text import Text

from fretsaw.app import languages

from ._console import plain_console
from ._options import Vocabulary, json_option, load_vocabulary

STYLES = ("cyan", "yellow", "green", "magenta", "blue", "red")
EIGHTHS = " ▏▎▍▌▋▊▉"
DEFAULT = ("gpt2", "o200k_base")


class Row(NamedTuple):
    """A language with its characters, and tokens in each vocabulary."""

    code: str
    name: str
    characters: int
    tokens: list[int]

    @property
    def ratios(self) -> list[float]:
        """Characters per token."""
        return [self.characters / count for count in self.tokens]


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME|FILE|DIR]...")
@click.option(
    "--order",
    type=click.Choice(["name", "most", "least"]),
    default="name",
    show_default=True,
    help="By name, or by characters per token in the first vocabulary.",
)
@json_option
def langs(names: tuple[str, ...], order: str, as_json: bool) -> None:
    """Shows characters per token by language, over the Universal Declaration of Human Rights.

    The longer the bar, the fewer tokens the same text takes. Without names: gpt2 and o200k_base.

    With --json: {"vocabularies": [...], "languages": [{"code", "name", "characters", "tokens": [...],
    "characters_per_token": [...]}]}.
    """
    context, option = click.get_current_context(), click.Option(["--name"])
    vocabularies = [load_vocabulary(context, option, name) for name in names or DEFAULT]
    rows = _rows(vocabularies)
    if order != "name":
        rows.sort(key=lambda row: row.ratios[0], reverse=order == "most")
    if as_json:
        found = [row._asdict() | {"characters_per_token": row.ratios} for row in rows]
        named = [vocabulary.name for vocabulary in vocabularies]
        click.echo(json.dumps({"vocabularies": named, "languages": found}, ensure_ascii=False))
        return
    _print(vocabularies, rows)


def _rows(vocabularies: list[Vocabulary]) -> list[Row]:
    texts = [one.text for one in languages()]
    counts = [
        vocabulary.tokenizer.count_batch(texts, add_special_tokens=False, special="none")
        for vocabulary in vocabularies
    ]
    return [
        Row(one.code, one.name, len(one.text), [count[at] for count in counts])
        for at, one in enumerate(languages())
    ]


def _print(vocabularies: list[Vocabulary], rows: list[Row]) -> None:
    console = plain_console()
    wide = max(cell_len(row.name) for row in rows)
    most = max(ratio for row in rows for ratio in row.ratios)
    columns = max(10, console.width - wide - 10)
    lines = [Text("characters per token of the Universal Declaration of Human Rights")]
    for at, vocabulary in enumerate(vocabularies):
        lines.append(Text("█ ", STYLES[at % len(STYLES)]).append(vocabulary.name, "default"))
    for row in rows:
        for at, ratio in enumerate(row.ratios):
            name = row.name if at == 0 else ""
            line = Text(f"{name:<{wide}}{ratio:>7.2f}  ")
            lines.append(line.append(_bar(ratio / most, columns), STYLES[at % len(STYLES)]))
    for line in lines:
        line.rstrip()
        console.print(line, no_wrap=True, overflow="ignore", crop=False)


def _bar(share: float, columns: int) -> str:
    """A bar of a share of the columns, to an eighth of one.

    >>> _bar(0.5, 3), _bar(1, 3)
    ('█▌', '███')
    """
    eighths = round(share * columns * 8)
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()
