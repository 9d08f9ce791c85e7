"""Shards of every layout hold what encoding each document by itself gives."""

import json
import multiprocessing
import pickle
import random
import resource
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bulk_corpora import sentences

import fretsaw
from fretsaw import BulkError, bulk
from fretsaw.bulk import _shards, _tables

END = "<|endoftext|>"


def ids_of(tok: fretsaw.Tokenizer, texts: list[str]) -> list[list[int]]:
    return [[*tok.encode_ids(text, special="none"), 50256] for text in texts]


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("layout", ["bin", "npy", "megatron", "parquet", "arrow"])
def test_every_layout_has_every_document(
    layout: Any, corpus: Path, tmp_path: Path, gpt2: fretsaw.Tokenizer
):
    wanted = ids_of(gpt2, corpus.read_text().splitlines(keepends=True))
    out = tmp_path / "out"
    options: dict[str, Any] = {"layout": layout, "append": END, "shard_tokens": 9000}
    manifest = bulk.tokenize([corpus], out, gpt2, **options)
    shards = bulk.Shards(out)
    assert [ids.tolist() for ids in shards] == wanted
    flat = [id_ for ids in wanted for id_ in ids]
    assert (len(shards), shards.tokens) == (len(wanted), len(flat))
    assert len(manifest["shards"]) > 5
    assert all(shard["tokens"] <= 9000 for shard in manifest["shards"])
    assert shards.window(8000, 3000).tolist() == flat[8000:11000]
    windows = bulk.Shards(out, window=777)
    assert len(windows) == len(flat) // 777
    assert windows[-1].tolist() == flat[(len(windows) - 1) * 777 : len(windows) * 777]
    assert pickle.loads(pickle.dumps(windows))[1].tolist() == windows[1].tolist()
    assert shards[-1].tolist() == wanted[-1]
    assert [ids.tolist() for ids in shards[3:6]] == wanted[3:6]
    for number in (len(wanted), -len(wanted) - 1):
        with pytest.raises(IndexError):
            shards[number]
    assert bulk.verify(out, inputs=True) == []
    assert not [name for name in files(out) if name.startswith(".")]


@pytest.mark.parametrize("layout", ["parquet", "arrow"])
def test_tables_of_several_parts(
    layout: Any, corpus: Path, tmp_path: Path, gpt2: fretsaw.Tokenizer, monkeypatch: Any
):
    monkeypatch.setattr(_tables, "GROUP_TOKENS", 500)
    monkeypatch.setattr(_tables, "MAX_LIST_TOKENS", 700)
    bulk.tokenize([corpus], tmp_path / "out", gpt2, layout=layout, append=END)
    wanted = ids_of(gpt2, corpus.read_text().splitlines(keepends=True))
    shards = bulk.Shards(tmp_path / "out")
    assert [ids.tolist() for ids in shards] == wanted
    assert bulk.verify(tmp_path / "out") == []


def test_the_vocabulary_decides_how_wide_tokens_are(corpus: Path, tmp_path: Path):
    for name, width in (("gpt2", 2), ("cl100k_base", 4)):
        tok = fretsaw.get(name)
        bulk.tokenize([corpus], tmp_path / name, name)
        shards = bulk.Shards(tmp_path / name)
        assert shards.manifest["token_bytes"] == width
        assert shards[7].dtype == np.dtype(f"<u{width}")
        line = corpus.read_text().splitlines(keepends=True)[7]
        assert shards[7].tolist() == tok.encode_ids(line, special="none")


def test_the_same_bytes_with_any_number_of_workers(
    corpus: Path, tmp_path: Path, gpt2: fretsaw.Tokenizer
):
    shuffles: dict[str, Any] = {"shuffle": 7, "shuffle_window": 500, "pack": 64, "dedup": "exact"}
    for options in ({}, shuffles):
        found = []
        for workers in (1, 2, 4):
            out = tmp_path / f"{workers}-{len(options)}"
            limits: dict[str, Any] = {"shard_tokens": 9000, "workers": workers}
            bulk.tokenize([corpus, corpus], out, gpt2, append=END, **limits, **options)
            found.append(files(out))
        assert found[0] == found[1] == found[2]


def test_megatron_reads_what_is_written(corpus: Path, tmp_path: Path, gpt2: fretsaw.Tokenizer):
    """A reading of the index as Megatron-LM's `_IndexReader` does it."""
    wanted = ids_of(gpt2, corpus.read_text().splitlines(keepends=True))
    bulk.tokenize([corpus], tmp_path / "out", gpt2, append=END, layout="megatron")
    index = (tmp_path / "out" / "shard-00000.idx").read_bytes()
    assert index[:9] == b"MMIDIDX\x00\x00"
    assert int.from_bytes(index[9:17], "little") == 1
    kind = {8: np.uint16, 4: np.int32}[index[17]]
    sequences, documents = np.frombuffer(index, np.int64, 2, 18)
    lengths = np.frombuffer(index, np.int32, sequences, 34)
    pointers = np.frombuffer(index, np.int64, sequences, 34 + lengths.nbytes)
    starts = np.frombuffer(index, np.int64, documents, 34 + lengths.nbytes + pointers.nbytes)
    assert len(index) == 34 + lengths.nbytes + pointers.nbytes + starts.nbytes
    assert starts.tolist() == list(range(len(wanted) + 1))
    tokens = (tmp_path / "out" / "shard-00000.bin").read_bytes()
    for number in (0, 1, 1234, len(wanted) - 1):
        ids = np.frombuffer(tokens, kind, lengths[number], pointers[number])
        assert ids.tolist() == wanted[number]


def test_packed_rows_are_whole_and_documents_go_on(
    corpus: Path, tmp_path: Path, gpt2: fretsaw.Tokenizer
):
    wanted = ids_of(gpt2, corpus.read_text().splitlines(keepends=True))
    flat = [id_ for ids in wanted for id_ in ids]
    options: dict[str, Any] = {"append": END, "pack": 100, "shard_tokens": 1050}
    manifest = bulk.tokenize([corpus], tmp_path / "out", gpt2, **options)
    rows = bulk.Shards(tmp_path / "out")
    assert rows.window_tokens == 100
    assert len(rows) == len(flat) // 100
    assert [id_ for row in rows for id_ in row.tolist()] == flat[: len(rows) * 100]
    assert manifest["left_out_tokens"] == len(flat) % 100
    assert {shard["tokens"] for shard in manifest["shards"][:-1]} == {1000}
    assert any(shard["continues"] for shard in manifest["shards"])
    for number in range(0, rows.documents - 1, 7):
        assert rows.document(number).tolist() == wanted[number]
    assert bulk.verify(tmp_path / "out") == []


def test_less_than_a_row_is_left_out(tmp_path: Path, gpt2: fretsaw.Tokenizer):
    (tmp_path / "a.txt").write_text("Hello world")
    manifest = bulk.tokenize([tmp_path / "a.txt"], tmp_path / "out", gpt2, pack=3)
    assert (manifest["tokens"], manifest["left_out_tokens"], manifest["shards"]) == (0, 2, [])
    assert len(bulk.Shards(tmp_path / "out")) == 0


def test_a_shuffle_stays_within_its_window(corpus: Path, tmp_path: Path, gpt2: fretsaw.Tokenizer):
    wanted = ids_of(gpt2, corpus.read_text().splitlines(keepends=True))
    orders = []
    for seed in (1, 2):
        out = tmp_path / str(seed)
        bulk.tokenize([corpus], out, gpt2, append=END, shuffle=seed, shuffle_window=500)
        found = [ids.tolist() for ids in bulk.Shards(out)]
        for start in range(0, len(wanted), 500):
            assert sorted(found[start : start + 500]) == sorted(wanted[start : start + 500])
        orders.append(found)
    assert orders[0] != orders[1] != wanted


def test_duplicates_are_left_out(tmp_path: Path, gpt2: fretsaw.Tokenizer):
    texts = [text for text in sentences(500) if text]
    twice = [*texts, *reversed(texts), "new"]
    (tmp_path / "a.txt").write_text("\n".join(twice) + "\n")
    manifest = bulk.tokenize(
        [tmp_path / "a.txt"], tmp_path / "out", gpt2, dedup="exact", append=END
    )
    found = [ids.tolist() for ids in bulk.Shards(tmp_path / "out")]
    assert found == ids_of(gpt2, [text + "\n" for text in [*texts, "new"]])
    assert manifest["duplicates"] == len(texts)


def test_tokens_before_and_after(tmp_path: Path, gpt2: fretsaw.Tokenizer):
    (tmp_path / "a.txt").write_text("Hello")
    options: dict[str, Any] = {"prepend": END, "append": "!"}
    bulk.tokenize([tmp_path / "a.txt"], tmp_path / "out", gpt2, **options)
    assert bulk.Shards(tmp_path / "out")[0].tolist() == [50256, 15496, 0]
    with pytest.raises(BulkError, match="no token"):
        bulk.tokenize([tmp_path / "a.txt"], tmp_path / "other", gpt2, append="<eot>")


def test_more_shards_than_files_may_be_open(
    corpus: Path, tmp_path: Path, gpt2: fretsaw.Tokenizer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(_shards, "MAX_MAPPED", 10)
    manifest = bulk.tokenize([corpus], tmp_path / "out", gpt2, shard_tokens=2000)
    count = manifest["documents"]
    assert len(manifest["shards"]) > 30
    shards = bulk.Shards(tmp_path / "out")
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = {int(path.name) for path in Path("/proc/self/fd").iterdir()}
    thirtieth = [number for number in range(2000) if number not in used][30]
    resource.setrlimit(resource.RLIMIT_NOFILE, (thirtieth, limits[1]))
    try:
        order = random.Random(0).sample(range(count), count)
        total = sum(len(shards[number]) for number in order)
        assert sum(map(len, shards)) == total == shards.tokens
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def _sums(shards: bulk.Shards, numbers: list[int]) -> list[int]:
    return [int(shards[number].sum()) for number in numbers]


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_workers_of_a_loader_read_the_same(
    way: str, corpus: Path, tmp_path: Path, gpt2: fretsaw.Tokenizer
):
    """As a `DataLoader` with workers has it: each has the dataset, by fork or pickled, and a share."""
    bulk.tokenize([corpus], tmp_path / "out", gpt2, shard_tokens=9000)
    for shards in (bulk.Shards(tmp_path / "out"), bulk.Shards(tmp_path / "out", window=64)):
        order = random.Random(1).sample(range(len(shards)), len(shards))
        wanted = _sums(shards, order)
        with multiprocessing.get_context(way).Pool(2) as pool:
            found = pool.starmap(_sums, [(shards, order[at::2]) for at in range(2)])
        assert found == [wanted[at::2] for at in range(2)]


def test_a_changed_folder_is_told(corpus: Path, tmp_path: Path, gpt2: fretsaw.Tokenizer):
    out = tmp_path / "out"
    bulk.tokenize([corpus], out, gpt2, shard_tokens=9000)
    path = out / "shard-00001.bin"
    whole = path.read_bytes()
    for content, fault in (
        (whole[:-2], "bytes, not"),
        (b"\0" + whole[1:], "its content has changed"),
        (None, "No such file"),
    ):
        path.unlink()
        if content is not None:
            path.write_bytes(content)
        assert [fault in line for line in bulk.verify(out)] == [True]
    path.write_bytes(whole)
    manifest = json.loads((out / "manifest.json").read_text())
    manifest["shards"][1]["documents"] += 1
    (out / "manifest.json").write_text(json.dumps(manifest))
    assert ["don't add up" in line for line in bulk.verify(out)] == [True]
    corpus.write_text("other")
    assert len(bulk.verify(out, inputs=True)) == 1
    (out / "manifest.json").write_text("{")
    with pytest.raises(BulkError, match="damaged"):
        bulk.verify(out)
    with pytest.raises(BulkError, match="no job was finished"):
        bulk.Shards(tmp_path)
