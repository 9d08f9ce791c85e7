"""`fretsaw tokenize`: from text files to the token shards that training reads."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, TextColumn
from rich.progress import Progress as Bars

import fretsaw
from fretsaw import bulk

from ._input import InputError
from ._options import Vocabulary, json_option, special_option, tokenizer_option

LAYOUTS = ["bin", "npy", "megatron", "parquet", "arrow"]
LINE_EVERY_S = 30.0


@click.command()
@click.argument("inputs", nargs=-1, metavar="[IN]...")
@tokenizer_option
@click.option("-o", "--out", type=click.Path(path_type=Path, file_okay=False), help="The folder.")
@click.option("--workers", type=click.IntRange(0), default=0, help="0: as many as CPUs.")
@click.option(
    "--ray",
    is_flag=False,
    flag_value="auto",
    metavar="[ADDRESS]",
    help="Works on a Ray cluster: at an address, or the one at hand.",
)
@click.option("--resume", is_flag=True, help="Goes on with the unfinished job in the folder.")
@click.option(
    "--by",
    default="line",
    show_default=True,
    help="What is a document of text: a line, the whole file, or what is between this separator.",
)
@click.option("--field", default="text", show_default=True, help="Where jsonl has its text.")
@click.option("--column", default="text", show_default=True, help="Where tables have their text.")
@click.option("--layout", type=click.Choice(LAYOUTS), default="bin", show_default=True)
@click.option("--append", metavar="TOKEN", help="A token that ends each document.")
@click.option("--prepend", metavar="TOKEN", help="A token that begins each document.")
@click.option("--add-special-tokens", is_flag=True, help="Those of the tokenizer's post-processor.")
@special_option
@click.option("--shard-tokens", type=click.IntRange(1), default=100_000_000, show_default=True)
@click.option("--pack", type=click.IntRange(1), metavar="LENGTH", help="Whole rows of this length.")
@click.option("--shuffle", type=click.IntRange(0), metavar="SEED", help="Shuffles documents.")
@click.option("--shuffle-window", type=click.IntRange(1), default=100_000, show_default=True)
@click.option("--dedup", type=click.Choice(["exact"]), help="Leaves out what was there before.")
@click.option("--max-doc-bytes", type=click.IntRange(1), default=64 << 20, show_default=True)
@click.option("--strict", is_flag=True, help="A document that can't be taken ends the job.")
@click.option("--verify", type=click.Path(path_type=Path), metavar="DIR", help="Checks a folder.")
@click.option("--show", type=int, metavar="N", help="Decodes document N of the folder --out.")
@json_option
def tokenize(
    inputs: tuple[str, ...],
    vocabulary: Vocabulary,
    out: Path | None,
    verify: Path | None,
    show: int | None,
    ray: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Turns the files IN into shards of tokens in the folder --out.

    An IN is a path or a glob: text, .jsonl, .parquet or Arrow, text and jsonl also as .gz and .zst. The
    same bytes come out whatever the number of workers. --verify DIR and --show N look at a folder that
    is there; documents that could not be taken are in its rejected.jsonl.

    With --json: {"documents", "tokens", "rejected", "duplicates", "shards"}; with --verify {"faults"};
    with --show {"text"}.
    """
    if verify is not None:
        _verify(verify, as_json)
        return
    if out is None:
        raise click.UsageError("give the folder with --out")
    if show is not None:
        _show(out, show, as_json)
        return
    if not inputs:
        raise click.UsageError("give at least one file IN")
    options["ray"] = ray is not None and (ray == "auto" or ray)
    with _bar() as tell:
        manifest = bulk.tokenize(inputs, out, vocabulary.tokenizer, progress=tell, **options)
    numbers = {name: manifest[name] for name in ("documents", "tokens", "rejected", "duplicates")}
    numbers["shards"] = len(manifest["shards"])
    if as_json:
        click.echo(json.dumps(numbers))
        return
    line = f"{out}: {numbers['documents']:,} documents, {numbers['tokens']:,} tokens"
    click.echo(f"{line}, {numbers['shards']:,} shard{'s' * (numbers['shards'] != 1)}")
    for name in ("rejected", "duplicates"):
        if numbers[name]:
            click.echo(f"{numbers[name]:,} {name}")


def _verify(folder: Path, as_json: bool) -> None:
    faults = bulk.verify(folder)
    if as_json:
        click.echo(json.dumps({"faults": faults}))
    elif not faults:
        click.echo(f"{folder}: as its manifest says")
    if faults:
        raise InputError(f"{folder}: " + "; ".join(faults))


def _show(folder: Path, number: int, as_json: bool) -> None:
    try:
        ids = bulk.Shards(folder).document(number)
    except IndexError as error:
        raise InputError(f"{folder}: {error}") from None
    tok = fretsaw.Tokenizer.from_file(folder / "tokenizer.fret")
    text = tok.decode(ids.tolist(), skip_special_tokens=False)
    click.echo(json.dumps({"text": text}, ensure_ascii=False) if as_json else text)


@contextmanager
def _bar() -> Iterator[Callable[[bulk.Progress], None]]:
    """Bytes, speed, time left, documents and tokens: on a terminal, else a line now and then."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Lines()
        return
    columns = (BarColumn(), DownloadColumn(), TextColumn("{task.description}"))
    with Bars(*columns, console=console, transient=True) as bars:
        task = bars.add_task("", total=None)

        def tell(now: bulk.Progress) -> None:
            total = now.bytes_total
            bars.update(task, completed=now.bytes_read, total=total, description=_speed(now))

        yield tell


class _Lines:
    """Progress for a log: a line every half a minute."""

    def __init__(self) -> None:
        self._next = time.monotonic() + LINE_EVERY_S

    def __call__(self, now: bulk.Progress) -> None:
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + LINE_EVERY_S
        done = f"{now.bytes_read / 1e6:,.0f} of {now.bytes_total / 1e6:,.0f} MB"
        click.echo(f"{done}, {_speed(now)}", err=True)


def _speed(now: bulk.Progress) -> str:
    minutes, seconds = divmod(round(min(now.seconds_left, 1e9)), 60)
    hours, minutes = divmod(minutes, 60)
    left = f"{now.mb_per_s:,.0f} MB/s, {hours:,}:{minutes:02}:{seconds:02} left"
    return f"{left}, {now.documents:,} documents, {now.tokens:,} tokens"
