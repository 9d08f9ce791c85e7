"""`fretsaw inspect`."""

import json
from pathlib import Path

import fretsaw
from fretsaw.cli.inspect import gaps


def test_gpt2(run):
    lines = run("inspect", "--longest", "2").stdout.splitlines()
    fingerprint = fretsaw.get("gpt2").fingerprint
    assert lines[:11] == [
        "vocabulary      gpt2",
        f"fingerprint     {fingerprint}",
        "",
        "text",
        " ↓  added tokens    1 cut out first",
        " ↓  pre-tokenizer   ByteLevel(add_prefix_space=False, trim_offsets=True, use_regex=True)",
        " ↓  model           BPE(vocab=<50257 entries>, merges=<50000 entries>)",
        " ↓  post-processor  ByteLevel(add_prefix_space=True, trim_offsets=False, use_regex=True)",
        "ids",
        " ↓  decoder         ByteLevel(add_prefix_space=True, trim_offsets=True, use_regex=True)",
        "text",
    ]
    assert lines[11:20] == [
        "",
        "tokens          50,257, 0 of them added to the model's own",
        "largest id      50256",
        "gaps            none",
        "single bytes    256 of 256 are tokens",
        "special tokens  1",
        "       50256    <|endoftext|>",
        "other added     none",
        "unreachable     none of 49,905 tokens tried on their own text",
    ]
    assert lines[20] == "longest tokens"
    assert lines[21].startswith("       35496     128 bytes  ÃÂÃÂ")
    assert lines[21].endswith("…")
    assert lines[22].startswith("       38093      66 bytes  ␣====")
    assert len(lines) == 23


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
    assert report["added_tokens"] == {"<a b>": 3, "<c>": 4}
    assert report["gaps"] == [[1, 2], [6, 8]]
    lines = run("inspect", "-t", str(path)).stdout.splitlines()
    assert "gaps            1-2, 6-8" in lines
    assert "           3    <a␣b>" in lines


def test_byte(run):
    lines = run("inspect", "-t", "byte", "--longest", "0", "--unreachable", "0").stdout.splitlines()
    assert lines[10:] == [
        "tokens          256, 0 of them added to the model's own",
        "largest id      255",
        "gaps            none",
        "single bytes    256 of 256 are tokens",
        "special tokens  none",
        "other added     none",
    ]


UNIGRAM = {
    "version": "1.0",
    "normalizer": {
        "type": "Sequence",
        "normalizers": [{"type": "NFC"}, {"type": "Sequence", "normalizers": [{"type": "Lowercase"}]}],
    },
    "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
    "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
    "model": {
        "type": "Unigram",
        "unk_id": 0,
        "byte_fallback": False,
        "vocab": [["<unk>", 0], ["▁", -2], ["▁a", -1], ["b", -2], ["▁ab", -9], ["A", -1], ["a", -3]],
    },
}  # fmt: skip


def test_a_sequence_is_shown_as_its_parts(run, tmp_path: Path):
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(UNIGRAM))
    lines = run("inspect", "-t", str(path)).stdout.splitlines()
    assert lines[4:8] == [
        " ↓  normalizer      NFC()",
        " │                  Lowercase()",
        " ↓  pre-tokenizer   Metaspace(replacement='▁', prepend_scheme='always', split=True)",
        " ↓  model           Unigram(vocab=<7 entries>, unk_id=0)",
    ]


def test_tokens_that_nothing_encodes_to(run, tmp_path: Path):
    path = tmp_path / "tokenizer.json"
    padding = {"strategy": {"Fixed": 9}, "direction": "Right", "pad_to_multiple_of": None,
               "pad_id": 4, "pad_type_id": 0, "pad_token": "▁ab"}  # fmt: skip
    # With padding the id of the padding would be met everywhere.
    path.write_text(json.dumps({**UNIGRAM, "padding": padding}))
    report = json.loads(run("inspect", "--json", "-t", str(path)).stdout)
    # "▁ab" scores worse than "▁a" and "b"; "A" never comes out of Lowercase; "b" needs another
    # token before it, and "a" one that is not "▁".
    assert report["unreachable_tokens"] == [[4, "␣ab"], [5, "A"]]
    assert (report["unreachable"], report["tokens_tried"]) == (2, 7)
    lines = run("inspect", "--unreachable", "1", "-t", str(path)).stdout.splitlines()
    at = lines.index("unreachable     2 of 7 tokens tried on their own text")
    assert lines[at + 1 : at + 3] == ["           4    ␣ab", "                and 1 more"]


def test_what_is_not_from_a_tokenizer_json(run):
    shown = run("inspect", "-t", "cl100k_base", "--unreachable", "0").stdout
    assert "pre-tokenizer   (not one of a tokenizer.json: " in shown


def test_runs_of_missing_ids():
    assert list(gaps([])) == []
    assert list(gaps([2, 3, 7])) == [(0, 1), (4, 6)]


def test_bad_input(fails):
    assert "neither a built-in vocabulary" in fails("inspect", "-t", "nothing")
    assert fails("inspect", "--longest", "x").startswith("Invalid value for '--longest'")
