"""`fretsaw decode`."""

import json

import pytest


def test_ids_from_arguments_and_standard_input(run):
    assert run("decode", "15496", "995").stdout == "Hello world"
    assert run("decode", "-", stdin="15496 995\n").stdout == "Hello world"
    assert run("decode", "-", stdin="[15496, 995]").stdout == "Hello world"
    assert run("decode", "15496,995").stdout == "Hello world"


def test_what_is_encoded_comes_back_byte_for_byte(run):
    text = "Grüße,\r\n\t世界 <|endoftext|> 👋\x00\n"
    ids = run("encode", "--ids", "-", stdin=text.encode()).stdout
    assert run("decode", "-", stdin=ids).stdout_bytes == text.encode()


def test_special_tokens_are_shown_unless_skipped(run):
    assert run("decode", "50256", "15496").stdout == "<|endoftext|>Hello"
    assert run("decode", "50256", "15496", "--skip-special-tokens").stdout == "Hello"


def test_an_unfinished_character_is_replaced(run):
    assert run("decode", "47249").stdout == "\ufffd"


def test_no_ids_no_text(run):
    assert run("decode", "-", stdin="").stdout == ""


def test_json(run):
    assert json.loads(run("decode", "--json", "15496", "198").stdout) == {"text": "Hello\n"}


def test_other_vocabularies(run):
    assert run("decode", "-t", "byte", "195", "169").stdout == "é"


@pytest.mark.parametrize(
    ("arguments", "stdin", "message"),
    [
        ([], b"", "nothing to decode: give ids, or - for standard input"),
        (["50257"], b"", "no token has the id 50257; the vocabulary has 50257 tokens"),
        (["-1"], b"", "'-1' is no id: an id is a whole number from 0 to 4294967295"),
        (["4294967296"], b"", "'4294967296' is no id"),
        (["1", "two"], b"", "'two' is no id"),
        (["٣"], b"", "'٣' is no id"),
        (["-"], b"1 \xff", "standard input: not UTF-8 at byte offset 2 (0xff)"),
        (["-t", "no/such", "1"], b"", "'no/such' is neither"),
    ],
)
def test_bad_input(fails, arguments, stdin, message):
    assert fails("decode", *arguments, stdin=stdin).startswith(message)
