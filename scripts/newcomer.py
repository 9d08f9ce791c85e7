"""Does what the README and the guide say, in a fresh clone and with nothing else: `make newcomer`.

The repository is cloned into a temporary folder and the code blocks of README.md are run there from the
first to the last, then those of each page of the guide (`mkdocs.yml` up to what is inside) in an empty
folder of its own. `sh` blocks are commands, and so is a block with no language that begins with `$ `; of
those and of `console` blocks what is shown below a command is compared. What a block does to the
environment, such as `. .venv/bin/activate`, holds for all that follow. Python blocks of a page are one
session. The first block that fails ends it all, with its file and line.

No variable of this process comes along but those with which programs are found and fetched; HOME is
empty. Cost: building in release mode and the packages that pages ask for, some ten minutes and gigabytes.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SESSION = ROOT / "scripts" / "newcomer_session.py"
TIME_LIMIT_S = 3600
KEPT = ("CARGO_", "LANG", "PATH", "PIP_", "RUSTUP_", "SSL_", "TMPDIR")
"""How the names of variables begin that come along."""
LANGUAGES = {"sh", "console", "python"}


class Block(NamedTuple):
    """A fenced block: its page, its language, the line that it begins at, and its text."""

    page: str
    language: str
    line: int
    text: str


class Failed(Exception):
    """A block that did not do what it says."""

    def __init__(self, block: Block, what: str) -> None:
        super().__init__(f"{block.page}:{block.line}: {what}")


def pages(root: Path) -> list[str]:
    """README.md and the pages of the guide and of the reference, in the order of the site."""
    site = root / "mkdocs.yml"
    if not site.is_file():
        return ["README.md"]
    shown = site.read_text().split("\nnav:\n")[1].split("- Inside:")[0]
    return ["README.md", *(f"docs/{name}" for name in re.findall(r": (\w+\.md)$", shown, re.M))]


def blocks(root: Path, page: str) -> list[Block]:
    """The blocks of a page that are run."""
    text = (root / page).read_text()
    found = []
    for match in re.finditer(r"^```(\w*)[^\n]*\n(.*?)^```\s*$", text, re.M | re.S):
        language = match[1] or ("console" if match[2].startswith("$ ") else "")
        line = text[: match.start(2)].count("\n") + 1
        if language in LANGUAGES:
            found.append(Block(page, language, line, match[2]))
    return found


def commands(block: Block) -> Iterator[tuple[int, str, str | None]]:
    """The commands of a shell block: line, command, what it shows (None where nothing is said)."""
    if block.language == "sh":
        yield block.line, block.text, None
        return
    for match in re.finditer(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.M):
        yield block.line + block.text[: match.start()].count("\n"), match[1], match[2]


class Terminal:
    """A shell and Python as somebody uses them: where one is and what is set stays from block to block."""

    def __init__(self, home: Path) -> None:
        self.folder = home
        self.variables = {n: v for n, v in os.environ.items() if n.startswith(KEPT)}
        here = os.environ.get("VIRTUAL_ENV")
        found = [p for p in self.variables["PATH"].split(os.pathsep) if not here or here not in p]
        user = Path(os.environ.get("HOME", "/root"))
        self.variables |= {"HOME": str(home), "COLUMNS": "100", "PATH": os.pathsep.join(found)}
        for name, folder in (("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")):
            self.variables[name] = os.environ.get(name, str(user / folder))

    def shell(self, block: Block) -> None:
        """Runs a block's commands; one that ends with an error, or shows something else, fails."""
        for line, command, shown in commands(block):
            after = Path(self.variables["HOME"]) / ".after"
            script = f"{command}\n{{ pwd && env -0; }} > '{after}'"
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", script],
                cwd=self.folder,
                env=self.variables,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT if shown is None else subprocess.PIPE,
                text=True,
                timeout=TIME_LIMIT_S,
            )
            at = block._replace(line=line)
            if done.returncode != 0:
                said = "\n".join((done.stdout + (done.stderr or "")).splitlines()[-30:])
                raise Failed(at, f"exit code {done.returncode}\n{command}\n{said}")
            if shown is not None and done.stdout.strip("\n") != shown.strip("\n"):
                raise Failed(at, f"shows something else\n{command}\n{done.stdout}")
            folder, _, variables = after.read_text().partition("\n")
            self.folder = Path(folder)
            self.variables = dict(
                entry.split("=", 1) for entry in variables.split("\0") if "=" in entry
            )

    def page(self, found: list[Block]) -> None:
        """Runs the blocks of a page in order."""
        session = None
        try:
            for block in found:
                start = time.perf_counter()
                if block.language == "python":
                    session = session or self.python()
                    answer(session, block)
                else:
                    self.shell(block)
                seconds = time.perf_counter() - start
                print(f"{block.page}:{block.line}: {block.language}, {seconds:.1f} s", flush=True)
        finally:
            if session and session.stdin:
                session.stdin.close()
                session.wait(TIME_LIMIT_S)

    def python(self) -> subprocess.Popen[str]:
        """A session of the Python that is found where the terminal stands."""
        return subprocess.Popen(
            ["python", str(SESSION)],
            cwd=self.folder,
            env=self.variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )


def answer(session: subprocess.Popen[str], block: Block) -> None:
    """Has a session run a block; what went wrong in it is a failure."""
    assert session.stdin
    assert session.stdout
    session.stdin.write(json.dumps(block._asdict()) + "\n")
    session.stdin.flush()
    said = session.stdout.readline()
    wrong = json.loads(said) if said else f"the session ended, exit code {session.wait()}"
    if wrong:
        raise Failed(block, wrong)


def go_through(repository: Path, folder: Path, only: list[str]) -> int:
    """Clones a repository into a folder and runs all that its pages say; how many blocks that were."""
    home, clone = folder / "home", folder / "clone"
    home.mkdir()
    subprocess.run(["git", "clone", "--quiet", str(repository), str(clone)], check=True)
    terminal = Terminal(home)
    done = 0
    for page in pages(clone):
        if only and page not in only and page != "README.md":
            continue
        terminal.folder = clone if page == "README.md" else folder / page
        terminal.folder.mkdir(parents=True, exist_ok=True)
        found = blocks(clone, page)
        terminal.page(found)
        done += len(found)
    return done


def main() -> int:
    """Goes through the pages; 1 at the first block that fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("only", nargs="*", help="pages besides README.md, all if none is named")
    parser.add_argument("--repository", type=Path, default=ROOT, help="what is cloned")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fretsaw-newcomer-") as temporary:
        try:
            done = go_through(arguments.repository.resolve(), Path(temporary), arguments.only)
        except Failed as error:
            print(error, file=sys.stderr)
            return 1
    print(f"{done} blocks, all as their pages say")
    return 0


if __name__ == "__main__":
    sys.exit(main())
