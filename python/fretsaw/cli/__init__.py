"""The command `fretsaw`: one file per command, all on top of the public interface.

Bad input ends with exit code 2 and one line on standard error, an interrupted pipe or Ctrl-C
without a word.
"""

import io
import os
import sys
from collections.abc import Sequence
from typing import Any

import click

import fretsaw

from .app import app
from .bench import bench
from .compare import compare
from .compile import compile_
from .convert import convert
from .count import count
from .decode import decode
from .encode import encode
from .explain import explain
from .inspect import inspect
from .langs import langs
from .serve import serve
from .tokenize import tokenize
from .train import train
from .verify import verify

__all__ = ["main"]

INTERRUPTED = 130


class _Commands(click.Group):
    """A group whose errors are one line each."""

    def main(  # type: ignore[override]  # click's own has two overloads
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Runs a command; like click's own, but for how errors look."""
        given = list(sys.argv[1:] if args is None else args) or ["--help"]
        if not standalone_mode:
            return super().main(given, prog_name, standalone_mode=False, **extra)
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")
        try:
            code = super().main(given, prog_name, standalone_mode=False, **extra)
            sys.stdout.flush()
        except click.Abort:
            sys.exit(INTERRUPTED)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)
        except click.ClickException as error:
            _fail(error.format_message())
        except (fretsaw.FretsawError, OSError) as error:
            _fail(str(error))
        sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str) -> None:
    line = " ".join(message.split())
    click.echo(f"fretsaw: {line}", err=True)
    sys.exit(2)


@click.group(
    cls=_Commands,
    commands=[
        *(app, bench, compare, compile_, convert, count, decode, encode, explain, inspect),
        *(langs, serve, tokenize, train, verify),
    ],
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="fretsaw")
def main() -> None:
    """Exact, fast tokenization: text to ids and back.

    The vocabulary is a built-in name (gpt2, o200k_base ...), a tokenizer.json, or a folder. Text is data:
    unless --special says otherwise, no control token in it is recognised.
    """
