"""`fretsaw` as a program: standard streams, pipes that break, Ctrl-C, encodings."""

import os
import signal
import subprocess
import sys

import pytest

FRETSAW = [sys.executable, "-c", "from fretsaw.cli import main; main()"]


def start(*arguments: str, **environment: str) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [*FRETSAW, *arguments],
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        env={**os.environ, **environment},
    )


def test_text_in_and_out():
    with start("encode", "--ids", "-") as encoder:
        ids, errors = encoder.communicate("Grüße\n".encode())
    assert (encoder.returncode, errors) == (0, b"")
    with start("decode", "-") as decoder:
        text, errors = decoder.communicate(ids)
    assert (decoder.returncode, text, errors) == (0, "Grüße\n".encode(), b"")


def test_bad_input_is_one_line_without_a_traceback():
    with start("count", "-") as process:
        output, errors = process.communicate(b"abc\x80")
    assert process.returncode == 2
    assert output == b""
    assert errors == b"fretsaw: standard input: not UTF-8 at byte offset 3 (0x80)\n"


def test_an_argument_that_is_not_utf8():
    result = subprocess.run([*FRETSAW, "encode", b"ab\xff"], capture_output=True, check=False)
    assert result.returncode == 2
    assert result.stderr == b"fretsaw: argument: not UTF-8 at byte offset 2 (0xff)\n"


@pytest.mark.parametrize("arguments", [["encode", "-"], ["encode", "--ids", "-"], ["decode", "-"]])
def test_a_broken_pipe_is_quiet(arguments):
    process = start(*arguments)
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdin is not None
    process.stdout.close()
    text = b"198 " * 100_000
    process.stdin.write(text)
    process.stdin.close()
    assert process.stderr.read() == b""
    assert process.wait() == 1
    process.stderr.close()


def test_ctrl_c_is_quiet():
    process = start("encode", "-")
    assert process.stdin is not None
    # More than a pipe holds: once all is written, the command is reading.
    process.stdin.write(b"a" * 1_000_000)
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate()
    assert process.returncode == 130
    assert output == b""
    assert errors.strip() == b""


def test_a_terminal_without_unicode_gets_question_marks():
    with start("encode", "a b", PYTHONIOENCODING="latin-1") as process:
        output, errors = process.communicate()
    assert (process.returncode, errors) == (0, b"")
    assert output.startswith(b"a  ?b")


def test_help_without_arguments():
    with start() as process:
        output, _ = process.communicate()
    assert process.returncode == 0
    for command in (b"encode", b"decode", b"count", b"inspect"):
        assert command in output
