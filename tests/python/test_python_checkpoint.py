"""Checkpoints of training: killed at any point it goes on to the very same result."""

import gzip
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

import pytest

import fretsaw
from fretsaw import _checkpoint, _sources

WORDS = [f"{start}{end}" for start in ("low", "new", "größ", "漢", "x") for end in range(400)]
RNG = random.Random(7)
LINES = [" ".join(RNG.choices(WORDS, k=12)) + "\n" for _ in range(3000)]
OPTIONS = {"vocab_size": 700, "special_tokens": ["<s>"]}

SCRIPT = """
import sys, fretsaw
from fretsaw import _checkpoint, _sources
from pathlib import Path
_checkpoint.SAVE_SECONDS = 0.0
_sources.BLOCK_BYTES = 1000
sources = [Path(source) for source in sys.argv[1:-1]]
print("ready", flush=True)
tok = fretsaw.train(sources, checkpoint=sys.argv[-1], resume=True, special_tokens=["<s>"],
                    vocab_size=700, max_distinct=1500)
print(tok.fingerprint, flush=True)
"""


class Stop(Exception):
    pass


def stop_at(number: int):
    """A callback that ends the training at its so-many-eth call."""
    calls = 0

    def tell(stage: str, done: int, total: int) -> None:
        nonlocal calls
        calls += 1
        if calls == number:
            raise Stop

    return tell


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_sources, "BLOCK_BYTES", 10_000)
    monkeypatch.setattr(_sources, "BATCH_TEXTS", 100)


@pytest.fixture
def sources(tmp_path: pathlib.Path) -> list[pathlib.Path]:
    plain, packed, records = (tmp_path / name for name in ("a.txt", "b.txt.gz", "c.jsonl"))
    plain.write_text("".join(LINES[:1000]), newline="")
    packed.write_bytes(gzip.compress("".join(LINES[1000:2000]).encode()))
    records.write_text("\n".join(json.dumps({"text": line}) for line in LINES[2000:]))
    return [plain, packed, records]


def leave(sources, path: pathlib.Path, at: int, **options) -> None:
    with pytest.raises(Stop):
        fretsaw.train(sources, checkpoint=path, progress=stop_at(at), **options)


@pytest.mark.parametrize("options", [{}, {"max_distinct": 300, "max_pretoken_chars": 4}])
def test_stopped_anywhere_it_goes_on_to_the_same(sources, tmp_path, options):
    options = {**OPTIONS, **options}
    told = []
    expected = fretsaw.train(sources, progress=lambda *one: told.append(one), **options).to_str()
    texts = sum(stage == "text" for stage, _, _ in told)
    assert 20 < texts < len(told) - 2
    path = tmp_path / "kept"
    for at in (1, 2, 3, 11, texts - 1, texts, texts + 1, len(told) - 1):
        leave(sources, path, at, **options)
        met = []
        tok = fretsaw.train(
            sources,
            checkpoint=path,
            resume=True,
            threads=1 + at % 3,
            progress=lambda *one, met=met: met.append(one),
            **options,
        )
        assert tok.to_str() == expected
        assert not path.exists()
    assert met[0][0] != "text"  # it was counted to the end
    # Several times, each a little further.
    leave(sources, path, 3, **options)
    for at in (9, 17, 26):
        leave(sources, path, at, resume=True, **options)
    assert fretsaw.train(sources, checkpoint=path, resume=True, **options).to_str() == expected


def test_texts_of_an_iterator_are_compared(tmp_path):
    path = tmp_path / "kept"
    expected = fretsaw.train(LINES, **OPTIONS).to_str()
    leave(iter(LINES), path, 12, **OPTIONS)
    others = [*LINES[:500], "x", *LINES[501:]]
    for wrong, message in ((others, "made of other texts"), (LINES[:600], "made of more text")):
        with pytest.raises(fretsaw.TrainError, match=message):
            fretsaw.train(iter(wrong), checkpoint=path, resume=True, **OPTIONS)
    again = fretsaw.train(iter(LINES), checkpoint=path, resume=True, **OPTIONS)
    assert again.to_str() == expected


@pytest.mark.parametrize("model", ["bpe", "wordpiece", "unigram", "wordlevel"])
def test_stopped_while_it_learns_it_goes_on_to_the_same(tmp_path, model: str):
    path = tmp_path / "kept"
    options = {"model": model, "vocab_size": 1500}
    told = []
    whole = fretsaw.train(LINES, progress=lambda *one: told.append(one), **options).to_str()
    texts = sum(stage in ("text", "pieces") for stage, _, _ in told)
    for at in range(texts + 1, len(told) + 1, max(1, (len(told) - texts) // 10)):
        leave(LINES, path, at, **options)
        tok = fretsaw.train(LINES, checkpoint=path, resume=True, **options)
        assert tok.to_str() == whole


@pytest.mark.parametrize("model", ["bpe", "wordpiece", "unigram"])
def test_what_was_learned_is_saved_and_not_learned_again(tmp_path, monkeypatch, model: str):
    path, saved = tmp_path / "kept", []
    monkeypatch.setattr(_checkpoint, "SAVE_SECONDS", 0.0)
    keep = _checkpoint.Checkpoint.keep

    def seen(self, learned: bytes) -> None:
        keep(self, learned)
        saved.append(path.read_bytes())

    monkeypatch.setattr(_checkpoint.Checkpoint, "keep", seen)
    monkeypatch.setattr(_checkpoint.Checkpoint, "is_due", lambda self: True)
    text = "".join(random.Random(3).choices("abcdefghijklmnopqrstuvwxyz    ", k=300_000))
    options = {"model": model, "vocab_size": 5000}
    whole = fretsaw.train([text], checkpoint=path, **options).to_str()
    assert saved
    assert not path.exists()
    for state in saved[:: max(1, len(saved) // 4)]:
        path.write_bytes(state)
        stages = []
        tok = fretsaw.train(
            [text],
            checkpoint=path,
            resume=True,
            progress=lambda stage, *_, stages=stages: stages.append(stage),
            **options,
        )
        assert tok.to_str() == whole
        assert not {"text", "pairs", "seeds"} & set(stages)


@pytest.mark.parametrize(("model", "what"), [("bpe", "merges"), ("unigram", "pieces")])
def test_learned_states_that_are_damaged_are_refused(tmp_path, monkeypatch, model: str, what: str):
    path = tmp_path / "kept"
    options = {"model": model, "vocab_size": 1500, "checkpoint": path, "resume": True}
    keep = _checkpoint.Checkpoint.keep

    def stop(self, learned: bytes) -> None:
        keep(self, learned[:-3])
        raise Stop

    with monkeypatch.context() as patched:
        patched.setattr(_checkpoint.Checkpoint, "keep", stop)
        patched.setattr(_checkpoint.Checkpoint, "is_due", lambda self: True)
        with pytest.raises(Stop):
            fretsaw.train(LINES, **options)
    with pytest.raises(fretsaw.TrainError, match=f"the saved {what} are damaged"):
        fretsaw.train(LINES, **options)


def test_what_has_changed_is_refused(sources, tmp_path):
    path = tmp_path / "kept"
    leave(sources, path, 5, **OPTIONS)
    with pytest.raises(fretsaw.TrainError, match="already; go on from it with resume=True"):
        fretsaw.train(sources, checkpoint=path, **OPTIONS)

    def refused(match: str, source=sources, **options) -> None:
        kept = path.read_bytes()
        with pytest.raises(fretsaw.TrainError, match=match):
            fretsaw.train(source, checkpoint=path, resume=True, **{**OPTIONS, **options})
        assert path.read_bytes() == kept

    refused("with another vocab_size: '700' then, '800' now", vocab_size=800)
    refused("with another special_tokens", special_tokens=[])
    refused("with another max_distinct: None then, 5 now", max_distinct=5)
    refused("with another by: 'line' then, 'file' now", by="file")
    refused("with another pipeline", pre_tokenizer=None)
    refused("with another source", source=sources[:2])
    refused("with another source", source=LINES)
    os.utime(sources[0])
    refused("with another source")
    with pytest.raises(fretsaw.TrainError, match="resume needs a checkpoint"):
        fretsaw.train(sources, resume=True)
    with pytest.raises(fretsaw.TrainError, match="does not go with counts"):
        fretsaw.train(counts=fretsaw.PieceCounts({"a": 1}), checkpoint=path)


def test_damaged_files_are_refused(tmp_path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "kept"
    leave(LINES, path, 5, **OPTIONS)
    sound = path.read_bytes()
    start = len(_checkpoint.MAGIC) + _checkpoint.DIGEST_BYTES
    damaged = [b"", b"x", sound[:10], sound[:start], sound[:-1], sound + b"x"]
    damaged += [sound[:at] + bytes([sound[at] ^ 1]) + sound[at + 1 :] for at in range(0, 4000, 97)]
    # With a digest that is right, as one that means harm would have it.
    size = int.from_bytes(sound[start : start + 8], "little")
    head = json.loads(sound[start + 8 : start + 8 + size])
    state = sound[start + 8 + size :]
    heads = [
        head | change for change in ({"calls": -1}, {"calls": "1"}, {"asked": 3}, {"texts": 1})
    ]
    heads += [head | {"is_complete": 1}, head | {"counted": -1}, head | {"counted": 1 << 40}]
    heads += [head | {"counted": len(state) - 1}, [], "x", {}]
    rests = [(json.dumps(wrong).encode(), state) for wrong in heads]
    rests += [(b"[" * 100_000, state), (json.dumps(head).encode(), state[:-1])]
    rests += [(json.dumps(head).encode(), state[:17] + b"\xff" * 8 + state[25:])]
    for header, counted in rests:
        rest = len(header).to_bytes(8, "little") + header + counted
        digest = _checkpoint.hashlib.sha256(rest).digest()
        damaged.append(_checkpoint.MAGIC + digest + rest)
    for data in damaged:
        path.write_bytes(data)
        with pytest.raises(fretsaw.TrainError, match=r"not a whole checkpoint|are damaged"):
            fretsaw.train(LINES, checkpoint=path, resume=True, **OPTIONS)
        assert path.read_bytes() == data


def test_killed_at_any_moment(sources, tmp_path):
    path = tmp_path / "kept"
    expected = fretsaw.train(sources, max_distinct=1500, **OPTIONS).fingerprint
    command = [sys.executable, "-c", SCRIPT, *map(str, sources), str(path)]
    for wait in (0.0, 0.02, 0.05, 0.1, 0.2, 0.3):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            time.sleep(wait)
            process.kill()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1] == expected
    assert [file.name for file in tmp_path.iterdir() if file.name == "kept"] == []


STOPPED = """
import sys, fretsaw
from pathlib import Path

stages = []

def tell(stage, done, total):
    if stage not in stages:
        stages.append(stage)
        print(stage, flush=True)

path, by, kept = sys.argv[1:]
print("ready", flush=True)
try:
    fretsaw.train(Path(path), by=by, vocab_size=200_000, checkpoint=kept, progress=tell)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Much text with many different words, which takes seconds to count and to merge."""
    path = tmp_path_factory.mktemp("big") / "big.txt"
    letters = random.Random(3).choices("abcdefghijklmnopqrstuvwxyz\n     ", k=8_000_000)
    path.write_text("".join(letters) * 10)
    return path


@pytest.mark.parametrize(
    ("by", "stage"), [("line", "text"), ("line", "words"), ("line", "merges"), ("file", "ready")]
)
def test_a_signal_stops_it(big, tmp_path, by: str, stage: str):
    # How soon is for a benchmark to say; here, that it comes before the end and leaves a checkpoint.
    path = tmp_path / "kept"
    stop([str(big), by, str(path)], stage)
    assert path.exists() == (by == "line")


def stop(arguments: list[str], stage: str) -> None:
    command = [sys.executable, "-c", STOPPED, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        while process.stdout.readline() != f"{stage}\n":
            assert process.poll() is None
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        while process.stdout.readline() != "stopped\n":
            assert process.poll() is None
