"""What `import fretsaw` brings into a process: little, since every worker of a server pays for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import fretsaw

HEAVY = ("numpy", "pyarrow", "ray", "jinja2", "click", "rich", "transformers", "huggingface_hub")


def test_importing_brings_in_nothing_heavy() -> None:
    program = (
        "import sys, fretsaw\n"
        "assert fretsaw.Tokenizer is not None\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_who_only_encodes_loads_nothing_else(gpt2_json: bytes, tmp_path: Path) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_bytes(gpt2_json)
    program = (
        "import sys; before = set(sys.modules); import fretsaw\n"
        f"tok = fretsaw.Tokenizer.from_file({str(file)!r})\n"
        "assert tok.decode(tok.encode('Hello world').ids) == 'Hello world'\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}\n{program}"],
        capture_output=True,
        text=True,
        check=True,
    )
    own = ("", "._encoding", "._errors", "._native", "._prompt", "._stream", "._tokenizer")
    assert set(done.stdout.split()) - {"__future__"} == {f"fretsaw{name}" for name in own}


def test_what_is_loaded_when_asked_for_is_there() -> None:
    names = [*fretsaw.__all__, "spec", "trainers", "vocabularies"]
    program = (
        "import fretsaw\n"
        f"for name in {names!r}:\n"
        "    assert name in dir(fretsaw), name\n"
        "    assert getattr(fretsaw, name) is getattr(fretsaw, name), name\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_what_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"module 'fretsaw' has no attribute 'tokenise'"):
        fretsaw.tokenise  # type: ignore[attr-defined] # noqa: B018
