"""Processes that may have little memory: an error that says so, and work goes on."""

from __future__ import annotations

import pytest
from hostile_runs import Run

LITTLE = """
tok = fretsaw.get('gpt2')
tok.encode_batch(['some words'] * 1000, threads=2)
def limit(more):
    used = int(Path('/proc/self/statm').read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + more, used + more))
def refused(work):
    try:
        work()
    except MemoryError as error:
        print('MemoryError', error)
    else:
        print('done')
"""

CALLS = {
    "encode": "tok.encode(text)",
    "encode_ids": "tok.encode_ids(text)",
    "encode_batch": "tok.encode_batch([text[:500_000]] * 60)",
    "encode_batch_flat": "tok.encode_batch_flat([text[:500_000]] * 60)",
    "pre_tokenize": "tok.pre_tokenize(text)",
    "normalize": "tok.normalize(text)",
    "chunk": "tok.chunk(text, max_tokens=512)",
    "decode": "tok.decode(ids)",
    "train": "fretsaw.train([text], vocab_size=300)",
}


@pytest.mark.parametrize("call", CALLS)
def test_a_call_that_may_not_fit_is_a_memory_error(call: str, run: Run) -> None:
    program = f"""
text = 'a b ' * 8_000_000
ids = [15496] * 8_000_000
limit(100_000_000)
refused(lambda: {CALLS[call]})
print(tok.encode_ids('Hello'))
"""
    told = run(LITTLE + program).stdout.splitlines()
    assert told[0].startswith("MemoryError"), told
    assert "raise the limit (ulimit -v)" in told[0]
    assert told[1] == "[15496]"


def test_what_fits_is_done(run: Run) -> None:
    program = """
text = 'a b ' * 1_000_000
limit(400_000_000)
refused(lambda: tok.encode_ids(text))
refused(lambda: tok.count(text * 2))
"""
    assert run(LITTLE + program).stdout == "done\ndone\n"
