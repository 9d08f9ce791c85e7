"""`fretsaw decode`: ids to text."""

import json
import sys

import click

from ._input import InputError, ids_of, text_of_file
from ._options import Vocabulary, json_option, tokenizer_option


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("ids", nargs=-1, metavar="[ID]...")
@tokenizer_option
@click.option(
    "--skip-special-tokens", is_flag=True, help="Leave special tokens out instead of showing them."
)
@json_option
def decode(
    ids: tuple[str, ...], vocabulary: Vocabulary, skip_special_tokens: bool, as_json: bool
) -> None:
    """Writes the text that the IDs stand for.

    An ID of - reads ids from standard input, with white space, commas or brackets between them.
    What is written is exactly the text; a line end is added on a terminal only. An id that no token
    has is an error.

    With --json: {"text": "..."}.
    """
    if not ids:
        raise InputError("nothing to decode: give ids, or - for standard input")
    words = [
        word for item in ids for word in (text_of_file("-").split() if item == "-" else [item])
    ]
    numbers = ids_of(words)
    tokenizer = vocabulary.tokenizer
    for token_id in set(numbers):
        tokenizer.token_bytes(token_id)
    text = tokenizer.decode(numbers, skip_special_tokens=skip_special_tokens)
    if as_json:
        click.echo(json.dumps({"text": text}, ensure_ascii=False))
    else:
        click.echo(text.encode("utf-8"), nl=sys.stdout.isatty())
