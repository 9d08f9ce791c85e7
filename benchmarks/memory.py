"""Resident memory of one library with one tokenizer, above that of the interpreter.

Each library has a process of its own, which runs the few lines that a user would write. Everything counts
that comes with them: the library's import and what it imports, the tokenizer, and one encode.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import sys
file, text = sys.argv[1:]
def resident_kib():
    with open("/proc/self/smaps_rollup") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("Rss:"))
before = resident_kib()
{lines}
after = resident_kib()
import json
print(json.dumps([(after - before) / 1024, list(map(int, ids))]))
"""

BY_OBJECT = "ids = tok.encode(text, add_special_tokens=False).ids"
LINES = {
    "fretsaw": (
        "import fretsaw",
        "tok = fretsaw.Tokenizer.from_file(file)",
        "ids = tok.encode_ids(text, add_special_tokens=False)",
    ),
    "tokenizers": (
        "import tokenizers",
        "tok = tokenizers.Tokenizer.from_file(file)",
        BY_OBJECT,
    ),
    "snaptokens": (
        "import snaptokens",
        "tok = snaptokens.Tokenizer.from_file(file)",
        BY_OBJECT,
    ),
    "fastokens": ("import fastokens", "tok = fastokens.Tokenizer.from_file(file)", BY_OBJECT),
    "tokie": (
        "import tokie",
        "tok = tokie.Tokenizer.from_file(file)"
        " if file.endswith('.tokie') else tokie.Tokenizer.from_json(file)",
        BY_OBJECT,
    ),
    "gigatoken": (
        "import gigatoken",
        "tok = gigatoken.Tokenizer.from_json(open(file, 'rb').read())",
        "ids = tok.encode(text)",
    ),
    "kitoken": (
        "import kitoken",
        "tok = kitoken.Kitoken.from_file(file)"
        " if file.endswith('.kit') else kitoken.Kitoken.from_tokenizers_file(file)",
        "ids = tok.encode(text, True)",
    ),
    "iree-tokenizer": (
        "import iree.tokenizer",
        "tok = iree.tokenizer.Tokenizer.from_file(file)",
        "ids = tok.encode(text)",
    ),
}
LINES["tokenizers-1"] = LINES["tokenizers"]


def resident_mib(name: str, file: Path, text: str, folder: Path | None) -> tuple[float, list[int]]:
    """What a library takes, in MiB, and the ids that it gives; `folder` is where it lies, if apart."""
    program = PROGRAM.replace("{lines}", "\n".join(LINES[name]))
    paths = [] if folder is None else [f"import sys; sys.path.insert(0, {str(folder)!r})"]
    command = [sys.executable, "-c", "\n".join([*paths, program]), str(file), text]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[-1:] or done.returncode)
    mib, ids = json.loads(done.stdout)
    return mib, ids
