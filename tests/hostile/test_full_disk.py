"""No room for a file: the error of the system with the name, the old file as it was, nothing left behind.

A limit on the size of files stands for the full disk; a job that fills a small file system is in
tests/bulk/test_bulk_resume.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hostile_runs import Run

import fretsaw

FULL = """
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
def full():
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
"""

WRITES = {
    "save": "tok = fretsaw.get('gpt2'); full(); tok.save('there')",
    "compile": "tok = fretsaw.get('gpt2'); full(); tok.compile('there')",
    "train": """
os.remove('there')
full()
texts = [f'{n * 7919} {n}' for n in range(20_000)]
fretsaw.train(texts, vocab_size=5000, checkpoint='there', checkpoint_seconds=0)
""",
}


@pytest.mark.parametrize("use", ["save", "compile"])
def test_the_old_file_stays(use: str, tmp_path: Path, run: Run) -> None:
    (tmp_path / "there").write_text("old")
    done = run(FULL + WRITES[use])
    assert done.returncode == 1
    assert "OSError: cannot write there: File too large" in done.stderr, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["there"]
    assert (tmp_path / "there").read_text() == "old"


def test_a_sidecar_without_room_is_passed_over(vocabulary: Path, run: Run) -> None:
    program = "full(); print(fretsaw.Tokenizer.from_file(path, cache=True).encode_ids('Hello'))"
    done = run(FULL + program, str(vocabulary))
    assert done.stdout == "[15496]\n"
    assert "cannot write the compiled file" in done.stderr
    assert [path.name for path in vocabulary.parent.iterdir()] == ["tokenizer.json"]


def test_a_job_is_gone_on_with_when_there_is_room(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "a.txt"
    path.write_text("".join(f"{n} words and {n * 7919} more\n" for n in range(5000)))
    job = "bulk.tokenize([path], 'out', 'byte', resume=True, shard_tokens=4000)"
    done = run(FULL + "full()\n" + job, str(path))
    assert done.returncode == 1
    assert "File too large" in done.stderr
    assert not (tmp_path / "out" / "manifest.json").exists()
    assert run(job, str(path)).returncode == 0
    assert fretsaw.bulk.verify(tmp_path / "out", inputs=True) == []
