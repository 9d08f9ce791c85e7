"""Interpreters that end while threads are at work, or with objects half used: the code is the program's."""

from __future__ import annotations

import pytest
from hostile_runs import Run

WORK = {
    "encode": "tok.encode_batch(texts, threads=2)",
    "one text": "tok.encode(text).offsets",
    "decode": "tok.decode_batch(ids, threads=2)",
    "train": "fretsaw.train(texts, vocab_size=300, threads=2)",
    "job": "bulk.tokenize(['a.txt'], f'out{time.monotonic_ns()}', tok, workers=2)",
    "load": "fretsaw.Tokenizer.from_str(saved)",
    "blocks": "next(iter(__import__('fretsaw')._native.TextBlocks(Path('a.txt'), 'line', 'text')))",
}

PROGRAM = """
open('a.txt', 'w').write('some words\\n' * 200_000)
tok = fretsaw.get('gpt2')
texts = ['some words and more'] * 2000
text = ' '.join(texts)
ids = tok.encode_batch_ids(texts)
saved = tok.to_str()
begun = threading.Event()
def work():
    while True:
        {work}
        begun.set()
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
begun.wait()
{end}
"""

ENDS = {"ends": "", "exits": "sys.exit(0)", "raises": "raise SystemExit(0)"}


@pytest.mark.parametrize("work", WORK)
def test_a_program_ends_while_threads_work(work: str, run: Run) -> None:
    end = list(ENDS.values())[list(WORK).index(work) % len(ENDS)]
    done = run(PROGRAM.format(work=WORK[work], end=end))
    assert (done.returncode, done.stderr) == (0, "")


def test_work_in_the_last_moments(run: Run) -> None:
    program = """
import atexit, gc, weakref
tok = fretsaw.get('gpt2')
texts = ['some words and more'] * 2000
class Late:
    def __del__(self, tok=tok, texts=texts):
        tok.encode_batch(texts, threads=2)
late = Late()
late.itself = late
stream = tok.stream()
stream.push(15496)
atexit.register(lambda: print(len(tok.encode_batch(texts, threads=2))))
weakref.finalize(late, lambda: None)
sys.modules['kept'] = Late()
"""
    done = run(program)
    assert (done.returncode, done.stdout, done.stderr) == (0, "2000\n", "")
