"""`fretsaw encode`."""

import json
from pathlib import Path

import pytest

import fretsaw

GPT2 = fretsaw.get("gpt2")


def test_tokens_with_ids_below(run):
    assert run("encode", "Hello world").stdout == (
        "Hello ␣world\n15496 995\n\n2 tokens, 11 characters, 5.50 characters per token\n"
    )


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("a  b", "a  ␣   ␣b"),
        ("\t\r", "⇥   ␍"),
        ("😀", "<f09f98> <80>"),
        ("x\x00", "x  <U+0000>"),
        ("[bold]:smile:", "[  bold ]:  sm ile :"),
    ],
)
def test_visible_characters(run, text, tokens):
    shown = run("encode", "--", text).stdout.splitlines()[0]
    assert shown.split() == tokens.split()


def test_a_line_feed_ends_a_row(run):
    lines = run("encode", "-", stdin="ab\ncd\n").stdout.splitlines()
    assert lines[0].split() == ["ab", "↵"]
    assert lines[3].split() == ["cd", "↵"]


def test_rows_fit_the_width(run):
    output = run("encode", "word " * 50, columns=30).stdout.splitlines()[:-1]
    assert max(map(len, output)) <= 30
    ids = [int(number) for row in output[1::3] for number in row.split()]
    assert ids == GPT2.encode_ids("word " * 50)


def test_a_token_wider_than_the_terminal_is_cut(run):
    token, ids = run("encode", " " + "=" * 65, columns=20).stdout.splitlines()[:2]
    assert (token, ids) == ("␣" + "=" * 18 + "…", "38093")


def test_no_text_no_tokens(run):
    assert run("encode", "").stdout == "0 tokens, 0 characters\n"


def test_several_texts_files_and_standard_input(run, tmp_path: Path):
    file = tmp_path / "text"
    file.write_bytes(b"c\r\n")
    result = run("encode", "--ids", "a", "-", "-f", str(file), stdin="b")
    assert result.stdout == "64\n65\n66 201 198\n"


def test_json(run):
    text = 'a "quote" é\n'
    result = run("encode", "--json", text, "b")
    encoding = GPT2.encode(text)
    first, second = map(json.loads, result.stdout.splitlines())
    assert first == {"ids": encoding.ids, "tokens": encoding.tokens}
    assert second == {"ids": [65], "tokens": ["b"]}


def test_text_is_data_unless_asked(run, fails):
    assert run("encode", "--ids", "<|endoftext|>").stdout == "27 91 437 1659 5239 91 29\n"
    assert run("encode", "--ids", "--special", "all", "<|endoftext|>").stdout == "50256\n"
    assert '"<|endoftext|>" at byte 1' in fails("encode", "--special", "error", "a<|endoftext|>")


def test_other_vocabularies(run, tmp_path: Path, smollm2_json: bytes):
    assert run("encode", "--ids", "-t", "byte", "é").stdout == "195 169\n"
    (tmp_path / "tokenizer.json").write_bytes(smollm2_json)
    want = " ".join(map(str, fretsaw.Tokenizer.from_str(smollm2_json).encode_ids("é 12")))
    for path in (tmp_path, tmp_path / "tokenizer.json"):
        assert run("encode", "--ids", "-t", str(path), "é 12").stdout == f"{want}\n"


def test_colours_alternate_on_a_terminal(run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    coloured = run_with(run, monkeypatch, FORCE_COLOR="1")
    assert "\x1b[30;46mHello\x1b[0m" in coloured
    assert "\x1b[30;43m␣world\x1b[0m" in coloured
    assert "\x1b" not in run_with(run, monkeypatch, NO_COLOR="1", FORCE_COLOR="1")


def run_with(run, monkeypatch: pytest.MonkeyPatch, **environment: str) -> str:
    from click.testing import CliRunner

    from fretsaw.cli import main

    fixed = {"NO_COLOR": None, "FORCE_COLOR": None, **environment}
    return CliRunner().invoke(main, ["encode", "Hello world"], env=fixed, color=True).stdout


@pytest.mark.parametrize(
    ("arguments", "stdin", "message"),
    [
        ([], b"", "nothing to encode: give a TEXT, --file FILE, or - for standard input"),
        (["-"], b"ab\xffc", "standard input: not UTF-8 at byte offset 2 (0xff)"),
        (["-"], b"\xed\xa0\x80", "standard input: not UTF-8 at byte offset 0 (0xed)"),
        (["a\udcff"], b"", "argument: not UTF-8 at byte offset 1 (0xff)"),
        (["-f", "no/such"], b"", "no/such: No such file or directory"),
        (
            ["-t", "gtp2", "a"],
            b"",
            "'gtp2' is neither a built-in vocabulary (byte, ",
        ),
        (["--special", "some", "a"], b"", "Invalid value for '--special': 'some' is not one of"),
        (["--colour", "a"], b"", "No such option"),
    ],
)
def test_bad_input(fails, arguments, stdin, message):
    assert fails("encode", *arguments, stdin=stdin).startswith(message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{}", "`model` is missing"),
        ("not json", ""),
        ('{"version": "1.0", "normalizer": {"type": "NFC"}, "model": {"type": "BPE"', ""),
    ],
)
def test_refused_files(fails, tmp_path: Path, content, message):
    path = tmp_path / "tokenizer.json"
    path.write_text(content)
    error = fails("encode", "-t", str(path), "a")
    assert error.startswith(f"{path}: ")
    assert message in error


def test_an_unsupported_file_names_the_path(fails, tmp_path: Path, gpt2_json: bytes):
    document = json.loads(gpt2_json)
    document["model"]["vocab"]["!"] = 1 << 24
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(document))
    assert '`model.vocab["!"]`' in fails("encode", "-t", str(path), "a")
