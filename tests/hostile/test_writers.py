"""Many processes that write one file at once: it is always whole."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import fretsaw

PROCESSES = 4
PATIENCE_SECONDS = 120

LOAD = """
import pathlib, sys, fretsaw
sys.stdin.readline()
for _ in range(5):
    tok = fretsaw.Tokenizer.from_file(sys.argv[1], cache=True)
    assert tok.encode_ids("Hello world") == [15496, 995]
    # The next one finds none.
    pathlib.Path(sys.argv[1] + ".fret").unlink(missing_ok=True)
"""

SAVE = """
import sys, fretsaw
sys.stdin.readline()
tok = fretsaw.get("gpt2")
for _ in range(5):
    tok.compile(sys.argv[1])
    assert fretsaw.Tokenizer.from_file(sys.argv[1]).encode_ids("Hello") == [15496]
"""


def at_once(program: str, *arguments: Path) -> list[str]:
    """Runs a program several times, begun together; what each printed."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    pipe = subprocess.PIPE
    processes = [
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        for _ in range(PROCESSES)
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    told = [process.communicate(timeout=PATIENCE_SECONDS) for process in processes]
    for process, (_, errors) in zip(processes, told, strict=True):
        assert (process.returncode, errors) == (0, "")
    return [output for output, _ in told]


def test_a_sidecar_has_many_writers(vocabulary: Path) -> None:
    at_once(LOAD, vocabulary)
    fretsaw.Tokenizer.from_file(vocabulary, cache=True)
    left = {path.name for path in vocabulary.parent.iterdir()}
    assert left == {"tokenizer.json", "tokenizer.json.fret"}
    tok = fretsaw.Tokenizer.from_file(vocabulary.with_name("tokenizer.json.fret"))
    assert tok.encode_ids("Hello world") == [15496, 995]


def test_a_compiled_file_has_many_writers(tmp_path: Path) -> None:
    at_once(SAVE, tmp_path / "a.fret")
    assert [path.name for path in tmp_path.iterdir()] == ["a.fret"]
