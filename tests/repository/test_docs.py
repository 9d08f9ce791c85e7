"""Every code block of README.md and docs/*.md is run.

Python blocks of one page share their names; `>>>` blocks are doctests. In `sh` and `console`
blocks, lines that start with `fretsaw` run through the command, and what `console` shows below is
compared. Blocks without a language are not run.
"""

import doctest
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from fretsaw.cli import main

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


class Block(NamedTuple):
    language: str
    line: int
    text: str


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page."""
    text = page.read_text()
    for match in re.finditer(r"^```(\w*)[^\n]*\n(.*?)^```\s*$", text, re.M | re.S):
        yield Block(match[1], text[: match.start(2)].count("\n") + 1, match[2])


def commands(block: Block) -> Iterator[tuple[list[str], str]]:
    """Commands of a shell block with the output that is shown, `$` prompts as in `console`."""
    console = block.language == "console"
    for part in re.split(r"^\$ " if console else r"^", block.text, flags=re.M):
        command, _, output = part.partition("\n")
        if command.startswith("fretsaw "):
            yield shlex.split(command, comments=True)[1:], output if console else ""


def run_python(block: Block, page: Path, names: dict[str, object]) -> None:
    if ">>>" not in block.text:
        code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
        exec(code, names)
        return
    test = doctest.DocTestParser().get_doctest(block.text, names, page.name, str(page), block.line)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    report: list[str] = []
    runner.run(test, out=report.append, clear_globs=False)
    assert runner.failures == 0, "".join(report)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_blocks(page: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)  # pages may save files
    names: dict[str, object] = {}
    for block in blocks(page):
        if block.language == "python":
            run_python(block, page, names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands(page: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)
    environment = {"COLUMNS": "100", "NO_COLOR": None, "FORCE_COLOR": None}
    for block in blocks(page):
        if block.language in {"sh", "console"}:
            for arguments, output in commands(block):
                result = CliRunner().invoke(main, arguments, env=environment)
                assert result.exit_code == 0, f"line {block.line}: {result.output}"
                if output:
                    assert result.stdout.rstrip("\n") == output.rstrip("\n"), arguments


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages(page: Path):
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_readme_has_what_is_run():
    languages = [block.language for block in blocks(ROOT / "README.md")]
    assert {"python", "console", "sh"} <= set(languages)
    shown = [item for block in blocks(ROOT / "README.md") for item in commands(block)]
    assert len(shown) >= 4
