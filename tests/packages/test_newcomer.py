"""`make newcomer` runs the blocks of pages, and fails at the first that fails, naming it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "newcomer.py"
GOOD = """# A page

```sh
mkdir -p bin && ln -sf "$(command -v python3)" bin/python    # as `make run` would
export PATH="$PWD/bin:$PATH" SEEN=yes
```

```python
first = 1
```

Not run:

```
false
```

```python
>>> first + 1
2
```

```console
$ echo "$SEEN"
yes
$ true
```

```
$ echo also
also
```
"""
BAD = {
    "an error": ("```sh\ntrue\nfalse\ntrue\n```\n", 3, "exit code 1"),
    "an unset variable": ("```sh\necho $FRETSAW_NOT_SET\n```\n", 3, "exit code"),
    "another output": (
        "```console\n$ true\n$ echo one\ntwo\n```\n",
        4,
        "shows something else\necho one",
    ),
    "an exception": ("```python\nassert first == 2\n```\n", 3, "AssertionError"),
    "another value": ("```python\n>>> first\n7\n```\n", 3, "Expected:\n    7"),
    "an end": ("```python\nimport os; os._exit(3)\n```\n", 3, "exit code 3"),
}


def run(folder: Path, readme: str) -> subprocess.CompletedProcess[str]:
    """Makes a repository of a README and goes through it."""
    folder.mkdir()
    (folder / "README.md").write_text(readme)
    identity = ["-c", "user.name=n", "-c", "user.email=e"]
    subprocess.run(["git", "init", "--quiet", "."], cwd=folder, check=True)
    subprocess.run(["git", "add", "."], cwd=folder, check=True)
    commit = ["git", *identity, "commit", "--quiet", "--message", "a page"]
    subprocess.run(commit, cwd=folder, check=True)
    command = [sys.executable, str(SCRIPT), "--repository", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_good_page_passes(tmp_path: Path):
    done = run(tmp_path / "repository", GOOD)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("5 blocks, all as their pages say\n")


@pytest.mark.parametrize("case", BAD)
def test_the_first_bad_block_is_named(tmp_path: Path, case: str):
    text, line, said = BAD[case]
    done = run(tmp_path / "repository", GOOD + "\n" + text + "\n```sh\ntouch never\n```\n")
    assert done.returncode == 1, done.stdout
    at = len((GOOD + "\n").splitlines()) + line - 1
    assert done.stderr.startswith(f"README.md:{at}: "), done.stderr
    assert said in done.stderr
