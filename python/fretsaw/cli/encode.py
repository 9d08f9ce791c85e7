"""`fretsaw encode`: text to ids."""

import json

import click

import fretsaw

from ._cells import cells, show
from ._console import plain_console
from ._input import InputError, text_of_argument, text_of_file
from ._options import Special, Vocabulary, json_option, special_option, tokenizer_option


@click.command()
@click.argument("texts", nargs=-1, metavar="[TEXT]...")
@click.option(
    "-f", "--file", "files", multiple=True, metavar="FILE", help="Encode this file; repeatable."
)
@tokenizer_option
@special_option
@click.option("--ids", "only_ids", is_flag=True, help="Write the ids only, a line for each text.")
@json_option
def encode(
    texts: tuple[str, ...],
    files: tuple[str, ...],
    vocabulary: Vocabulary,
    special: Special,
    only_ids: bool,
    as_json: bool,
) -> None:
    """Shows the tokens of each TEXT with their ids.

    A TEXT or FILE of - is standard input, taken whole, with its last line end. White space is
    visible (␣ space, ↵ line feed, ⇥ tab), and <f09f> is a token that is not whole characters.

    With --json: a line for each text, {"ids": [...], "tokens": [...]}, the tokens as the vocabulary
    spells them.
    """
    inputs = [text_of_file(text) if text == "-" else text_of_argument(text) for text in texts]
    inputs += map(text_of_file, files)
    if not inputs:
        raise InputError("nothing to encode: give a TEXT, --file FILE, or - for standard input")
    tokenizer = vocabulary.tokenizer
    if as_json or only_ids:
        for text in inputs:
            click.echo(_line(tokenizer.encode(text, special=special), as_json))
        return
    console = plain_console()
    for text in inputs:
        ids = tokenizer.encode_ids(text, special=special)
        show(console, cells((token_id, tokenizer.token_bytes(token_id)) for token_id in ids))
        console.print(_summary(len(text), len(ids)), no_wrap=True, crop=False)


def _line(encoding: fretsaw.Encoding, as_json: bool) -> str:
    if as_json:
        return json.dumps({"ids": encoding.ids, "tokens": encoding.tokens}, ensure_ascii=False)
    return " ".join(map(str, encoding.ids))


def _summary(characters: int, tokens: int) -> str:
    ratio = f", {characters / tokens:.2f} characters per token" if tokens else ""
    return f"{_number(tokens, 'token')}, {_number(characters, 'character')}{ratio}"


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
