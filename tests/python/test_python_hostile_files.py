"""Hostile files: an ordinary error, in bounded time and memory, and never a panic.

The files that could cost memory are loaded in a process of its own that may not have more than its
limit; a crash, a panic or a hang of it is a failure.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from small_tokenizers import byte_level, tokenizer_json

import fretsaw

LIMIT_BYTES = 2 << 30
TIMEOUT_SECONDS = 120

CHILD = """
import json, resource, sys
limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
import fretsaw
outcomes = {}
for path in sys.argv[2:]:
    try:
        tok = fretsaw.Tokenizer.from_file(path)
        outcomes[path] = ["loaded", str(tok.encode("ab").ids)]
    except (fretsaw.SpecError, OSError) as error:
        outcomes[path] = ["refused", str(error)]
print(json.dumps(outcomes))
"""


def with_vocab(*entries: str) -> bytes:
    """A file whose vocabulary is written out, so that it can hold any JSON."""
    spec = json.loads(tokenizer_json(merges=()))
    spec["model"]["vocab"] = "HERE"
    return json.dumps(spec).replace('"HERE"', "{" + ", ".join(entries) + "}").encode()


def deep_sequence(depth: int) -> bytes:
    """Sequences of pre-tokenizers inside one another."""
    start = '{"type": "Sequence", "pretokenizers": [' * depth
    end = "]}" * depth
    middle = json.dumps(byte_level())
    return tokenizer_json().replace(middle, start + middle + end, 1).encode()


# Contents that must be refused.
REFUSED: dict[str, bytes] = {
    "empty": b"",
    "not UTF-8": b'{"model": "\xff\xfe"}',
    "UTF-16": tokenizer_json().encode("utf-16"),
    "zeros": bytes(1_000_000),
    "random bytes": bytes(at * 7919 % 251 for at in range(100_000)),
    "open brackets": b"[" * 2_000_000,
    "open objects": b'{"a":' * 1_000_000,
    "open objects in the model": b'{"model":' + b'{"type":' * 500_000,
    "nested and closed": b"[" * 500_000 + b"]" * 500_000,
    "nested sequences": deep_sequence(100_000),
    "an unknown field that is deep": tokenizer_json().encode()[:-1]
    + b', "x": ' + b"[" * 500_000 + b"]" * 500_000 + b"}",
    "an id of 2**32": with_vocab('"a": 4294967296'),
    "an id of 2**64": with_vocab('"a": 18446744073709551616'),
    "an id of 1e400": with_vocab('"a": 1e400'),
    "an id of a million digits": with_vocab('"a": ' + "9" * 1_000_000),
    "a lone surrogate": with_vocab('"\\ud800": 0'),
    "an open string": b'{"model": "' + b"a" * 5_000_000,
    "text after the end": tokenizer_json().encode() + b" x",
}  # fmt: skip

# Contents that the oracle loads, or that a limit may refuse.
EITHER: dict[str, bytes] = {
    "an id of 2**32 - 1": with_vocab('"a": 4294967295', '"b": 1'),
    "an id of 2**31": with_vocab('"a": 2147483648', '"b": 1'),
    "one token for two ids": with_vocab('"a": 0', '"a": 1', '"b": 2'),
    "two tokens of one id": with_vocab('"a": 0', '"b": 0'),
    "an empty token": with_vocab('"": 0', '"a": 1', '"b": 2'),
    "a token of 10 MB": with_vocab('"a": 0', '"b": 1', f'"{"a" * 10_000_000}": 2'),
    "sequences, 20 deep": deep_sequence(20),
}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What became of every file, in a process with a limit."""
    folder = tmp_path_factory.mktemp("hostile")
    names: dict[str, str] = {"/dev/null": "/dev/null", "an empty folder": str(folder / "folder")}
    (folder / "folder").mkdir()
    (folder / "a folder").mkdir()
    (folder / "a folder" / "tokenizer.json").mkdir()
    names["a folder called tokenizer.json"] = str(folder / "a folder")
    for number, (name, content) in enumerate({**REFUSED, **EITHER}.items()):
        path = folder / f"{number}.json"
        path.write_bytes(content)
        names[name] = str(path)
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(LIMIT_BYTES), *names.values()],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    assert "panicked" not in done.stderr
    found = json.loads(done.stdout)
    return {name: found[path] for name, path in names.items()}


FOLDERS = ("/dev/null", "an empty folder", "a folder called tokenizer.json")


@pytest.mark.parametrize("name", [*REFUSED, *FOLDERS])
def test_refused(name: str, outcomes: dict[str, list[str]]) -> None:
    outcome, message = outcomes[name]
    assert outcome == "refused", message
    assert 0 < len(message) < 2_000


@pytest.mark.parametrize("name", EITHER)
def test_loaded_or_refused(name: str, outcomes: dict[str, list[str]]) -> None:
    outcome, message = outcomes[name]
    assert outcome in ("loaded", "refused")
    assert 0 < len(message) < 2_000


def test_cut_anywhere(gpt2_json: bytes) -> None:
    content = gpt2_json.rstrip()
    step = len(content) // 40
    for length in [*range(0, 60), *range(60, len(content), step), len(content) - 1]:
        with pytest.raises(fretsaw.SpecError):
            fretsaw.Tokenizer.from_str(content[:length])


def test_a_small_file_cut_at_every_byte() -> None:
    content = tokenizer_json().encode()
    for length in range(len(content)):
        with pytest.raises(fretsaw.SpecError):
            fretsaw.Tokenizer.from_str(content[:length])


def test_one_wrong_byte_anywhere_is_no_panic() -> None:
    content = bytearray(tokenizer_json().encode())
    for at in range(0, len(content), 7):
        before = content[at]
        for byte in (0x00, 0x22, 0x5D, 0x7D, 0x39, 0xFF):
            content[at] = byte
            try:
                fretsaw.Tokenizer.from_str(bytes(content)).encode("ab <s>")
            except fretsaw.FretsawError as error:
                assert str(error)
        content[at] = before


def test_folders(tmp_path: Path) -> None:
    with pytest.raises((fretsaw.SpecError, OSError), match=r"tokenizer\.json"):
        fretsaw.Tokenizer.from_file(tmp_path)
    with pytest.raises((ValueError, OSError)):
        fretsaw.Tokenizer.from_file("a\0b")
