"""What the tests of the commands share."""

from collections.abc import Callable

import pytest
from click.testing import CliRunner, Result

from fretsaw.cli import main

Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    """Runs `fretsaw` with arguments; `stdin` is what standard input holds."""

    def run_command(*arguments: str, stdin: str | bytes = b"", columns: int = 80) -> Result:
        environment = {"COLUMNS": str(columns), "NO_COLOR": None, "FORCE_COLOR": None}
        return CliRunner().invoke(main, list(arguments), input=stdin, env=environment)

    return run_command


@pytest.fixture
def fails(run: Run) -> Callable[..., str]:
    """Runs `fretsaw` on bad input: exit code 2, nothing on standard output, one line of error."""

    def run_failing(*arguments: str, stdin: str | bytes = b"") -> str:
        result = run(*arguments, stdin=stdin)
        assert (result.exit_code, result.stdout) == (2, ""), result.output
        line, rest = result.stderr.split("\n", 1)
        assert rest == ""
        assert line.startswith("fretsaw: ")
        return line.removeprefix("fretsaw: ")

    return run_failing
