"""`fretsaw bench`: a tokenizer and a text of yours, in fretsaw and in the other libraries there are."""

import importlib.util
import json
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import click
from rich.console import Console
from rich.table import Table

from ._input import InputError, text_of_file
from ._options import Vocabulary, json_option, load_vocabulary
from ._oracle import json_of, quiet
from ._peers import PEERS, Peer, ids_of_flat, leaving_out, load_peer, name_of_version
from ._rounds import estimate, paired, time_rounds

ORACLE = "tokenizers"
ROUNDS = 7
TARGET_S = 0.02
DOCUMENT_BYTES = 1 << 16
MOST_BYTES = 1 << 20
MOST_LINES = 256
MODULES = ("argparse", "typing", "inspect", "tarfile", "doctest", "zipfile", "pydoc", "ast")
"""Of the standard library: their sources are the text where none is given."""


class Way(NamedTuple):
    """One way to encode the same text."""

    name: str
    title: str
    requests: list[list[str]]
    is_batch: bool

    @property
    def size_bytes(self) -> int:
        """UTF-8 of all requests."""
        return sum(len(text.encode()) for request in self.requests for text in request)


Times = dict[str, list[float]]
"""Seconds of each library, round by round."""


@click.command()
@click.argument("vocabulary", metavar="TOKENIZER", callback=load_vocabulary)
@click.argument("texts", nargs=-1, metavar="[TEXTS]...")
@json_option
def bench(vocabulary: Vocabulary, texts: tuple[str, ...], as_json: bool) -> None:
    """Times fretsaw on TOKENIZER beside the other tokenizer libraries that are installed.

    TOKENIZER is a tokenizer.json, a folder that holds one, a built-in name, or anything that can be written
    as one; TEXTS are files, or - for standard input. Without them, sources of Python's standard library are
    the text. The first MiB counts. It is encoded line by line, in documents of 64 KiB one at a time, and
    as one batch into a NumPy array, all of it after it was encoded once. No special tokens are added.

    All ids are compared first, with those of Hugging Face's `tokenizers` if it is installed, else with
    those of fretsaw: a library that gives other ids is not timed. Each figure is the median of rounds in
    which all take turns; × is the median of how many times fretsaw's time that is.

    With --json: {"name", "bytes", "compared_with", "libraries": [{"library", "version", "left_out",
    "line_us", "document_us", "batch_us", "line_ratio", "document_ratio", "batch_ratio"}]}; times are of
    one line, one document and the whole batch, null where a library was not timed, with the reason in
    "left_out".
    """
    text = _text(texts)
    file = json_of(vocabulary).encode()
    with quiet():
        peers, left_out = _loaded(file)
        oracle = ORACLE if ORACLE in peers else "fretsaw"
        times: dict[str, Times] = {}
        ways = _ways(text)
        for way in ways:
            times[way.name] = _time(way, peers, oracle, left_out)
    if as_json:
        size_bytes = ways[-1].size_bytes
        report = {"name": vocabulary.name, "bytes": size_bytes, "compared_with": oracle}
        click.echo(json.dumps({**report, "libraries": _libraries(ways, times, left_out)}))
        return
    _print(vocabulary.name, oracle, ways, times, left_out)


def _text(files: tuple[str, ...]) -> str:
    """The beginning of the user's text, or of the standard library."""
    whole = "".join(map(text_of_file, files)) if files else "".join(map(_source, MODULES))
    text = whole.encode()[:MOST_BYTES].decode("utf-8", "ignore")
    if not text.strip():
        raise InputError("nothing to measure: give a file that has text in it")
    return text


def _source(module: str) -> str:
    """The source of a module of the standard library; empty where only its bytecode is installed."""
    found = importlib.util.find_spec(module)
    path = Path(found.origin) if found and found.origin else Path()
    return path.read_text(encoding="utf-8") if path.suffix == ".py" else ""


def _ways(text: str) -> list[Way]:
    """The same text in lines, in documents, and as a batch."""
    lines = [line for line in text.splitlines(keepends=True) if line.strip()]
    step = max(1, len(lines) // MOST_LINES)
    data = text.encode()
    documents = [
        data[start : start + DOCUMENT_BYTES].decode("utf-8", "ignore")
        for start in range(0, len(data), DOCUMENT_BYTES)
    ]
    return [
        Way("line", "line", [[line] for line in lines[::step][:MOST_LINES]], False),
        Way("document", "64 KiB", [[document] for document in documents], False),
        Way("batch", "batch", [documents], True),
    ]


def _loaded(file: bytes) -> tuple[dict[str, Peer], dict[str, str]]:
    """The libraries that read the file, fretsaw first, and why the others are left out."""
    peers, left_out = {}, {}
    for name in PEERS:
        loaded = load_peer(name, file)
        if isinstance(loaded, str):
            left_out[name] = loaded
        else:
            peers[name] = loaded
    return peers, left_out


def _time(way: Way, peers: dict[str, Peer], oracle: str, left_out: dict[str, str]) -> Times:
    """Rounds of those that give the oracle's ids; the others go to `left_out`."""
    wanted = _answers(peers[oracle], way)
    calls: dict[str, Callable[[], object]] = {}
    estimates: dict[str, float] = {}
    for name, peer in peers.items():
        if name in left_out:
            continue
        with leaving_out(name, left_out):
            if _answers(peer, way) == wanted:
                call = _pass(peer, way)
                estimates[name] = estimate(call)
                calls[name] = call
            else:
                left_out[name] = "gives other ids"
    if "fretsaw" in left_out:
        raise InputError(f"fretsaw {left_out['fretsaw']}; `fretsaw verify` shows which")
    found = time_rounds(calls, estimates, ROUNDS, TARGET_S)
    return {name: [one / len(way.requests) for one in rounds] for name, rounds in found.items()}


def _answers(peer: Peer, way: Way) -> list[list[int]]:
    if way.is_batch:
        return [ids for some in way.requests for ids in ids_of_flat(peer.flat(some), len(some))]
    return [list(peer.one(text)) for [text] in way.requests]


def _pass(peer: Peer, way: Way) -> Callable[[], object]:
    """One encode of all requests."""
    if way.is_batch:
        [texts] = way.requests
        return lambda: peer.flat(texts)
    singles, one = [text for [text] in way.requests], peer.one

    def one_by_one() -> None:
        for text in singles:
            one(text)

    return one_by_one


def _libraries(
    ways: list[Way], times: dict[str, Times], left_out: dict[str, str]
) -> list[dict[str, object]]:
    """The rows of `--json`."""
    return [
        {
            "library": name,
            "version": name_of_version(name) or None,
            "left_out": left_out.get(name),
            **{f"{way.name}_us": _microseconds(times[way.name], name) for way in ways},
            **{f"{way.name}_ratio": _ratio(times[way.name], name) for way in ways},
        }
        for name in PEERS
    ]


def _microseconds(times: Times, name: str) -> float | None:
    return statistics.median(times[name]) * 1e6 if name in times else None


def _ratio(times: Times, name: str) -> float | None:
    return statistics.median(paired(times["fretsaw"], times[name])) if name in times else None


def _print(
    name: str, oracle: str, ways: list[Way], times: dict[str, Times], left_out: dict[str, str]
) -> None:
    console = Console(highlight=False)
    size_bytes = ways[-1].size_bytes
    console.print(
        f"{name}, {size_bytes:,} bytes; ids compared with those of {oracle}", markup=False
    )
    table = Table(box=None, pad_edge=False)
    table.add_column("library", no_wrap=True)
    for way in ways:
        unit = "MB/s" if way.is_batch else "us"
        table.add_column(f"{way.title}, {unit}", justify="right")
        table.add_column("×", justify="right")
    for library in PEERS:
        if any(library in times[way.name] for way in ways):
            cells = [cell for way in ways for cell in _cells(way, times[way.name], library)]
            table.add_row(f"{library.removesuffix('-1')} {name_of_version(library)}", *cells)
    console.print(table)
    for library, reason in left_out.items():
        console.print(f"{library}: {reason}", markup=False, style="dim")


def _cells(way: Way, times: Times, library: str) -> tuple[str, str]:
    """A figure and its ratio, or dashes."""
    micros, ratio = _microseconds(times, library), _ratio(times, library)
    if micros is None or ratio is None:
        return "-", "-"
    figure = f"{way.size_bytes / micros:,.0f}" if way.is_batch else f"{micros:,.1f}"
    return figure, f"{ratio:.2f}"
