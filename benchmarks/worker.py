"""Measures the cells of one tokenizer: the process that `run.py` starts, watches and starts again.

Reads one JSON line with what is to be done, writes JSON lines: `{"at": [cell, library], "give_up_s": ...}`
before every call into a library that was not seen to go well yet, so that it is known who was at work if
this process ends or hangs, `{"result": ...}` for each cell, and `{"fatal": ...}` where nothing can be said.
A library that fails, or whose ids are not those of Hugging Face tokenizers, is out of that cell, with the
reason.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import serving_cells
from corpora import requests, whole
from definitions import SHAPES, Cell, Definitions, load_definitions
from memory import LINES, resident_mib
from peers import FORMS, Loading, loading
from tokenizer_files import file_of

import fretsaw
from fretsaw.cli._peers import (
    PEERS,
    Peer,
    folder_of,
    ids_of_flat,
    leaving_out,
    load_peer,
    quieted,
)
from fretsaw.cli._rounds import Clock, estimate, in_turn, rounds_of, time_rounds, timed

OURS = "fretsaw"
ORACLE = "tokenizers"
SHORT = "Hello"
SLOPE_BYTES = [4096 << (2 * at) for at in range(6)]
GIVE_UP_S = 180.0
"""How long a library may take for one step."""
ROUNDS_S = 3600.0
"""How long all rounds of a cell may take, each of whose calls went well before."""
SINGLE = {"ids", "object", "offsets"}


class Fatal(Exception):
    """Nothing can be said: fretsaw, or what it is compared with, is missing or wrong."""


class Job:
    """One tokenizer, the libraries that have it loaded, and how precisely cells are measured."""

    def __init__(self, task: dict[str, Any], folder: Path) -> None:
        self.definitions: Definitions = load_definitions()
        self.file = file_of(task["tokenizer"], self.definitions)
        self.source = folder / "tokenizer.json"
        self.source.write_bytes(self.file)
        self.rounds: int = task["rounds"]
        self.cold_rounds: int = task["cold_rounds"]
        self.target_s: float = task["target_ms"] / 1e3
        self.clock: Clock = time.process_time if task["clock"] == "cpu" else time.perf_counter
        self.scale: float = task["scale"]
        self.left_out: dict[str, dict[str, str]] = task["left_out"]
        """By cell, or `*` for all, then by library."""
        self.cells: list[Cell] = [
            cell for cell in self.definitions.cells if cell.name in set(task["cells"])
        ]
        self.peers: dict[str, Peer] = {}
        self.missing = dict(self.left_out.get("*", {}))

    def load(self) -> None:
        """All libraries, one after the other."""
        for name in PEERS:
            if name not in self.missing:
                at("*", name)
                loaded = load_peer(name, self.file)
                if isinstance(loaded, str):
                    self.missing[name] = loaded
                else:
                    self.peers[name] = loaded
        for name in (OURS, ORACLE):
            if name in self.missing:
                raise Fatal(f"{name}: {self.missing[name]}")

    def requests(self, cell: Cell, wanted: int | None = None) -> list[list[str]]:
        """The texts of a cell; `scale` makes them smaller where it just has to be seen to run."""
        shape = SHAPES[cell.shape]
        data = whole(self.definitions.texts[cell.text])
        size_bytes = max(16, int(shape.text_bytes * self.scale))
        count = max(1, int(shape.count * self.scale))
        return requests(data, count, size_bytes, wanted or max(1, int(shape.requests * self.scale)))


def at(cell: str, name: str, give_up_s: float = GIVE_UP_S) -> None:
    """Says who is at work now, and for how long that may be."""
    say({"at": [cell, name], "give_up_s": give_up_s})


def say(message: dict[str, Any]) -> None:
    """Writes a line to whoever watches."""
    print(json.dumps(message), flush=True)


def single_call(peer: Peer, output: str) -> Callable[[str], Any]:
    """What encodes one text, for the outputs that are of one text."""
    if output == "offsets":
        if peer.offsets is None:
            raise NotImplementedError("has no offsets in characters")
        return peer.offsets
    return (peer.object_ids if output == "object" else None) or peer.one


def pass_over(peer: Peer, output: str, texts: list[list[str]]) -> Callable[[], object]:
    """One encode of all requests, the way that is timed."""
    if output in SINGLE:
        call, singles = single_call(peer, output), [text for request in texts for text in request]

        def one_by_one() -> None:
            for text in singles:
                call(text)

        return one_by_one
    batch = peer.flat if output == "flat" else peer.batch

    def batches() -> None:
        for request in texts:
            batch(request)

    return batches


def answers(peer: Peer, output: str, texts: list[list[str]]) -> list[Any]:
    """What a library says of every text, in one form for all ways to ask."""
    if output == "flat":
        return [ids for request in texts for ids in ids_of_flat(peer.flat(request), len(request))]
    if output == "lists":
        return [list(ids) for request in texts for ids in peer.batch(request)]
    call = single_call(peer, output)
    found = (call(text) for request in texts for text in request)
    return [list(map(tuple, one)) if output == "offsets" else list(one) for one in found]


def exact(
    job: Job, cell: Cell, texts: list[list[str]]
) -> tuple[dict[str, Peer], dict[str, float], dict[str, str]]:
    """Who gives what the oracle gives, how long that took, and why the others are out."""
    singly = "offsets" if cell.output == "offsets" else "ids"
    wanted = answers(job.peers[ORACLE], singly, texts)
    kept: dict[str, Peer] = {}
    estimates: dict[str, float] = {}
    out = {**job.missing, **job.left_out.get(cell.name, {})}
    for name, peer in job.peers.items():
        if name in out:
            continue
        at(cell.name, name)
        with leaving_out(name, out):
            if answers(peer, cell.output, texts) != wanted:
                out[name] = "other offsets" if cell.output == "offsets" else "other ids"
                continue
            estimates[name] = estimate(pass_over(peer, cell.output, texts), job.clock)
            kept[name] = peer
    if OURS in out:
        raise Fatal(f"{cell.name}: fretsaw {out[OURS]}")
    return kept, estimates, out


def encode_warm(job: Job, cell: Cell) -> dict[str, Any]:
    """Rounds over texts that every library has encoded before."""
    texts = job.requests(cell)
    kept, estimates, out = exact(job, cell, texts)
    calls = {name: pass_over(peer, cell.output, texts) for name, peer in kept.items()}
    at(cell.name, "rounds", ROUNDS_S)
    seconds = time_rounds(calls, estimates, job.rounds, job.target_s, job.clock)
    of_one = {name: [one / len(texts) for one in found] for name, found in seconds.items()}
    return report(cell, texts, of_one, out)


def encode_cold(job: Job, cell: Cell) -> dict[str, Any]:
    """Rounds of a tokenizer that was just loaded, each over texts that are used once only.

    It encodes one word first, so that tables that are made late are there; neither that nor loading is
    timed.
    """
    texts = job.requests(cell, job.cold_rounds)
    kept, estimates, out = exact(job, cell, texts)
    most = rounds_of(estimates, len(texts))
    seconds: dict[str, list[float]] = {name: [] for name in kept}
    for number, name in in_turn(list(kept), len(texts)):
        if number >= most[name]:
            continue
        at(cell.name, name)
        fresh = load_peer(name, job.file)
        if not isinstance(fresh, str):
            fresh.one(SHORT)
            call = pass_over(fresh, cell.output, [texts[number]])
            seconds[name].append(timed(call, clock=job.clock))
    return report(cell, texts, seconds, out)


def load_or_first(job: Job, cell: Cell) -> dict[str, Any]:
    """Rounds of loading, or of the first encode after it."""
    [[text], *_] = texts = job.requests(cell, 1)
    wanted = job.peers[ORACLE].one(text)
    out = {**job.missing, **job.left_out.get(cell.name, {})}
    ways, estimates = {}, {}
    for name in FORMS:
        if name in out:
            continue
        at(cell.name, name)
        with leaving_out(name, out):
            way = loading(name, job.source, cell.output != "load_json")
            if list(way.one(way.load(), text)) == wanted:
                ways[name], estimates[name] = way, time_loading(way, cell.output, text)
            else:
                out[name] = "other ids"
    if OURS in out:
        raise Fatal(f"{cell.name}: fretsaw {out[OURS]}")
    # Each of the first encodes needs a load of its own, so that these are fewer.
    most = rounds_of(estimates, job.cold_rounds if cell.output == "first" else job.rounds)
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    at(cell.name, "rounds", ROUNDS_S)
    for number, name in in_turn(list(ways), max(most.values())):
        if number < most[name]:
            seconds[name].append(time_loading(ways[name], cell.output, text))
    return report(cell, texts, seconds, out)


def time_loading(way: Loading, output: str, text: str) -> float:
    """Seconds of a load, or of the first encode after one; freeing what was loaded is no part of it."""
    loaded: list[Any] = []
    if output == "first":
        loaded.append(way.load())
        return timed(lambda: way.one(loaded[0], text))
    return timed(lambda: loaded.append(way.load()))


def memory(job: Job, cell: Cell) -> dict[str, Any]:
    """MiB of each library in processes of their own."""
    [[text], *_] = texts = job.requests(cell, 1)
    wanted = job.peers[ORACLE].one(text)
    out = {**job.missing, **job.left_out.get(cell.name, {})}
    found: dict[str, list[float]] = {}
    for _ in range(3):
        for name in LINES:
            if name in out:
                continue
            at(cell.name, name)
            try:
                file = loading(name, job.source, True).file
                apart = folder_of(name) if name == "tokenizers-1" else None
                mib, ids = resident_mib(name, file, text, apart)
            except (OSError, RuntimeError, ImportError, ValueError) as error:
                out[name] = f"fails: {quieted(error)}"
                continue
            if ids != wanted:
                out[name] = "other ids"
            else:
                found.setdefault(name, []).append(mib)
    if OURS in out:
        raise Fatal(f"{cell.name}: fretsaw {out[OURS]}")
    return report(cell, texts, found, out)


def threads(job: Job, cell: Cell) -> dict[str, Any]:
    """One thread and two, in turn."""
    texts = job.requests(cell)
    tok = fretsaw.Tokenizer.from_str(job.file)
    calls = {
        name: (lambda count=count: [tok.encode_batch_flat(t, threads=count) for t in texts])
        for name, count in ((OURS, 2), ("one thread", 1))
    }
    estimates = {name: estimate(call) for name, call in calls.items()}
    return report(cell, texts, time_rounds(calls, estimates, job.rounds, job.target_s), {})


def slope(job: Job, cell: Cell) -> dict[str, Any]:
    """The slope of a line through log time over log length, in each round."""
    data = whole(job.definitions.texts[cell.text])
    one = job.peers[OURS].one
    sizes = [max(64, int(size * job.scale)) for size in SLOPE_BYTES]
    # As many texts of each size as are about a megabyte, so that short ones are timed as well as long.
    counts = [max(1, sizes[-1] // size // 4) for size in sizes]
    texts = [
        [text for [text] in requests(data, 1, size, count)]
        for size, count in zip(sizes, counts, strict=True)
    ]
    lengths = [math.log(statistics.fmean(len(text.encode()) for text in some)) for some in texts]
    for some in texts:
        for text in some:
            one(text)
    found = []
    for _ in range(job.rounds):
        times = [
            math.log(timed(lambda some=some: list(map(one, some))) / len(some)) for some in texts
        ]
        found.append(statistics.linear_regression(lengths, times).slope)
    return report(cell, [texts[-1]], {OURS: found}, {})


def serving(job: Job, cell: Cell) -> dict[str, Any]:
    """A cell about serving."""
    texts = job.requests(cell)
    at(cell.name, OURS, ROUNDS_S)
    tok = fretsaw.Tokenizer.from_str(job.file)
    if cell.output in ("push", "decode"):
        return on_ids(job, cell, texts)
    if cell.output == "decode_threads":
        rows = [job.peers[OURS].one(text)[: serving_cells.MOST_IDS] for text in texts[0]]
        found = serving_cells.decode_threads(tok, rows, job.rounds, job.target_s)
    elif cell.output == "count":
        singles = [text for [text] in texts]
        found = serving_cells.count(tok, singles, job.rounds, job.target_s, job.clock)
        found = {name: [one / len(texts) for one in some] for name, some in found.items()}
    else:
        size = SHAPES[cell.shape].text_bytes
        text = serving_cells.repeated(texts[0][0], max(200, int(size * job.scale)))
        measure = serving_cells.extend if cell.output == "extend" else serving_cells.index
        found = measure(tok, text, job.rounds, job.clock)
    return report(cell, texts, found, {})


def on_ids(job: Job, cell: Cell, texts: list[list[str]]) -> dict[str, Any]:
    """The libraries that turn ids into text, one by one or all at once."""
    [[text]] = texts
    ids = job.peers[ORACLE].one(text)[: serving_cells.MOST_IDS]
    out = {**job.missing, **job.left_out.get(cell.name, {})}
    decode = job.peers[ORACLE].decode
    wanted = decode(ids) if decode else ""
    calls: dict[str, Callable[[], object]] = {}
    for name, peer in job.peers.items():
        at(cell.name, name)
        calls |= serving_cells.calls_on_ids({name: peer}, cell.output, ids, out, wanted)
    if OURS in out:
        raise Fatal(f"{cell.name}: fretsaw {out[OURS]}")
    at(cell.name, "rounds", ROUNDS_S)
    estimates = {name: estimate(call, job.clock) for name, call in calls.items()}
    found = time_rounds(calls, estimates, job.rounds, job.target_s, job.clock)
    each = len(ids) if cell.output == "push" else 1
    of_one = {name: [one / each for one in some] for name, some in found.items()}
    return report(cell, texts, of_one, out)


def report(
    cell: Cell, texts: list[list[str]], found: dict[str, list[float]], out: dict[str, str]
) -> dict[str, Any]:
    """One cell's numbers."""
    size_bytes = sum(len(text.encode()) for request in texts for text in request) / len(texts)
    return {
        "cell": cell.name,
        "bytes": round(size_bytes),
        "requests": len(texts),
        "texts": len(texts[0]),
        "found": found,
        "left_out": out,
    }


MEASURES: dict[str, Callable[[Job, Cell], dict[str, Any]]] = {
    "load": load_or_first,
    "load_json": load_or_first,
    "first": load_or_first,
    "memory": memory,
    "threads": threads,
    "slope": slope,
    **dict.fromkeys(("push", "decode", "decode_threads", "count", "extend", "index"), serving),
}


def main() -> None:
    """Does the task that comes on standard input."""
    task = json.loads(sys.stdin.readline())
    with tempfile.TemporaryDirectory() as folder:
        try:
            job = Job(task, Path(folder))
            job.load()
            for cell in job.cells:
                usual = encode_cold if cell.state == "cold" else encode_warm
                start = time.perf_counter()
                at(cell.name, ORACLE)
                result = MEASURES.get(cell.output, usual)(job, cell)
                say({"result": {**result, "took_s": time.perf_counter() - start}})
        except (Fatal, FileNotFoundError) as error:
            say({"fatal": str(error)})


if __name__ == "__main__":
    main()
