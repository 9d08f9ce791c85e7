"""Installs a wheel or a source distribution in a new environment and uses it there.

    python scripts/try_package.py dist/fretsaw-*.whl            each with the interpreter that it is for
    python scripts/try_package.py dist/fretsaw-*.tar.gz         compiles; minutes

Nothing comes along but what the metadata asks for, so that an import of an extra's package would fail.
What is tried runs in an empty folder, apart from the repository: an import of every module that needs no
extra, known ids of the built-in vocabularies, a training, and the command. What fails says what it gave.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from interpreters import interpreters, search_folders

TRIED = """
import importlib.metadata, importlib.util, pathlib, sys
import fretsaw, fretsaw.bulk, fretsaw.cli, fretsaw.reference, fretsaw.spec
from fretsaw.integrations import sentencepiece, tiktoken

assert pathlib.Path(fretsaw.__file__).is_relative_to(sys.prefix), fretsaw.__file__
known = {"gpt2": [15496, 995], "cl100k_base": [9906, 1917], "o200k_base": [13225, 2375]}
for name, ids in known.items():
    tok = fretsaw.get(name)
    assert tok.encode("Hello world").ids == ids, (name, tok.encode("Hello world").ids)
    assert tok.decode(ids) == "Hello world"
assert fretsaw.train(["hug hugs", "pugs hugging"], vocab_size=260).encode("hugs").tokens == ["hug", "s"]
for extra in ("pyarrow", "starlette", "ray", "transformers", "huggingface_hub", "jinja2", "tokenizers"):
    assert importlib.util.find_spec(extra) is None, f"{extra} came along"
print(*sorted(found.metadata["Name"] for found in importlib.metadata.distributions()))
"""
COMMANDS = [
    (["encode", "--ids", "Hello world"], "15496 995\n"),
    (["decode", "15496", "995"], "Hello world"),
    (["--help"], None),
]


class Failed(Exception):
    """A program that failed, or that gave something else than it should."""


def environment() -> dict[str, str]:
    """That of this process without what would lead back to other environments."""
    ours = ("PYTHON", "VIRTUAL_ENV", "FRETSAW", "MATURIN")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return kept | {"FRETSAW_CACHE": "", "NO_COLOR": "1"}


def run(command: list[str], folder: Path) -> str:
    """What a program wrote to standard output."""
    done = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(
            f"{' '.join(command[:3])}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
        )
    return done.stdout


def interpreter_for(package: Path, available: list[Path]) -> Path:
    """The interpreter that a wheel is for by its name; for a source distribution the oldest."""
    match = re.search(r"-cp3(\d+)-cp3\d+(t?)-", package.name)
    wanted = f"python3.{match[1]}{match[2]}" if match else None
    for program in available:
        if wanted in (None, program.name):
            return program
    raise Failed(f"{package.name}: no {wanted} here")


def install(package: Path, program: Path, made: Path) -> None:
    """Makes an environment with a package and what it asks for, and nothing else."""
    run([str(program), "-m", "venv", "--without-pip", str(made)], made.parent)
    pip = [sys.executable, "-m", "pip", "--python", str(made / "bin" / "python"), "install"]
    run([*pip, "--quiet", "--disable-pip-version-check", str(package.resolve())], made.parent)


def use(package: Path, program: Path) -> str:
    """Installs and tries a package; the names of all that is installed then."""
    with tempfile.TemporaryDirectory(prefix="fretsaw-try-") as temporary:
        made, empty = Path(temporary) / "environment", Path(temporary) / "empty"
        empty.mkdir()
        install(package, program, made)
        installed = run([str(made / "bin" / "python"), "-c", TRIED], empty)
        for arguments, wanted in COMMANDS:
            given = run([str(made / "bin" / "fretsaw"), *arguments], empty)
            if wanted is not None and given != wanted:
                raise Failed(f"fretsaw {' '.join(arguments)}: {given!r}, not {wanted!r}")
    return installed.strip()


def main() -> int:
    """Tries the packages that are named; 1 if one fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("packages", nargs="+", type=Path)
    available = interpreters(search_folders())
    code = 0
    for package in parser.parse_args().packages:
        try:
            installed = use(package, interpreter_for(package, available))
        except Failed as error:
            print(f"{package.name}: {error}", file=sys.stderr)
            code = 1
        else:
            print(f"{package.name}: works, with {installed}", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
