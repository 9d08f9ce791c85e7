"""Signals and `fork` at bad moments: Ctrl-C ends long work, handlers run, no child waits for its parent."""

from __future__ import annotations

from hostile_runs import Run

FORKED = """
def child(work):
    '''Whether a forked child does some work and ends.'''
    number = os.fork()
    if number == 0:
        try:
            os._exit(0 if work() else 3)
        except BaseException as error:
            os.write(2, repr(error).encode())
            os._exit(4)
    signal.alarm(60)
    status = os.waitpid(number, 0)[1]
    signal.alarm(0)
    return os.waitstatus_to_exitcode(status)
"""

BUSY = """
stop = threading.Event()
def keep(work):
    def again():
        while not stop.is_set():
            work()
    thread = threading.Thread(target=again)
    thread.start()
    return thread
"""


def test_fork_while_others_load_train_and_change_the_cache(run: Run) -> None:
    program = """
texts = ['some words and more of them'] * 500
tok = fretsaw.get('gpt2')
wanted = tok.encode_batch_ids(texts)
saved = tok.to_str()
# What the first call of all makes for every later one would be half made in a child.
fretsaw.train(texts, vocab_size=280)
busy = [
    keep(lambda: fretsaw.Tokenizer.from_str(saved)),
    keep(lambda: fretsaw.train(texts, vocab_size=280, threads=2)),
    keep(lambda: (fretsaw.set_cache_limit(0), fretsaw.set_cache_limit(1 << 26))),
    keep(lambda: tok.encode_batch(texts, threads=2)),
    keep(lambda: fretsaw.get('r50k_base').count_batch(texts, threads=3)),
]
def work():
    fretsaw.set_cache_limit(1 << 20)
    other = fretsaw.Tokenizer.from_str(saved)
    trained = fretsaw.train(texts, vocab_size=280, threads=2)
    same = other.encode_batch_ids(texts, threads=2) == wanted == tok.encode_batch_ids(texts)
    return same and trained.get_vocab_size() <= 280 and tok.decode(wanted[0]) == texts[0]
try:
    print([child(work) for _ in range(6)])
finally:
    stop.set()
    [thread.join() for thread in busy]
"""
    done = run(FORKED + BUSY + program)
    assert done.stdout == "[0, 0, 0, 0, 0, 0]\n", done.stderr


def test_fork_in_a_handler_and_in_what_training_tells(run: Run) -> None:
    program = """
texts = ['some words and more of them'] * 50
tok = fretsaw.get('gpt2')
wanted = tok.encode_batch_ids(texts)
work = lambda: tok.encode_batch_ids(texts, threads=2) == wanted
codes = []
signal.signal(signal.SIGUSR1, lambda *_: codes.append(child(work)))
def told(*_):
    if len(codes) < 2:
        os.kill(os.getpid(), signal.SIGUSR1)
        codes.append(child(work))
fretsaw.train(texts * 100, vocab_size=300, progress=told, threads=2)
for text in tok.stream().__class__, tok.encode_batch(texts, threads=2), tok.count('x'):
    os.kill(os.getpid(), signal.SIGUSR1)
print(sorted(set(codes)), len(codes) >= 4)
"""
    done = run(FORKED + program)
    assert done.stdout == "[0] True\n", done.stderr


def test_ctrl_c_ends_training_and_a_job_which_goes_on_later(run: Run) -> None:
    program = """
import _thread
open('a.txt', 'w').write(''.join(f'{n} words and {n * 7919} more\\n' for n in range(200_000)))
def told(*_):
    os.kill(os.getpid(), signal.SIGINT)
try:
    fretsaw.train(Path('a.txt'), vocab_size=30_000, progress=told)
except KeyboardInterrupt:
    print('stopped')
try:
    bulk.tokenize(['a.txt'], 'out', 'gpt2', progress=told)
except KeyboardInterrupt:
    print('stopped')
print(fretsaw.get('gpt2').encode_ids('Hello'))
print(bulk.tokenize(['a.txt'], 'out', 'gpt2', resume=True)['documents'], bulk.verify('out'))
"""
    done = run(program)
    assert done.stdout == "stopped\nstopped\n[15496]\n200000 []\n", done.stderr
