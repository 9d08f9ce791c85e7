"""What commands read: text from arguments, files and standard input, and ids."""

import sys
from collections.abc import Iterable
from pathlib import Path

import click

MAX_ID = 2**32 - 1


class InputError(click.ClickException):
    """Bad input: one line on standard error and exit code 2."""

    exit_code = 2


def text_of_file(path: str) -> str:
    """The whole text of a file, or of standard input for `-`, with its line ends as they are."""
    if path == "-":
        return _text(sys.stdin.buffer.read(), "standard input")
    try:
        return _text(Path(path).read_bytes(), path)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error


def text_of_argument(argument: str) -> str:
    """An argument, in which bytes that are not UTF-8 come as lone surrogates."""
    return _text(argument.encode("utf-8", "surrogateescape"), "argument")


def ids_of(words: Iterable[str]) -> list[int]:
    """Ids from decimal numbers; brackets and commas between them are passed over."""
    numbers = (number for word in words for number in word.strip("[]").replace(",", " ").split())
    return [_id(number) for number in numbers]


def _text(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        at = error.start
        raise InputError(f"{name}: not UTF-8 at byte offset {at} (0x{data[at]:02x})") from error


def _id(number: str) -> int:
    if number.isascii() and number.isdigit() and int(number) <= MAX_ID:
        return int(number)
    raise InputError(f"{number!r} is no id: an id is a whole number from 0 to {MAX_ID}")
