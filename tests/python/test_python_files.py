"""Loading files: every form in which a byte-level BPE vocabulary comes, and what is refused."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from frozen import golden_ids, golden_strings, sampled
from small_tokenizers import MERGES, Added, byte_level, tokenizer_json, vocabulary

import fretsaw

TEXTS = ("", "ab abc  abc", "<s>", "it's 1212 é\n\n", "xxxx xxx", "\x00\ufeffab")
PAIR = [f"{left} {right}" for left, right in MERGES]


def write_pair(folder: Path, merges: bytes, vocab: bytes | None = None) -> Path:
    """Writes vocab.json and merges.txt; returns the path of the first."""
    folder.mkdir(exist_ok=True)
    path = folder / "vocab.json"
    path.write_bytes(json.dumps(vocabulary()).encode() if vocab is None else vocab)
    (folder / "merges.txt").write_bytes(merges)
    return path


def pair_oracle(folder: Path) -> tokenizers.Tokenizer:
    """The oracle's way to open the two files of GPT-2."""
    model = tokenizers.models.BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt"))
    oracle = tokenizers.Tokenizer(model)
    oracle.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    oracle.decoder = tokenizers.decoders.ByteLevel()
    return oracle


def assert_same(tok: fretsaw.Tokenizer, oracle: tokenizers.Tokenizer) -> None:
    for text in TEXTS:
        assert tok.encode(text).ids == oracle.encode(text).ids, repr(text)
        assert tok.encode(text).tokens == oracle.encode(text).tokens, repr(text)
    assert tok.get_vocab() == oracle.get_vocab()


@pytest.mark.parametrize("opened", ["vocab.json", "merges.txt", "."])
def test_a_pair_is_opened_by_either_file_or_the_folder(tmp_path: Path, opened: str) -> None:
    write_pair(tmp_path, "\n".join(["#version: 0.2", *PAIR, ""]).encode())
    assert_same(fretsaw.Tokenizer.from_file(tmp_path / opened), pair_oracle(tmp_path))
    assert_same(fretsaw.Tokenizer.from_file(str(tmp_path / opened)), pair_oracle(tmp_path))


PLAIN = "\n".join(PAIR)


@pytest.mark.parametrize(
    "merges",
    [
        pytest.param(PLAIN, id="no end of the last line"),
        pytest.param(PLAIN + "\n", id="no version"),
        pytest.param(f"#version: 0.2\n{PLAIN}\n", id="version"),
        pytest.param(f"#version: 0.2\r\n{PLAIN}\n".replace("\n", "\r\n"), id="CRLF"),
        pytest.param(f"\ufeff#version: 0.2\n{PLAIN}\n", id="BOM and version"),
        pytest.param(f"\ufeff{PLAIN}\n", id="BOM"),
        pytest.param(f"#version: 0.2\n{PLAIN}\n\n\n", id="blank lines at the end"),
        pytest.param(f"#version: 0.2\r\n{PLAIN}\r\n\r\n", id="CRLF and a blank line"),
    ],
)
def test_merges_txt_in_every_form(tmp_path: Path, merges: str) -> None:
    written = write_pair(tmp_path / "odd", merges.encode())
    write_pair(tmp_path / "plain", f"#version: 0.2\n{PLAIN}\n".encode())
    assert_same(fretsaw.Tokenizer.from_file(written), pair_oracle(tmp_path / "plain"))


def test_vocab_json_with_a_bom(tmp_path: Path) -> None:
    vocab = b"\xef\xbb\xbf" + json.dumps(vocabulary()).encode()
    written = write_pair(tmp_path / "odd", PLAIN.encode(), vocab)
    write_pair(tmp_path / "plain", PLAIN.encode())
    assert_same(fretsaw.Tokenizer.from_file(written), pair_oracle(tmp_path / "plain"))


def test_gpt2_as_a_pair_is_gpt2(tmp_path: Path, gpt2_spec: dict[str, Any]) -> None:
    model = gpt2_spec["model"]
    lines = [rule if isinstance(rule, str) else " ".join(rule) for rule in model["merges"]]
    merges = "\n".join(["#version: 0.2", *lines, ""]).encode()
    tok = fretsaw.Tokenizer.from_file(
        write_pair(tmp_path, merges, json.dumps(model["vocab"]).encode())
    )
    for at, text in sampled(golden_strings(), 2_000):
        assert tok.encode_ids(text) == golden_ids("gpt2")[at], repr(text)
    assert tok.get_vocab_size() == 50_257


@pytest.mark.parametrize("missing", ["vocab.json", "merges.txt"])
def test_half_a_pair(tmp_path: Path, missing: str) -> None:
    write_pair(tmp_path, PLAIN.encode())
    (tmp_path / missing).unlink()
    for path in (tmp_path, tmp_path / "vocab.json", tmp_path / "merges.txt"):
        with pytest.raises((fretsaw.SpecError, OSError), match=r"vocab\.json|merges\.txt"):
            fretsaw.Tokenizer.from_file(path)


def test_a_folder_with_a_tokenizer_json(tmp_path: Path) -> None:
    text = tokenizer_json([Added("<s>", special=True)])
    (tmp_path / "tokenizer.json").write_text(text, encoding="utf-8")
    oracle = tokenizers.Tokenizer.from_str(text)
    assert_same(fretsaw.Tokenizer.from_file(tmp_path), oracle)
    assert_same(fretsaw.Tokenizer.from_file(tmp_path / "tokenizer.json"), oracle)


def forms() -> dict[str, str]:
    """The same tokenizer, written in the ways that the oracle reads."""
    spec = json.loads(tokenizer_json([Added("<s>", special=True), Added(" x", lstrip=True)]))
    changes: dict[str, Callable[[dict[str, Any]], object]] = {
        "pairs": lambda spec: None,
        "strings": lambda spec: spec["model"].update(merges=PAIR),
        "no model.type": lambda spec: spec["model"].pop("type"),
        "strings and no model.type": lambda spec: (
            spec["model"].update(merges=PAIR),
            spec["model"].pop("type"),
        ),
        "no nulls": lambda spec: [
            spec.pop(name) for name in ("truncation", "padding", "normalizer", "post_processor")
        ],
        "no flags of the model": lambda spec: [
            spec["model"].pop(name)
            for name in ("dropout", "unk_token", "fuse_unk", "byte_fallback", "ignore_merges")
        ],
        "a field that nobody knows": lambda spec: spec["model"].update(unheard_of=[1]),
        "ByteLevel post-processor": lambda spec: spec.update(post_processor=byte_level()),
        "a sequence of one": lambda spec: spec.update(
            pre_tokenizer={"type": "Sequence", "pretokenizers": [byte_level()]}
        ),
    }
    found = {}
    for name, change in changes.items():
        changed = copy.deepcopy(spec)
        change(changed)
        found[name] = json.dumps(changed)
    found["indented"] = json.dumps(spec, indent=2)
    found["not ASCII"] = json.dumps(spec, ensure_ascii=False)
    found["white space around"] = f"\n \t{json.dumps(spec)}\r\n"
    return found


@pytest.mark.parametrize("text", forms().values(), ids=forms())
def test_tokenizer_json_in_every_form(text: str) -> None:
    oracle = tokenizers.Tokenizer.from_str(text)
    assert_same(fretsaw.Tokenizer.from_str(text), oracle)
    assert_same(fretsaw.Tokenizer.from_str(text.encode()), oracle)


@pytest.mark.parametrize("name", ["no/such/file", "no/such/tokenizer.json"])
def test_a_file_that_is_not_there(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileNotFoundError, match="no/such"):
        fretsaw.Tokenizer.from_file(tmp_path / name)


def test_the_fingerprint_is_of_what_decides_the_output() -> None:
    prints = {name: fretsaw.Tokenizer.from_str(text).fingerprint for name, text in forms().items()}
    for name in ("strings", "indented", "not ASCII", "no model.type", "white space around"):
        assert prints[name] == prints["pairs"], name
    others = {
        prints["pairs"],
        fretsaw.Tokenizer.from_str(tokenizer_json()).fingerprint,
        fretsaw.Tokenizer.from_str(tokenizer_json([Added("<s>")])).fingerprint,
        fretsaw.Tokenizer.from_str(tokenizer_json(merges=MERGES[:-1])).fingerprint,
        fretsaw.Tokenizer.from_str(tokenizer_json(ignore_merges=True)).fingerprint,
    }
    assert len(others) == 5
    assert all(len(found) == 64 and int(found, 16) >= 0 for found in others)
