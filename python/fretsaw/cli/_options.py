"""Options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

import click

import fretsaw

from ._input import InputError

Command = TypeVar("Command", bound=Callable[..., Any])
Special = Literal["all", "none", "error"]


class Vocabulary(NamedTuple):
    """A tokenizer and the name or path that it was asked for by."""

    name: str
    tokenizer: fretsaw.Tokenizer


def load_vocabulary(_context: click.Context, _option: click.Parameter, name: str) -> Vocabulary:
    """Loads a built-in name, a file or a folder; a name wins over a file that is called so."""
    if name in fretsaw.names():
        return Vocabulary(name, fretsaw.get(name))
    if not Path(name).exists():
        known = ", ".join(fretsaw.names())
        raise InputError(f"{name!r} is neither a built-in vocabulary ({known}) nor a file")
    try:
        return Vocabulary(name, fretsaw.Tokenizer.from_file(name))
    except (fretsaw.FretsawError, OSError) as error:
        raise InputError(f"{name}: {error}") from error


def tokenizer_option(command: Command) -> Command:
    """`--tokenizer`, given to the command as `vocabulary`."""
    option = click.option(
        "-t",
        "--tokenizer",
        "vocabulary",
        callback=load_vocabulary,
        default="gpt2",
        show_default=True,
        metavar="NAME|FILE|DIR",
        help="A built-in vocabulary, a tokenizer file of any format, or a folder that holds one.",
    )
    return option(command)


def special_option(command: Command) -> Command:
    """`--special`: which control and added tokens are recognised in text."""
    option = click.option(
        "--special",
        type=click.Choice(["all", "none", "error"]),
        default="none",
        show_default=True,
        help="Added tokens in the text: all match, none does (text is data), or one is an error.",
    )
    return option(command)


def json_option(command: Command) -> Command:
    """`--json`, given to the command as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Write JSON, for programs.")(
        command
    )
