"""A program run apart, which must end with an ordinary error, if with one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

PATIENCE_SECONDS = 120
"""A hang is a failure; nothing here takes that long on any machine."""

BEGIN = """
import os, resource, signal, sys, threading, time
from pathlib import Path
import numpy
import fretsaw
from fretsaw import bulk
path = sys.argv[1] if len(sys.argv) > 1 else ""
"""
"""The modules that programs use, imported before any limit is set."""

Run = Callable[..., subprocess.CompletedProcess[str]]


def run_in(folder: Path, program: str, path: str | bytes) -> subprocess.CompletedProcess[str]:
    """Runs a program, which has its argument as `path`; it may neither hang nor crash."""
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + program, path],
        cwd=folder,
        capture_output=True,
        text=True,
        errors="backslashreplace",
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr[-3000:]
    assert "panicked" not in done.stderr, done.stderr
    return done
