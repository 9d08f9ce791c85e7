"""`fretsaw inspect`."""

import json
from pathlib import Path

import fretsaw
from fretsaw.cli.inspect import gaps


def test_gpt2(run):
    lines = run("inspect", "--longest", "2").stdout.splitlines()
    fingerprint = fretsaw.get("gpt2").fingerprint
    assert lines[:6] == [
        "vocabulary      gpt2",
        f"fingerprint     {fingerprint}",
        "tokens          50,257, 0 of them added to the model's own",
        "largest id      50256",
        "gaps            none",
        "single bytes    256 of 256 are tokens",
    ]
    assert lines[6:9] == [
        "special tokens  1",
        "       50256    <|endoftext|>",
        "longest tokens",
    ]
    assert lines[9].startswith("       35496     128 bytes  ÃÂÃÂ")
    assert lines[9].endswith("…")
    assert lines[10].startswith("       38093      66 bytes  ␣====")
    assert len(lines) == 11


def test_smollm2(run, tmp_path: Path, smollm2_json: bytes):
    path = tmp_path / "tokenizer.json"
    path.write_bytes(smollm2_json)
    report = json.loads(run("inspect", "--json", "-t", str(path)).stdout)
    assert report["name"] == str(path)
    assert report["tokens"] == 49152
    assert report["largest_id"] == 49151
    assert report["gaps"] == []
    assert report["special_tokens"]["<|im_start|>"] == 1
    assert len(report["special_tokens"]) == 17
    assert len(report["longest_tokens"]) == 10


def test_added_tokens_and_gaps(run, tmp_path: Path):
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    flags = dict.fromkeys(["single_word", "lstrip", "rstrip", "normalized"], False)
    added = {"<a b>": True, "<c>": False}
    document = {
        "version": "1.0",
        "added_tokens": [
            {"id": 3 + place, "content": content, "special": special, **flags}
            for place, (content, special) in enumerate(added.items())
        ],
        "pre_tokenizer": {**byte_level, "use_regex": True},
        "decoder": {**byte_level, "use_regex": True},
        "model": {"type": "BPE", "vocab": {"a": 0, "b": 5, "ab": 9}, "merges": [["a", "b"]]},
    }
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(document))
    report = json.loads(run("inspect", "--json", "-t", str(path)).stdout)
    assert (report["tokens"], report["tokens_of_model"], report["single_bytes"]) == (5, 3, 2)
    assert report["special_tokens"] == {"<a b>": 3}
    assert report["gaps"] == [[1, 2], [6, 8]]
    lines = run("inspect", "-t", str(path)).stdout.splitlines()
    assert "gaps            1-2, 6-8" in lines
    assert "           3    <a␣b>" in lines


def test_byte(run):
    lines = run("inspect", "-t", "byte", "--longest", "0").stdout.splitlines()
    assert lines[2:] == [
        "tokens          256, 0 of them added to the model's own",
        "largest id      255",
        "gaps            none",
        "single bytes    256 of 256 are tokens",
        "special tokens  none",
    ]


def test_runs_of_missing_ids():
    assert list(gaps([])) == []
    assert list(gaps([2, 3, 7])) == [(0, 1), (4, 6)]


def test_bad_input(fails):
    assert "neither a built-in vocabulary" in fails("inspect", "-t", "nothing")
    assert fails("inspect", "--longest", "x").startswith("Invalid value for '--longest'")
