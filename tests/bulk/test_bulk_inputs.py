"""Every kind of input gives the same documents, and every kind of bad row its reason."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from bulk_corpora import sentences

import fretsaw
from fretsaw import BulkError, bulk
from fretsaw.bulk import _inputs


def found(out: Path, tok: fretsaw.Tokenizer) -> list[str]:
    return [tok.decode(ids.tolist()) for ids in bulk.Shards(out)]


def zstd(content: bytes) -> bytes:
    packed: bytes = pa.compress(content, "zstd", asbytes=True)
    return packed


def rejected(out: Path) -> list[dict[str, Any]]:
    path = out / "rejected.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_every_kind_gives_the_same_documents(tmp_path: Path, gpt2: fretsaw.Tokenizer):
    texts = sentences(1500)
    lines = "".join(
        json.dumps({"n": n, "text": text, "more": {"text": [n]}}, ensure_ascii=bool(n % 2)) + "\n"
        for n, text in enumerate(texts)
    ).encode()
    table = pa.table({"n": range(len(texts)), "text": texts})
    views = pa.table({"text": pa.array(texts, pa.string_view())})
    words = pa.table({"text": pa.array(texts, pa.large_string()).dictionary_encode()})
    (tmp_path / "a.jsonl").write_bytes(lines)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(lines))
    (tmp_path / "c.ndjson.zst").write_bytes(zstd(lines))
    pq.write_table(table, tmp_path / "d.parquet", row_group_size=100)
    pyarrow.feather.write_feather(words, tmp_path / "e.feather")
    for name, new, data in (
        ("f.arrow", pa.ipc.new_file, views),
        ("g.ipc", pa.ipc.new_stream, table),
    ):
        with new(str(tmp_path / name), data.schema) as writer:
            writer.write_table(data, max_chunksize=333)
    for path in sorted(tmp_path.iterdir()):
        out = tmp_path / f"out-{path.name}"
        bulk.tokenize([path], out, gpt2)
        assert found(out, gpt2) == texts, path.name
        assert rejected(out) == []


@pytest.mark.parametrize("pack", ["", ".gz", ".zst"])
def test_text_is_cut_by_line_file_or_separator(tmp_path: Path, gpt2: fretsaw.Tokenizer, pack: str):
    text = "one\n\ntwo<|sep|>three\nü<|sep|><|sep|>four"
    content = {"": bytes, ".gz": gzip.compress, ".zst": zstd}[pack](text.encode())
    path = tmp_path / f"a.txt{pack}"
    path.write_bytes(content)
    wanted = {
        "line": ["one\n", "\n", "two<|sep|>three\n", "ü<|sep|><|sep|>four"],
        "file": [text],
        "<|sep|>": ["one\n\ntwo", "three\nü", "four"],
    }
    for number, (by, documents) in enumerate(wanted.items()):
        bulk.tokenize([path], tmp_path / str(number), gpt2, by=by)
        assert found(tmp_path / str(number), gpt2) == documents


def test_globs_and_their_order(tmp_path: Path, gpt2: fretsaw.Tokenizer):
    (tmp_path / "in" / "deep").mkdir(parents=True)
    for name in ("b", "a", "deep/c"):
        (tmp_path / "in" / f"{name}.txt").write_text(name)
    inputs = [tmp_path / "in" / "b.txt", str(tmp_path / "in" / "**" / "*.txt")]
    bulk.tokenize(inputs, tmp_path / "out", gpt2)
    assert found(tmp_path / "out", gpt2) == ["b", "a", "b", "deep/c"]
    with pytest.raises(BulkError, match="no file"):
        bulk.tokenize([tmp_path / "*.jsonl"], tmp_path / "other", gpt2)
    with pytest.raises(BulkError, match="at least one"):
        bulk.tokenize([], tmp_path / "other", gpt2)
    with pytest.raises(BulkError, match=r"in' is a folder; '.*in/\*\*/\*' names the files"):
        bulk.tokenize([tmp_path / "in"], tmp_path / "other", gpt2)
    with pytest.raises(BulkError, match="local folder, not to s3://bucket/out"):
        bulk.tokenize(inputs, "s3://bucket/out", gpt2)
    with pytest.raises(BulkError, match="workers is -1"):
        bulk.tokenize(inputs, tmp_path / "other", gpt2, workers=-1)


def test_bad_rows_of_jsonl(tmp_path: Path, gpt2: fretsaw.Tokenizer):
    rows = [
        (b'{"text": "good"}', None),
        (b'{"text": "bad \xff"}', "not-utf8"),
        (b"{'text': 1}", "not-json"),
        (b'{"text": "a"} {}', "not-json"),
        (b'{"text": "\\ud800"}', "not-json"),
        (b'["text"]', "not-an-object"),
        (b'{"txt": "a"}', "no-field"),
        (b'{"text": null}', "not-a-string"),
        (b'{"text": ["a"]}', "not-a-string"),
        (b'{"text": "%s"}' % (b"x" * 101), "too-long"),
        (b"  ", None),
        (b'{"text": "good too"}', None),
    ]
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\n".join(row for row, _ in rows))
    manifest = bulk.tokenize([path], tmp_path / "out", gpt2, max_doc_bytes=100)
    assert found(tmp_path / "out", gpt2) == ["good", "good too"]
    wanted, offset = [], 0
    for row, reason in rows:
        if reason:
            wanted.append((str(path), offset, reason))
        offset += len(row) + 1
    listed = rejected(tmp_path / "out")
    assert [(row["file"], row["offset"], row["reason"]) for row in listed] == wanted
    assert manifest["rejected"] == len(wanted)
    with pytest.raises(BulkError, match=r"a\.jsonl at offset 17: not UTF-8 at byte 14"):
        bulk.tokenize([path], tmp_path / "strict", gpt2, strict=True)


def test_bad_rows_of_text_and_tables(tmp_path: Path, gpt2: fretsaw.Tokenizer):
    path = tmp_path / "a.txt"
    path.write_bytes(b"good\nbad \xf0\x9f\n" + b"x" * 200 + b"\nfine\n")
    bulk.tokenize([path], tmp_path / "out", gpt2, max_doc_bytes=100)
    assert found(tmp_path / "out", gpt2) == ["good\n", "fine\n"]
    reasons = [(row["offset"], row["reason"]) for row in rejected(tmp_path / "out")]
    assert reasons == [(5, "not-utf8"), (12, "too-long")]
    table = pa.table({"text": pa.array([b"a", None, b"\xff", b"b" * 200, b""], pa.binary())})
    pq.write_table(table, tmp_path / "a.parquet")
    bulk.tokenize([tmp_path / "a.parquet"], tmp_path / "table", gpt2, max_doc_bytes=100)
    assert found(tmp_path / "table", gpt2) == ["a", ""]
    reasons = [(row["offset"], row["reason"]) for row in rejected(tmp_path / "table")]
    assert reasons == [(1, "not-a-string"), (2, "not-utf8"), (3, "too-long")]
    for column, message in (("texts", "no column 'texts'; it has text"), ("n", "n.*int64")):
        numbers = pa.table({"text": ["a"], "n": [1]} if column == "n" else {"text": ["a"]})
        pq.write_table(numbers, tmp_path / "b.parquet")
        with pytest.raises(BulkError, match=message):
            bulk.tokenize([tmp_path / "b.parquet"], tmp_path / column, gpt2, column=column)


def test_what_the_tokenizer_refuses_is_rejected(tmp_path: Path, gpt2: fretsaw.Tokenizer):
    path = tmp_path / "a.txt"
    path.write_bytes(b"bad \xff\ngood\nnot <|endoftext|>\nbad \xfe\nfine\nbad \xfd\n")
    for special in ("error", "none", "all"):
        bulk.tokenize([path], tmp_path / special, gpt2, special=special)
    assert found(tmp_path / "error", gpt2) == ["good\n", "fine\n"]
    reasons = [(row["offset"], row["reason"]) for row in rejected(tmp_path / "error")]
    expected = [(0, "not-utf8"), (11, "not-encoded"), (29, "not-utf8"), (40, "not-utf8")]
    assert reasons == expected
    assert bulk.Shards(tmp_path / "all")[1].tolist()[-2:] == [50256, 198]
    assert 50256 not in bulk.Shards(tmp_path / "none")[1].tolist()


def test_a_broken_archive_ends_the_job(tmp_path: Path, gpt2: fretsaw.Tokenizer):
    whole = gzip.compress("".join(sentences(500)).encode())
    (tmp_path / "a.txt.gz").write_bytes(whole[:-20])
    with pytest.raises(OSError, match=r"a\.txt\.gz"):
        bulk.tokenize([tmp_path / "a.txt.gz"], tmp_path / "out", gpt2)


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
def test_a_damaged_table_is_named(tmp_path: Path, gpt2: fretsaw.Tokenizer, name: str):
    table = pa.table({"text": sentences(2000)})
    path = tmp_path / name
    if name == "a.parquet":
        pq.write_table(table, path)
    else:
        pyarrow.feather.write_feather(table, path, compression="zstd")
    content = path.read_bytes()
    middle = content[: len(content) // 3] + b"\xa5" * 500 + content[len(content) // 3 + 500 :]
    for number, damaged in enumerate((b"", content[:-20], middle)):
        path.write_bytes(damaged)
        with pytest.raises(BulkError, match=rf"{name}: ."):
            bulk.tokenize([path], tmp_path / str(number), gpt2)


def test_batches_of_a_table_are_about_as_large_everywhere(tmp_path: Path):
    """Groups of rows with long texts behind ones with short texts, and many small groups."""
    texts = ["short"] * 40_000 + [f"{number:09} " * 10_000 for number in range(300)]
    path = tmp_path / "a.parquet"
    with pq.ParquetWriter(path, pa.schema({"n": pa.int64(), "text": pa.string()})) as writer:
        for begin, end in ((0, 100), (100, 40_000), (40_000, 40_150), (40_150, 40_300)):
            part = texts[begin:end]
            writer.write_table(pa.table({"n": range(len(part)), "text": part}))
    for start in (0, 1, 39_999, 40_000, 40_200, 40_299):
        found = list(_inputs.rows(str(path), "text", start))
        assert [text for rows in found for text in rows.array.to_pylist()] == texts[start:]
        assert [rows.first for rows in found] == [
            *(start + sum(len(rows.array) for rows in found[:at]) for at in range(len(found))),
        ]
        assert max(rows.array.nbytes for rows in found) < 8 << 20
        assert found[-1].share == 1
    pq.write_table(pa.table({"text": ["a", "b"] * 500}), path, row_group_size=2)
    assert len(list(_inputs.rows(str(path), "text", 0))) == 1
    pq.write_table(pa.table({"text": pa.array([], pa.string())}), path)
    assert list(_inputs.rows(str(path), "text", 0)) == []


def test_only_the_column_of_an_arrow_file_is_read(tmp_path: Path, gpt2: fretsaw.Tokenizer):
    texts = sentences(300)
    table = pa.table({"n": range(300), "text": texts, "other": ["x" * 10_000] * 300})
    for name, new in (("a.arrow", pa.ipc.new_file), ("b.ipc", pa.ipc.new_stream)):
        options = pa.ipc.IpcWriteOptions(compression="zstd")
        with new(str(tmp_path / name), table.schema, options=options) as writer:
            writer.write_table(table)
        [rows] = _inputs.rows(str(tmp_path / name), "text", 10)
        assert (rows.first, rows.array.to_pylist()) == (10, texts[10:])
        bulk.tokenize([tmp_path / name], tmp_path / f"out-{name}", gpt2)
        assert found(tmp_path / f"out-{name}", gpt2) == texts


READS = """
import os, signal, sys, threading, time
from fretsaw._bulk import checksum
path = sys.argv[1]
def press():
    with open(path, "wb") as pipe:
        while True:
            pipe.write(b"x" * 1000)
            pipe.flush()
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            time.sleep(0.05)
threading.Thread(target=press, daemon=True).start()
try:
    checksum(path)
except KeyboardInterrupt:
    print("stopped")
    os._exit(0)
"""


def test_ctrl_c_ends_a_long_read(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    command = [sys.executable, "-c", READS, str(tmp_path / "pipe")]
    assert subprocess.run(command, capture_output=True, check=True).stdout == b"stopped\n"


def test_options_that_can_not_be(corpus: Path, tmp_path: Path, gpt2: fretsaw.Tokenizer):
    wrong: list[dict[str, Any]] = [
        {"layout": "csv"},
        {"dedup": "near"},
        {"shard_tokens": 0},
        {"pack": 0},
        {"shuffle": -1},
        {"shuffle": 1, "shuffle_window": 0},
        {"max_doc_bytes": 0},
    ]
    for options in wrong:
        with pytest.raises(BulkError, match=next(reversed(options))):
            bulk.tokenize([corpus], tmp_path / "out", gpt2, **options)
    assert not (tmp_path / "out").exists()


def test_remote_files_through_fsspec(tmp_path: Path, gpt2: fretsaw.Tokenizer):
    import fsspec

    memory = fsspec.filesystem("memory")
    texts = sentences(300)
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts).encode()
    memory.pipe("/corpus/a.jsonl", lines)
    memory.pipe("/corpus/b.jsonl.gz", gzip.compress(lines))
    pq.write_table(pa.table({"text": texts}), tmp_path / "c.parquet")
    memory.pipe("/corpus/c.parquet", (tmp_path / "c.parquet").read_bytes())
    manifest = bulk.tokenize(["memory://corpus/*"], tmp_path / "out", gpt2)
    assert found(tmp_path / "out", gpt2) == texts * 3
    assert [Path(file["path"]).name for file in manifest["inputs"]] == [
        *("a.jsonl", "b.jsonl.gz", "c.parquet")
    ]
    assert manifest["inputs"][0]["bytes"] == len(lines)


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.arrows"])
def test_progress_in_a_table(tmp_path: Path, gpt2: fretsaw.Tokenizer, name: str):
    path = tmp_path / name.replace("arrows", "ipc")
    table = pa.table({"text": sentences(20_000)})
    if name == "a.parquet":
        pq.write_table(table, path)
    else:
        new = pa.ipc.new_file if name == "a.arrow" else pa.ipc.new_stream
        with new(str(path), table.schema) as writer:
            writer.write_table(table, max_chunksize=5000)
    told: list[bulk.Progress] = []
    bulk.tokenize([path], tmp_path / "out", gpt2, progress=told.append)
    read = [now.bytes_read for now in told]
    assert read == sorted(read)
    assert read[-1] == told[-1].bytes_total == path.stat().st_size
    assert name == "a.arrows" or 0 < read[0] < read[-1]
