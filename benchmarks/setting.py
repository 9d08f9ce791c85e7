"""What the numbers depend on: the machine, the versions, the texts."""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

from corpora import whole
from definitions import Cell, Definitions

ROOT = Path(__file__).resolve().parent.parent


def cpu_model() -> str:
    """The processor's name, where the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())


def revision() -> str:
    """The commit that is measured, with a plus if files differ from it; empty outside of git."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty=+", "--abbrev=12"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def setting(
    definitions: Definitions,
    cells: list[Cell],
    versions: dict[str, str],
    options: argparse.Namespace,
) -> dict[str, Any]:
    """All of it, for the head of the report."""
    texts = {}
    for name in dict.fromkeys(cell.text for cell in cells):
        data = whole(definitions.texts[name])
        texts[name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    return {
        "cpu": cpu_model(),
        "cpus": len(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[2], 2),
        "python": platform.python_version(),
        "system": platform.platform(),
        "revision": revision(),
        "versions": {name: found or "not installed" for name, found in versions.items()},
        "rounds": options.rounds,
        "clock": options.clock,
        "texts": texts,
        "text_source": "data folder" if os.environ.get("FRETSAW_DATA") else "made up",
    }
