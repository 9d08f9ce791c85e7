"""`encode_files`: the ids of the documents of files, in memory."""

import gzip
import json
from pathlib import Path

import pytest
from bulk_corpora import sentences

import fretsaw
from fretsaw import EncodeError


def test_documents_are_those_of_encode_batch_flat(tmp_path: Path, gpt2: fretsaw.Tokenizer):
    texts = [text for text in sentences(3000) if text]
    joined = tmp_path / "a.txt"
    joined.write_text("<|sep|>".join(texts))
    lines = tmp_path / "b.jsonl.gz"
    packed = "".join(json.dumps({"body": text}) + "\n" for text in texts)
    lines.write_bytes(gzip.compress(packed.encode()))
    wanted_ids, wanted_offsets = gpt2.encode_batch_flat(texts + texts)
    for threads in (1, 2):
        ids, row_offsets = gpt2.encode_files(
            [joined, str(lines)], separator="<|sep|>", field="body", threads=threads
        )
        assert (ids == wanted_ids).all()
        assert (row_offsets == wanted_offsets).all()
        assert (ids.dtype, row_offsets.dtype) == (wanted_ids.dtype, wanted_offsets.dtype)


def test_a_file_is_a_document_or_its_lines(tmp_path: Path):
    path = tmp_path / "a.txt"
    path.write_text("one\n\ntwo")
    tok = fretsaw.get("byte")
    ids, row_offsets = tok.encode_files(path)
    assert (bytes(ids.tolist()), row_offsets.tolist()) == (b"one\n\ntwo", [0, 8])
    ids, row_offsets = tok.encode_files(str(path), separator="\n")
    assert row_offsets.tolist() == [0, 4, 5, 8]
    path.write_text("")
    assert [array.tolist() for array in tok.encode_files(path)] == [[], [0]]
    assert [array.tolist() for array in tok.encode_files([])] == [[], [0]]


def test_what_can_not_be_encoded_is_an_error(tmp_path: Path, gpt2: fretsaw.Tokenizer):
    path = tmp_path / "a.txt"
    path.write_bytes(b"good\nbad \xff\n")
    with pytest.raises(EncodeError, match=r"a\.txt at offset 5: not UTF-8 at byte 4"):
        gpt2.encode_files(path, separator="\n")
    path.write_text("<|endoftext|>")
    with pytest.raises(EncodeError, match="special token"):
        gpt2.encode_files(path, special="error")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        gpt2.encode_files(tmp_path / "nowhere")
    with pytest.raises(TypeError):
        gpt2.encode_files(7)  # type: ignore[arg-type]
