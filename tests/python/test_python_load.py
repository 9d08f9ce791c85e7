"""Everything at once from eight threads, loops that go on, and children of a busy parent."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import os
import pickle
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from frozen import PROVE, golden_ids, golden_strings
from test_python_threads import TIMEOUT_SECONDS, in_a_child

import fretsaw

TEXTS = list(golden_strings()[::25])
WANTED = list(golden_ids("gpt2")[::25])
ROUNDS = 40
LOAD_S = 60 if PROVE else 0
"""How long each of the threads goes on at least."""


def resident_bytes() -> int:
    """What the process has in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def mixed_calls(tok: fretsaw.Tokenizer, source: random.Random) -> None:
    """A few calls of each kind, each compared with what is known."""
    at = source.randrange(len(TEXTS))
    text, ids = TEXTS[at], WANTED[at]
    assert tok.encode(text).ids == tok.encode_ids(text) == ids
    assert tok.count(text) == len(ids)
    assert tok.fits(text, len(ids))
    assert tok.decode(ids, skip_special_tokens=False) == text
    batch = tok.encode_batch_ids(TEXTS[at : at + 40], threads=source.randrange(3))
    assert batch == WANTED[at : at + 40]
    stream = tok.stream(skip_special_tokens=False, stop=["no such stop"])
    cut = source.randrange(len(ids) + 1)
    pushed = stream.push_many(ids[:cut])
    assert pushed + stream.copy().push_many(ids[cut:]) == pushed + stream.push_many(ids[cut:])
    growing = tok.start(text[:5])
    tok.extend(growing, text[5:])
    assert growing.ids == ids
    assert tok.index(text).count(0, len(text)) == len(ids)
    tok.encode_ids(text, special={"<|endoftext|>"}, trusted=[(0, len(text) // 2)])
    assert tok.truncate(text, 3)[1] <= 3


def test_eight_threads_and_memory_that_does_not_grow(gpt2: fretsaw.Tokenizer) -> None:
    def work(number: int) -> None:
        source, until = random.Random(number), time.monotonic() + LOAD_S
        for number_of_calls in itertools.count():
            if number_of_calls >= ROUNDS and time.monotonic() >= until:
                return
            mixed_calls(gpt2, source)

    def all_threads(first: int) -> int:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(first, first + 8)))
        return resident_bytes()

    all_threads(0)
    before = all_threads(8)
    assert all_threads(16) - before < 32 << 20


def test_a_tokenizer_that_changes_under_eight_threads(gpt2_json: bytes) -> None:
    tok = fretsaw.Tokenizer.from_str(gpt2_json)
    stop = threading.Event()

    def change() -> None:
        while not stop.is_set():
            tok.add_tokens(["\uffff\uffff"])
            tok.enable_padding(length=4)
            tok.no_padding()

    changing = threading.Thread(target=change)
    changing.start()
    try:
        with ThreadPoolExecutor(7) as pool:
            found = list(pool.map(lambda at: tok.encode_ids(TEXTS[at]), range(len(TEXTS))))
    finally:
        stop.set()
        changing.join(TIMEOUT_SECONDS)
    for ids, wanted in zip(found, WANTED, strict=True):
        assert [id_ for id_ in ids if id_] == [id_ for id_ in wanted if id_]


async def turns_until(task: asyncio.Task[object]) -> int:
    """How often the loop came by before a task was done."""
    turns = 0
    while not task.done():
        turns += 1
        await asyncio.sleep(0)
    await task
    return turns


def test_the_loop_goes_on_while_a_text_is_encoded(gpt2: fretsaw.Tokenizer) -> None:
    long = " ".join(TEXTS) * 20
    rows = [gpt2.encode_ids(long)] * 4

    async def main() -> list[int]:
        calls = (
            gpt2.async_encode(long),
            gpt2.async_encode_batch([long] * 4),
            gpt2.async_encode_batch_fast([long] * 4, threads=2),
            gpt2.async_decode_batch(rows),
        )
        return [await turns_until(asyncio.create_task(call)) for call in calls]

    # A call that blocked would be over at the first turn; one on another thread comes back
    # through the loop, whatever the speed of the machine.
    assert min(asyncio.run(main())) > 1


@pytest.mark.parametrize("special", ["none", "all"])
def test_a_child_of_a_parent_that_makes_a_model(special: str, data_dir: Path) -> None:
    # Some models are made when first needed, with the interpreter released; a fork may come then.
    content = gzip.decompress((data_dir / "tokenizers" / "t5-small.json.gz").read_bytes())
    text = "Some words </s> and " * 200
    wanted = fretsaw.Tokenizer.from_str(content).encode_ids(text, special=special)
    for _ in range(100 if PROVE else 8):
        tok = fretsaw.Tokenizer.from_str(content)
        threads = [
            threading.Thread(target=lambda tok=tok: tok.encode_ids(text, special=special))
            for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        in_a_child(lambda tok=tok: tok.encode_ids(text, special=special) == wanted)
        for thread in threads:
            thread.join(TIMEOUT_SECONDS)


def test_children_of_a_parent_that_does_everything(gpt2: fretsaw.Tokenizer) -> None:
    stop = threading.Event()

    def keep_busy(number: int) -> None:
        source = random.Random(number)
        while not stop.is_set():
            mixed_calls(gpt2, source)

    busy = [threading.Thread(target=keep_busy, args=(number,)) for number in range(3)]
    for thread in busy:
        thread.start()

    def work() -> bool:
        mixed_calls(gpt2, random.Random(7))
        return True

    try:
        for _ in range(100 if PROVE else 10):
            in_a_child(work)
    finally:
        stop.set()
        for thread in busy:
            thread.join(TIMEOUT_SECONDS)


def test_streams_take_little_memory(gpt2: fretsaw.Tokenizer) -> None:
    count = 20_000

    def make() -> fretsaw.Stream:
        return gpt2.stream(stop=["\nUser:", "###"], prefill=[15496])

    some = [make() for _ in range(count)]
    before = resident_bytes()
    more = [make() for _ in range(count)]
    for stream in more:
        stream.push(995)
    assert (resident_bytes() - before) / count < 1_024
    assert len(some) + len(more) == 2 * count


def test_pickles_of_built_in_tokenizers_are_small() -> None:
    for name in fretsaw.names():
        assert len(pickle.dumps(fretsaw.get(name))) < 200
