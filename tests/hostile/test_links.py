"""Symbolic links in the place of what is written: replaced or refused, never followed to a victim."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import fretsaw
from fretsaw import bulk

PRECIOUS = b"precious"


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A file elsewhere that nobody has asked to be changed."""
    path = tmp_path / "victim"
    path.write_bytes(PRECIOUS)
    return path


def test_a_link_is_replaced_and_not_what_it_leads_to(victim: Path, tmp_path: Path) -> None:
    tok = fretsaw.get("gpt2")
    for name, write in (("a.json", tok.save), ("a.fret", tok.compile)):
        for target in (victim, tmp_path / "nothing", tmp_path / name):
            path = tmp_path / name
            path.unlink(missing_ok=True)
            path.symlink_to(target)
            write(path)
            assert not path.is_symlink()
            assert fretsaw.Tokenizer.from_file(path).encode_ids("Hello") == [15496]
    assert victim.read_bytes() == PRECIOUS
    assert not (tmp_path / "nothing").exists()


def test_a_linked_sidecar_is_made_anew(victim: Path, vocabulary: Path) -> None:
    sidecar = vocabulary.with_name("tokenizer.json.fret")
    sidecar.symlink_to(victim)
    tok = fretsaw.Tokenizer.from_file(vocabulary, cache=True)
    assert tok.encode_ids("Hello") == [15496]
    assert not sidecar.is_symlink()
    assert victim.read_bytes() == PRECIOUS


WRITTEN = [".journal.jsonl", ".hashes", "rejected.jsonl", ".shard-00000.part", "shard-00000.bin"]
WRITTEN += [".shard-00000.index.part", "shard-00000.docs.npy", "tokenizer.fret"]
WRITTEN += [".tokenizer.fret.part", ".manifest.json.part"]


@pytest.mark.parametrize("name", WRITTEN)
def test_a_job_writes_to_no_other_folder(name: str, victim: Path, tmp_path: Path) -> None:
    lines = tmp_path / "a.jsonl"
    lines.write_text("".join(json.dumps({"text": f"text {n}"}) + "\n" for n in range(9)) + "bad\n")
    out = tmp_path / "out"
    out.mkdir()
    (out / name).symlink_to(victim)
    try:
        bulk.tokenize([lines], out, "gpt2", dedup="exact")
    except (OSError, fretsaw.BulkError) as error:
        assert name in str(error)
        assert not (out / "manifest.json").exists()
        (out / name).unlink()
        bulk.tokenize([lines], out, "gpt2", dedup="exact", resume=True)
    assert victim.read_bytes() == PRECIOUS
    assert bulk.verify(out) == []
    assert not any(path.is_symlink() for path in out.iterdir())
