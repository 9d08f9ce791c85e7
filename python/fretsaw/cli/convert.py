"""`fretsaw convert`: a tokenizer from any format into another."""

import json
from pathlib import Path

import click

import fretsaw

from ._input import InputError
from ._options import Vocabulary, json_option, load_vocabulary

FORMATS = ["tokenizer.json", "tiktoken", "vocab+merges", "vocab.txt", "sentencepiece", "fret"]
PARTS = ["post_processor", "truncation", "padding"]


@click.command()
@click.argument("tokenizer", metavar="IN")
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path))
@click.option("--to", "format_", type=click.Choice(FORMATS), required=True, help="The format.")
@click.option("--pattern", help="For IN with the ranks of tiktoken: what splits the text.")
@click.option(
    "--special-token",
    "special_tokens",
    type=(str, int),
    multiple=True,
    metavar="TOKEN ID",
    help="For IN with the ranks of tiktoken: a special token; may be given again.",
)
@click.option(
    "--without",
    type=click.Choice(PARTS),
    multiple=True,
    help="Leave this part out, which the format has no place for; may be given again.",
)
@json_option
def convert(
    tokenizer: str,
    out: Path,
    format_: str,
    pattern: str | None,
    special_tokens: tuple[tuple[str, int], ...],
    without: tuple[str, ...],
    as_json: bool,
) -> None:
    """Writes IN, a built-in name, a file or a folder, to OUT in another format.

    What the format can't carry is an error that names the field, and nothing is written. With
    vocab+merges OUT is a folder. A file with the ranks of tiktoken has neither the pattern nor the special
    tokens: they are shown, and whoever loads it gives them again.

    With --json: {"out": [paths], "bytes", "vocab_size", "pattern", "special_tokens"}; the last two
    are null but for tiktoken.
    """
    vocabulary = _vocabulary(tokenizer, pattern, dict(special_tokens))
    paths = vocabulary.tokenizer.save_as(out, format_, without=without)
    size = sum(path.stat().st_size for path in paths)
    beside = vocabulary.tokenizer._to_ranks() if format_ == "tiktoken" else None
    used = beside[1] if beside else None
    special = beside[2] if beside else None
    if as_json:
        report = {
            "out": [str(path) for path in paths],
            "bytes": size,
            "vocab_size": vocabulary.tokenizer.get_vocab_size(),
            "pattern": used,
            "special_tokens": special,
        }
        click.echo(json.dumps(report, ensure_ascii=False))
        return
    click.echo(f"{', '.join(map(str, paths))}: {size:,} bytes")
    if beside:
        click.echo(f"pattern         {used}")
        click.echo(f"special tokens  {json.dumps(special, ensure_ascii=False)}")


def _vocabulary(name: str, pattern: str | None, special_tokens: dict[str, int]) -> Vocabulary:
    """What is asked for by name; with a pattern, ranks."""
    if pattern is None:
        if special_tokens:
            raise InputError("--special-token belongs to ranks of tiktoken and needs --pattern")
        return load_vocabulary(click.get_current_context(), click.Option(["--in"]), name)
    try:
        loaded = fretsaw.Tokenizer.from_file(name, pattern=pattern, special_tokens=special_tokens)
    except (fretsaw.FretsawError, OSError) as error:
        raise InputError(f"{name}: {error}") from error
    return Vocabulary(name, loaded)
