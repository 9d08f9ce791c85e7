"""What `import fretsaw` brings into a process: little, since every worker of a server pays for it."""

from __future__ import annotations

import subprocess
import sys

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
