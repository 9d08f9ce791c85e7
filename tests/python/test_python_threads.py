"""Threads and processes: the same results from all of them, and no child that waits for its parent."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest
from frozen import golden_ids, golden_strings

import fretsaw

TIMEOUT_SECONDS = 60
TEXTS = list(golden_strings()[::5])
WANTED = list(golden_ids("gpt2")[::5])


@pytest.mark.parametrize("threads", [0, 1, 2, 3, 8])
@pytest.mark.parametrize("count", [0, 1, 2, 7, 2_000])
def test_the_number_of_threads_makes_no_difference(
    gpt2: fretsaw.Tokenizer, threads: int, count: int
) -> None:
    encodings = gpt2.encode_batch(TEXTS[:count], threads=threads)
    assert [encoding.ids for encoding in encodings] == WANTED[:count]
    ids, row_offsets = gpt2.encode_batch_flat(TEXTS[:count], threads=threads)
    assert ids.tolist() == [id_ for row in WANTED[:count] for id_ in row]
    assert len(row_offsets) == count + 1
    assert gpt2.encode_batch_ids(TEXTS[:count], threads=threads) == WANTED[:count]
    lengths = [len(row) for row in WANTED[:count]]
    assert gpt2.count_batch(TEXTS[:count], threads=threads) == lengths
    texts = gpt2.decode_batch(WANTED[:count], skip_special_tokens=False, threads=threads)
    assert texts == TEXTS[:count]


def test_one_long_text_among_short_ones(gpt2: fretsaw.Tokenizer) -> None:
    long = "".join(TEXTS)
    expected = gpt2.encode_ids(long)
    for threads in (1, 2, 3, 8):
        batch = gpt2.encode_batch(["a", long, "b"], threads=threads)
        assert batch[1].ids == expected
        flat, row_offsets = gpt2.encode_batch_flat([long], threads=threads)
        assert flat.tolist() == expected
        assert row_offsets.tolist() == [0, len(expected)]


def test_an_error_names_the_first_text_whatever_the_threads(gpt2: fretsaw.Tokenizer) -> None:
    texts = [*TEXTS[:100], "x<|endoftext|>", *TEXTS[:50], "<|endoftext|>"]
    texts = [text for text in texts[:100] if "<|endoftext|>" not in text] + texts[100:]
    index = next(at for at, text in enumerate(texts) if "<|endoftext|>" in text)
    for threads in (1, 2, 3, 8):
        with pytest.raises(fretsaw.EncodeError, match=rf"\b{index}\b"):
            gpt2.encode_batch(texts, special="error", threads=threads)


def test_eight_threads_at_once(gpt2: fretsaw.Tokenizer) -> None:
    start = threading.Barrier(8)

    def work(number: int) -> bool:
        start.wait(TIMEOUT_SECONDS)
        texts, wanted = TEXTS[number:], WANTED[number:]
        same = [gpt2.encode_ids(text) for text in texts] == wanted
        same &= [encoding.ids for encoding in gpt2.encode_batch(texts, threads=2)] == wanted
        same &= gpt2.decode_batch(wanted, skip_special_tokens=False) == texts
        stream = gpt2.stream(skip_special_tokens=False)
        pushed = "".join(stream.push(id_) for row in wanted[:100] for id_ in row) + stream.finish()
        return same and pushed == "".join(texts[:100])

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


def test_eight_threads_load_at_once(gpt2_json: bytes) -> None:
    with ThreadPoolExecutor(8) as pool:
        loaded = list(pool.map(lambda _: fretsaw.Tokenizer.from_str(gpt2_json), range(8)))
    assert len({tok.fingerprint for tok in loaded}) == 1
    assert all(tok.encode_ids("Hello world") == [15496, 995] for tok in loaded)


def in_a_child(work: Callable[[], bool]) -> None:
    """Forks, and fails unless the child returns True in time."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if work() else 2
        finally:
            os._exit(status)
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0):
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            pytest.fail("the child hangs")
        time.sleep(0.01)
    assert os.waitstatus_to_exitcode(ended[1]) == 0


def child_work(tok: fretsaw.Tokenizer) -> bool:
    """Everything that could wait for a lock or for threads that are not there any more."""
    one = [tok.encode_ids(text) for text in TEXTS[:200]] == WANTED[:200]
    many = all(
        [encoding.ids for encoding in tok.encode_batch(TEXTS, threads=threads)] == WANTED
        for threads in (0, 1, 2, 4)
    )
    decoded = tok.decode_batch(WANTED, skip_special_tokens=False, threads=2) == TEXTS
    return one and many and decoded


def test_fork_before_the_pool_was_used(gpt2_json: bytes) -> None:
    tok = fretsaw.Tokenizer.from_str(gpt2_json)
    in_a_child(lambda: child_work(tok))
    assert child_work(tok)


def test_fork_after_the_pool_was_used(gpt2: fretsaw.Tokenizer) -> None:
    assert child_work(gpt2)
    for _ in range(5):
        in_a_child(lambda: child_work(gpt2))
    assert child_work(gpt2)


def test_fork_of_a_fork(gpt2: fretsaw.Tokenizer) -> None:
    assert child_work(gpt2)

    def work() -> bool:
        in_a_child(lambda: child_work(gpt2))
        return child_work(gpt2)

    in_a_child(work)


def test_fork_while_the_pool_is_busy(gpt2: fretsaw.Tokenizer) -> None:
    stop = threading.Event()

    def keep_busy() -> None:
        while not stop.is_set():
            gpt2.encode_batch(TEXTS, threads=2)
            gpt2.encode_batch_flat(TEXTS, threads=3)

    busy = [threading.Thread(target=keep_busy) for _ in range(2)]
    for thread in busy:
        thread.start()
    try:
        for _ in range(10):
            in_a_child(lambda: child_work(gpt2))
    finally:
        stop.set()
        for thread in busy:
            thread.join(TIMEOUT_SECONDS)
    assert not any(thread.is_alive() for thread in busy)


def encode_in_worker(texts: list[str], tok: fretsaw.Tokenizer) -> list[list[int]]:
    """The work of a process; the tokenizer comes by pickle."""
    return [encoding.ids for encoding in tok.encode_batch(texts, special="all", threads=2)]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(method: str) -> None:
    tok = fretsaw.get("gpt2")
    tok.encode_batch(TEXTS, special="all", threads=2)
    texts, wanted = TEXTS[:300], WANTED[:300]
    with ProcessPoolExecutor(2, multiprocessing.get_context(method)) as pool:
        running = [pool.submit(encode_in_worker, texts, tok) for _ in range(4)]
        assert [done.result(TIMEOUT_SECONDS) for done in running] == [wanted] * 4


def test_a_program_ends_while_threads_encode() -> None:
    program = (
        "import fretsaw, threading, time\n"
        "tok = fretsaw.get('gpt2')\n"
        "work = lambda: [tok.encode_batch(['some words'] * 5000, threads=2) for _ in range(200)]\n"
        "threading.Thread(target=work, daemon=True).start()\n"
        "time.sleep(0.2)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
