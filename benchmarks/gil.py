"""How long calls hold the interpreter, in processor time, for each 64 KiB of text.

The two functions of Python's library by which an extension releases the interpreter and takes it again are
wrapped (a few lines of C, by way of `LD_PRELOAD`): they add up the processor time that the calling thread
spends between them. The rest of a call's processor time is what it held the interpreter for. Waiting does
not count, so that a busy machine hardly matters; the least of several calls is taken.

Beside it stands the time of what can't be done without the interpreter: building the list or the string that
the call returns, and reading the list that it is given, each by Python's own call. Needs a C compiler, and a
Python whose library is shared; ends with 3 where one is missing. Run with `python benchmarks/gil.py`; the
last line is JSON.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from corpora import whole

import fretsaw

WRAPPED = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static __thread long long released_at, released_ns;

static long long now(void) {
    struct timespec at;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
    return at.tv_sec * 1000000000LL + at.tv_nsec;
}

void *PyEval_SaveThread(void) {
    void *(*next)(void) = dlsym(RTLD_NEXT, "PyEval_SaveThread");
    void *state = next();
    released_at = now();
    return state;
}

void PyEval_RestoreThread(void *state) {
    void (*next)(void *) = dlsym(RTLD_NEXT, "PyEval_RestoreThread");
    if (released_at) released_ns += now() - released_at;
    released_at = 0;
    next(state);
}

long long taken_released_ns(void) {
    long long taken = released_ns;
    released_ns = 0;
    return taken;
}
"""
KIB = 1024
SIZES = {"64KiB": 64 * KIB, "1MiB": 1024 * KIB, "10MB": 10_000_000}
VARIABLE = "FRETSAW_GIL_WRAPPED"
Call = Callable[[], object]


def wrapped() -> int:
    """Runs this program again with the functions wrapped; its exit code."""
    if not sysconfig.get_config_var("Py_ENABLE_SHARED"):
        print("needs a Python whose library is shared", file=sys.stderr)
        return 3
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "wrapped.c"), Path(folder, "wrapped.so")
        source.write_text(WRAPPED)
        build = ["cc", "-O2", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"]
        try:
            subprocess.run(build, check=True)
        except (OSError, subprocess.CalledProcessError):
            print("needs a C compiler that is called cc", file=sys.stderr)
            return 3
        environment = {**os.environ, "LD_PRELOAD": str(library), VARIABLE: str(library)}
        return subprocess.run([sys.executable, *sys.argv], env=environment, check=False).returncode


def held_us(call: Call, calls: int, taken: Callable[[], int]) -> float:
    """The least processor time, in microseconds, that a call holds the interpreter for."""
    found = []
    for _ in range(calls):
        taken()
        start = time.thread_time_ns()
        kept = call()
        found.append(time.thread_time_ns() - start - taken())
        del kept
    return min(found) / 1e3


def calls_on(tok: fretsaw.Tokenizer, text: str) -> dict[str, tuple[Call, Call | None]]:
    """Each call on a text that no call has seen before, and what Python does for it at least."""
    options: dict[str, Any] = {"special": "none"}
    array, _ = tok.encode_batch_flat([text], **options)
    ids = array.tolist()
    data = text.encode()
    size = max(1, len(text) // 64)
    parts = [text[at : at + size].encode() for at in range(0, len(text), size)]

    def new() -> str:
        """A string whose UTF-8 is not known to Python yet, as it comes from a request."""
        return data.decode()

    def batch() -> list[str]:
        return [part.decode() for part in parts]

    return {
        "count": (lambda: tok.count(new(), **options), new),
        "fits": (lambda: tok.fits(new(), 1 << 40, **options), new),
        "index": (lambda: tok.index(new(), **options), new),
        "encode": (lambda: tok.encode(new(), **options), new),
        "encode_ids": (
            lambda: tok.encode_ids(new(), **options),
            lambda: (new(), array.tolist()),
        ),
        "offsets": (
            lambda: tok.encode(new(), **options).offsets,
            lambda: (new(), [(at, at) for at in ids]),
        ),
        "count_batch": (lambda: tok.count_batch(batch(), **options), batch),
        "encode_batch": (lambda: tok.encode_batch(batch(), **options), batch),
        "encode_batch_flat": (lambda: tok.encode_batch_flat(batch(), **options), batch),
        "normalize": (lambda: tok.normalize(new()), lambda: (new(), new())),
        "decode": (lambda: tok.decode(ids), lambda: (new(), sum(ids))),
    }


def measured(options: argparse.Namespace) -> dict[str, dict[str, list[float]]]:
    """By text and call: held, and what of it is Python's own, in microseconds for each 64 KiB."""
    taken = ctypes.PyDLL(os.environ[VARIABLE]).taken_released_ns
    taken.restype = ctypes.c_longlong
    tok = fretsaw.get(options.tokenizer)
    table: dict[str, dict[str, list[float]]] = {}
    for name in options.texts:
        data = whole([name])
        for size in options.sizes:
            part = (data * (SIZES[size] // len(data) + 1))[: SIZES[size]].decode("utf-8", "ignore")
            share = 64 * KIB / SIZES[size]
            row = table.setdefault(f"{name} {size}", {})
            for call, (whole_call, least) in calls_on(tok, part).items():
                held = held_us(whole_call, options.calls, taken)
                own = held_us(least, options.calls, taken) if least else 0.0
                row[call] = [held * share, own * share]
                shown = f"held {row[call][0]:.1f} us, of which Python's own {row[call][1]:.1f}"
                print(f"{name} {size}, {call}: {shown}", flush=True)
    return table


def main() -> int:
    """Prints a table, and the same as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=15)
    parser.add_argument("--tokenizer", default="gpt2", help="a built-in one")
    parser.add_argument("--texts", nargs="+", default=["en_prose", "multilingual", "zh_cn"])
    parser.add_argument("--sizes", nargs="+", default=list(SIZES), choices=list(SIZES))
    options = parser.parse_args()
    if VARIABLE not in os.environ:
        return wrapped()
    print(json.dumps(measured(options)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
