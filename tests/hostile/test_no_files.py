"""Pipes, devices, folders and broken links where a file is asked for: an error, and nobody waits.

A named pipe without a writer blocks whoever opens it, and /dev/zero never ends: neither is opened.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hostile_runs import Run

KINDS = {
    "a named pipe": "pipe|device",
    "/dev/zero": "pipe|device",
    "a folder": r"folder|directory|Is a|no vocabulary there",
    "a loop": r"Too many levels|there is no file",
    "a link to nothing": r"No such file|there is no file",
    "a link to a pipe": "pipe|device",
    "a file used as a folder": r"Not a directory|there is no file",
}

USES = {
    "load": "fretsaw.Tokenizer.from_file(path)",
    "load with a sidecar": "fretsaw.Tokenizer.from_file(path, cache=True)",
    "load ranks": "fretsaw.Tokenizer.from_file(path, pattern='.', special_tokens={})",
    "train": "fretsaw.train(Path(path), vocab_size=300)",
    "bulk": "bulk.tokenize([path], 'out', 'gpt2')",
    "encode files": "fretsaw.get('gpt2').encode_files(path)",
}

PROGRAM = """
for use in {uses!r}:
    try:
        exec(use)
    except (OSError, ValueError, fretsaw.FretsawError) as error:
        print(type(error).__name__, str(error).replace(chr(10), ' '))
    else:
        print('nothing was raised')
"""


def made(folder: Path, kind: str) -> str:
    """Something of a kind, and its path."""
    path = folder / "it"
    os.mkfifo(folder / "pipe")
    (folder / "file").write_text("text")
    match kind:
        case "a named pipe":
            return str(folder / "pipe")
        case "/dev/zero":
            return kind
        case "a folder":
            path.mkdir()
        case "a loop":
            path.symlink_to("it")
        case "a link to nothing":
            path.symlink_to("nothing")
        case "a link to a pipe":
            path.symlink_to("pipe")
        case _:
            return str(folder / "file" / "it")
    return str(path)


@pytest.mark.parametrize("kind", KINDS)
def test_no_file_is_an_error_that_says_what_is_there(kind: str, tmp_path: Path, run: Run) -> None:
    import re

    done = run(PROGRAM.format(uses=list(USES.values())), made(tmp_path, kind))
    told = done.stdout.splitlines()
    assert len(told) == len(USES), done.stderr
    for use, line in zip(USES, told, strict=True):
        assert re.search(KINDS[kind], line), f"{use}: {line}"


def test_a_pipe_beside_a_vocabulary_is_not_opened(vocabulary: Path, run: Run) -> None:
    os.mkfifo(vocabulary.parent / "chat_template.jinja")
    os.mkfifo(vocabulary.parent / "tokenizer.json.fret")
    program = "print(fretsaw.Tokenizer.from_file(path, cache=True).encode_ids('Hello'))"
    for path in (vocabulary, vocabulary.parent):
        assert run(program, str(path)).stdout == "[15496]\n"
    os.mkfifo(vocabulary.parent / "tokenizer_config.json")
    done = run(program, str(vocabulary.parent))
    assert "it is a named pipe, not a file" in done.stderr


def test_what_is_no_file_is_not_replaced(tmp_path: Path, run: Run) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    for path in ("pipe", "link", "/dev/null"):
        for use in ("save", "compile"):
            done = run(
                f"fretsaw.get('byte').{use}(path)"
                if use == "save"
                else f"fretsaw.get('gpt2').{use}(path)",
                path,
            )
            assert f"cannot write {path}: a " in done.stderr, done.stderr
    assert (tmp_path / "pipe").is_fifo()
    assert (tmp_path / "link").is_symlink()
    assert Path("/dev/null").is_char_device()
