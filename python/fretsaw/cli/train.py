"""`fretsaw train`: a tokenizer from text files."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

import fretsaw
from fretsaw.spec import Spec

from ._curve import Curve, halves, picture
from ._options import json_option


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="FILE...")
@click.option("-o", "--out", required=True, type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--model",
    type=click.Choice(["bpe", "unigram", "wordpiece", "wordlevel"]),
    default="bpe",
    show_default=True,
)
@click.option("--vocab-size", type=click.IntRange(0), default=30_000, show_default=True)
@click.option("--min-frequency", type=click.IntRange(0), default=0, show_default=True)
@click.option(
    "--special", "special_tokens", multiple=True, help="A special token; can be repeated."
)
@click.option(
    "--like",
    type=click.Path(exists=True, path_type=Path),
    help="A tokenizer.json whose pipeline is used; its model is trained anew.",
)
@click.option(
    "--continue-from",
    type=click.Path(exists=True, path_type=Path),
    help="A byte-pair tokenizer whose tokens keep their ids; new ones come behind them.",
)
@click.option("--limit-alphabet", type=click.IntRange(0), help="The most characters to keep.")
@click.option("--max-token-length", type=click.IntRange(0), help="In characters; for bpe.")
@click.option("--byte-fallback", is_flag=True, help="Tokens for bytes; for bpe and unigram.")
@click.option("--character-coverage", type=float, default=1.0, show_default=True)
@click.option("--unk-token", help="<unk> for unigram, none for bpe, else [UNK].")
@click.option(
    "--by",
    default="line",
    show_default=True,
    help="What is a text of its own: a line, the whole file, or what is between this separator.",
)
@click.option("--field", default="text", show_default=True, help="Where jsonl has its text.")
@click.option("--column", default="text", show_default=True, help="Where parquet has its text.")
@click.option("--errors", type=click.Choice(["strict", "replace"]), default="strict")
@click.option("--held-out", "held_out", multiple=True, help="Reports how this FILE is encoded.")
@click.option(
    "--plot",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Draws compression of the held-out files by vocabulary size, as SVG.",
)
@click.option("--max-distinct", type=click.IntRange(0), help="Drops rare pieces beyond so many.")
@click.option("--max-pretoken-chars", type=click.IntRange(1), help="Cuts longer pieces.")
@click.option("--checkpoint", type=click.Path(path_type=Path, dir_okay=False), help="Saves there.")
@click.option("--resume", is_flag=True, help="Goes on from --checkpoint, if it is there.")
@click.option("--threads", type=click.IntRange(0), default=0, help="0: as many as CPUs.")
@json_option
def train(
    sources: tuple[str, ...],
    out: Path,
    like: Path | None,
    continue_from: Path | None,
    held_out: tuple[str, ...],
    plot: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Trains a tokenizer on FILEs and writes it as a tokenizer.json.

    A FILE is a path or a glob: text, .jsonl or .parquet, also .gz and .zst. What comes out is what
    Hugging Face tokenizers would train, and what it loads.

    --plot counts the FILEs once more and trains vocabularies of half the size, a quarter and so on.

    With --json: {"out", "model", "vocab_size"}, and with --held-out "report": {"vocab_size", "files",
    "used", "used_share", "never_used", "longest"}.
    """
    if plot is not None and not held_out:
        raise click.UsageError("--plot needs --held-out texts to measure on")
    if like is not None and continue_from is not None:
        raise click.UsageError("--like and --continue-from don't go together")
    files = [Path(source) for source in sources]
    pipeline = None
    if like is not None:
        pipeline = Spec.from_json(like.read_text("utf-8"))
    if continue_from is not None:
        options["continue_from"] = fretsaw.Tokenizer.from_file(continue_from)
    options["special_tokens"] = list(options["special_tokens"])
    with _bars() as tell:
        tok = fretsaw.train(files, spec=pipeline, progress=tell, **options)
    tok.save(out)
    size = tok.get_vocab_size()
    found = None
    texts = [Path(file) for file in held_out]
    reading: dict[str, Any] = {name: options[name] for name in ("by", "field", "column", "errors")}
    if texts:
        found = fretsaw.report(tok, texts, **reading)
    if plot is not None:
        curves = _curves(tok, files, texts, pipeline, options, reading)
        title = f"{options['model']}, compression of text that was held out"
        plot.write_text(picture(title, curves), "utf-8")
    if as_json:
        line = {"out": str(out), "model": type(tok.model).__name__, "vocab_size": size}
        if found is not None:
            line["report"] = found.as_dict()
        click.echo(json.dumps(line, ensure_ascii=False))
        return
    click.echo(f"{out}: {size:,} tokens")
    if found is not None:
        _show(found)


def _curves(
    tok: fretsaw.Tokenizer,
    files: list[Path],
    texts: list[Path],
    pipeline: Spec | None,
    options: dict[str, Any],
    reading: dict[str, Any],
) -> list[Curve]:
    """How vocabularies of several sizes, trained on the same counts, fit texts."""
    cutting = pipeline or replace(Spec.from_json(tok.to_str()), added_tokens=[])
    if "continue_from" in options:
        cutting = Spec.from_json(options["continue_from"].to_str())
    limits: dict[str, Any] = {
        name: options[name] for name in ("max_distinct", "max_pretoken_chars", "threads")
    }
    counts = fretsaw.count_pieces(files, spec=cutting, **limits, **reading)
    own = {name: value for name, value in options.items() if name not in ("checkpoint", "resume")}
    points: dict[str, dict[int, float]] = {}
    for size in halves(options["vocab_size"]):
        try:
            trained = fretsaw.train(counts=counts, spec=pipeline, **own | {"vocab_size": size})
        except fretsaw.TrainError:
            continue  # too small for the alphabet of a Unigram model
        for fit in fretsaw.report(trained, texts, **reading).fits:
            if fit.bytes_per_token is not None:
                found = points.setdefault(Path(fit.name).name, {})
                found[trained.get_vocab_size()] = fit.bytes_per_token
    return [Curve(name, list(found.items())) for name, found in points.items()]


def _show(found: fretsaw.Report) -> None:
    click.echo(f"{'tokens':>14}{'characters/token':>18}{'bytes/token':>14}  file")
    for fit in found.fits:
        characters, size = (
            "-" if ratio is None else f"{ratio:.2f}"
            for ratio in (fit.characters_per_token, fit.bytes_per_token)
        )
        click.echo(f"{fit.tokens:>14,}{characters:>18}{size:>14}  {fit.name}")
    unused = len(found.never_used)
    click.echo(f"{found.used:,} of {found.vocab_size:,} tokens are used, {unused:,} are not")
    click.echo("longest tokens: " + " ".join(map(repr, found.longest)))


@contextmanager
def _bars() -> Iterator[Callable[[str, int, int], None] | None]:
    """A bar for each stage, on a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as bars:
        tasks: dict[str, Any] = {}

        def tell(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=None)
            bars.update(tasks[stage], completed=done, total=total or None)

        yield tell
