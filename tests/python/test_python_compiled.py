"""The compiled file: the same tokenizer in place, beside its source, and for built-in vocabularies."""

import copy
import gzip
import json
import os
import pathlib
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

import fretsaw
from fretsaw import SpecError, Tokenizer

TEXTS = [
    "",
    "Hello world! Grüße, 世界 👋🏽",
    "<|endoftext|> in <|im_start|> between",
    "\t\n  many   spaces\r\n\r\n and é e\u0301 ﬁ",
    "x" * 3000,
]

FILES = [
    "albert-v5save", "bert-base-cased", "bert-base-chinese", "bert-base-uncased", "chatglm",
    "cl100k-gpt35turbo", "claude", "clip-vit", "deepseek-llm", "deepseek-v3", "deepseek-v4", "envit5",
    "falcon", "gemma1", "gemma3", "gpt-neox", "gpt-oss", "gpt2", "llama2", "llama3.1",
    "mbart-zero-scores", "minilm-l6-v2", "mistral-nemo-tekken", "mistral-v0.1", "mistral-v0.3",
    "modernbert", "o200k-gpt4o", "phi-2", "qwen3", "roberta-base", "smollm2", "smollm2-pad192",
    "starcoder2", "t5-custom-32k", "t5-small", "t5-v1_1-xxl", "whisper-large-v3", "xlm-roberta",
    "xlnet-base-cased",
]  # fmt: skip


def written(tok: Tokenizer) -> str:
    """The tokenizer.json, or why there is none."""
    try:
        return tok.to_str()
    except SpecError as error:
        return str(error)


def assert_same(stored: Tokenizer, source: Tokenizer, texts: list[str]) -> None:
    for text in texts:
        for special in (True, False):
            ours = stored.encode(text, add_special_tokens=special)
            assert ours == source.encode(text, add_special_tokens=special), text
        plain = stored.encode_ids(text, special="none")
        assert plain == source.encode_ids(text, special="none"), text
        for skip in (True, False):
            decoded = stored.decode(ours.ids, skip_special_tokens=skip)
            assert decoded == source.decode(ours.ids, skip_special_tokens=skip), text
    assert stored.fingerprint == source.fingerprint
    assert written(stored) == written(source)


@pytest.mark.parametrize("mmap", [True, False])
def test_everything_comes_back(smollm2_json: bytes, tmp_path: pathlib.Path, mmap: bool):
    source = Tokenizer.from_str(smollm2_json)
    source.compile(tmp_path / "a.fret")
    stored = Tokenizer.from_file(tmp_path / "a.fret", mmap=mmap)
    assert_same(stored, source, TEXTS)
    assert stored.get_vocab() == source.get_vocab()
    assert stored.get_vocab(with_added_tokens=False) == source.get_vocab(with_added_tokens=False)
    assert stored.get_added_tokens_decoder() == source.get_added_tokens_decoder()
    assert stored.pre_tokenize(TEXTS[3]) == source.pre_tokenize(TEXTS[3])
    ids = range(source.get_vocab_size())
    assert [stored.id_to_token(id) for id in ids] == [source.id_to_token(id) for id in ids]
    assert [stored.token_bytes(id) for id in ids] == [source.token_bytes(id) for id in ids]
    for ours, theirs in zip(
        stored.encode_batch_flat(TEXTS), source.encode_batch_flat(TEXTS), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)
    for other in (copy.copy(stored), pickle.loads(pickle.dumps(stored))):
        assert_same(other, source, TEXTS)
    for tok in (stored, source):
        assert tok.add_tokens(["zzqq", "world"]) == 2
        tok.normalizer = fretsaw.spec.Lowercase()
    assert_same(stored, source, [*TEXTS, "a zzqq WORLD b"])
    source.compile(tmp_path / "b.fret")
    stored.compile(tmp_path / "c.fret")
    assert (tmp_path / "b.fret").read_bytes() == (tmp_path / "c.fret").read_bytes()


def test_the_settings_of_the_moment_go_along(smollm2_json: bytes, tmp_path: pathlib.Path):
    source = Tokenizer.from_str(smollm2_json)
    source.enable_truncation(40, direction="left")
    source.enable_padding(length=50, pad_id=2, pad_token="<|im_end|>")
    source.compile(tmp_path / "a.fret")
    stored = Tokenizer.from_file(tmp_path / "a.fret")
    assert (stored.truncation, stored.padding) == (source.truncation, source.padding)
    assert_same(stored, Tokenizer.from_str(source.to_str()), TEXTS)


def test_content_counts_not_the_name(gpt2_json: bytes, tmp_path: pathlib.Path):
    source = Tokenizer.from_str(gpt2_json)
    path = tmp_path / "tokenizer.json"
    source.compile(path)
    assert_same(Tokenizer.from_file(path), source, TEXTS)
    assert_same(Tokenizer.from_str(path.read_bytes()), source, TEXTS)


def test_an_old_mapping_outlives_its_file(gpt2_json: bytes, tmp_path: pathlib.Path):
    path = tmp_path / "a.fret"
    Tokenizer.from_str(gpt2_json).compile(path)
    old = Tokenizer.from_file(path)
    fretsaw.get("byte").compile(path)
    assert Tokenizer.from_file(path).encode("Hello world").ids == list(b"Hello world")
    path.unlink()
    assert old.encode("Hello world").ids == [15496, 995]
    assert old.decode([15496, 995]) == "Hello world"


def test_what_is_no_sound_file_is_refused(tmp_path: pathlib.Path):
    path = tmp_path / "byte.fret"
    fretsaw.get("byte").compile(path)
    whole = path.read_bytes()
    future = bytearray(whole)
    future[8:12] = (2).to_bytes(4, sys.byteorder)
    damaged = [bytes(future), whole + b"\0", *(whole[:at] for at in range(8, len(whole), 997))]
    for at in range(8, len(whole), 499):
        flipped = bytearray(whole)
        flipped[at] ^= 0x10
        damaged.append(bytes(flipped))
    for content in damaged:
        path.write_bytes(content)
        for load in (Tokenizer.from_file, lambda path: Tokenizer.from_str(path.read_bytes())):
            with pytest.raises(SpecError, match="compile the tokenizer again"):
                load(path)


def test_a_folder_that_is_not_there(tmp_path: pathlib.Path):
    with pytest.raises(OSError, match="no-folder"):
        fretsaw.get("byte").compile(tmp_path / "no-folder" / "a.fret")


def small(first: str, second: str) -> bytes:
    """A tokenizer.json of two words."""
    model = {"type": "WordLevel", "vocab": {first: 0, second: 1}, "unk_token": first}
    return json.dumps({"model": model}).encode()


def test_a_sidecar_is_used_while_the_content_is_the_same(tmp_path: pathlib.Path):
    path, sidecar = tmp_path / "tokenizer.json", tmp_path / "tokenizer.json.fret"
    path.write_bytes(small("aa", "bb"))
    for place in (path, tmp_path):
        assert Tokenizer.from_file(place, cache=True).encode("bb").ids == [1]
    made = sidecar.stat()
    os.utime(path, (1, 1))
    assert Tokenizer.from_file(path, cache=True).encode("bb").ids == [1]
    assert sidecar.stat().st_mtime_ns == made.st_mtime_ns
    assert sidecar.stat().st_ino == made.st_ino
    # Other content of the same length and time.
    path.write_bytes(small("bb", "aa"))
    os.utime(path, (1, 1))
    assert Tokenizer.from_file(path, cache=True).encode("bb").ids == [0]
    assert sidecar.stat().st_ino != made.st_ino
    sidecar.write_bytes(sidecar.read_bytes()[:-1])
    assert Tokenizer.from_file(path, cache=True).encode("bb").ids == [0]
    assert Tokenizer.from_file(sidecar).encode("bb").ids == [0]


def test_a_pair_of_files_has_one_sidecar(tmp_path: pathlib.Path):
    (tmp_path / "vocab.json").write_text('{"a": 0, "b": 1, "ab": 2}')
    (tmp_path / "merges.txt").write_text("#version: 0.2\na b\n")
    for place in (tmp_path, tmp_path / "vocab.json", tmp_path / "merges.txt"):
        assert Tokenizer.from_file(place, cache=True).encode("ab").ids == [2]
    assert sorted(path.name for path in tmp_path.glob("*.fret")) == ["vocab.json.fret"]
    (tmp_path / "merges.txt").write_text("#version: 0.2\nb a\n"[:14])
    assert Tokenizer.from_file(tmp_path, cache=True).encode("ab").ids == [0, 1]


def test_ranks_belong_to_their_pattern(tmp_path: pathlib.Path):
    path = tmp_path / "a.tiktoken"
    path.write_text("YQ== 0\nYg== 1\nYWI= 2\n")
    load = [
        ("[ab]+", {}, [2]),
        ("[ab]", {}, [0, 1]),
        ("[ab]+", {"ab": 9}, [9]),
        ("[ab]+", {}, [2]),
    ]
    for pattern, special, ids in load:
        for _ in range(2):
            tok = Tokenizer.from_file(path, pattern=pattern, special_tokens=special, cache=True)
            assert tok.encode("ab", special="all").ids == ids


def test_a_place_that_cannot_be_written_is_passed_over_with_one_warning(tmp_path: pathlib.Path):
    path = tmp_path / "tokenizer.json"
    path.write_bytes(small("aa", "bb"))
    (tmp_path / "tokenizer.json.fret").mkdir()
    code = (
        "import sys, warnings, fretsaw\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        "    for _ in range(3):\n"
        "        tok = fretsaw.Tokenizer.from_file(sys.argv[1], cache=True)\n"
        "        assert tok.encode('bb').ids == [1]\n"
        "print([str(one.message) for one in caught if one.category is RuntimeWarning])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.count("cannot write the compiled file") == 1
    assert done.stdout.count("tokenizer.json.fret") == 1


def built_in(name: str, cache: str) -> subprocess.CompletedProcess[str]:
    """The ids of a text by a built-in vocabulary in a process of its own."""
    code = "import sys, fretsaw; print(fretsaw.get(sys.argv[1]).encode('Hello world').ids)"
    return subprocess.run(
        [sys.executable, "-W", "always", "-c", code, name],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"FRETSAW_CACHE": cache},
    )


@pytest.mark.parametrize(("name", "ids"), [("gpt2", [15496, 995]), ("p50k_base", [15496, 995])])
def test_built_in_vocabularies_are_compiled_once(tmp_path: pathlib.Path, name: str, ids: list[int]):
    folder = tmp_path / "new" / "folder"
    for content in (None, b"", b"FRETSAW\x1a" + b"\0" * 100):
        for kept in folder.glob("*") if content is not None else []:
            kept.write_bytes(content)
        assert built_in(name, str(folder)).stdout == f"{ids}\n"
        (kept,) = folder.iterdir()
        assert kept.name.startswith(f"{name}-")
        made = kept.stat()
        assert built_in(name, str(folder)).stdout == f"{ids}\n"
        assert (kept.stat().st_ino, kept.stat().st_mtime_ns) == (made.st_ino, made.st_mtime_ns)
    assert_same(Tokenizer.from_file(kept), fretsaw.get(name), TEXTS[:2])


def test_built_in_vocabularies_need_no_folder(tmp_path: pathlib.Path):
    done = built_in("gpt2", "")
    assert (done.stdout, done.stderr) == ("[15496, 995]\n", "")
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    done = built_in("gpt2", str(blocked))
    assert done.stdout == "[15496, 995]\n"
    assert done.stderr.count("cannot keep the compiled vocabulary") == 1


@pytest.mark.parametrize("name", FILES)
def test_real_tokenizers_come_back(
    data_dir: pathlib.Path, golden_dir: pathlib.Path, tmp_path: pathlib.Path, name: str
):
    source = Tokenizer.from_str(
        gzip.decompress((data_dir / "tokenizers" / f"{name}.json.gz").read_bytes())
    )
    lines = gzip.decompress((golden_dir / "strings.jsonl.gz").read_bytes()).splitlines()
    texts = [json.loads(line) for line in lines[:: len(lines) // 60]]
    source.compile(tmp_path / "a.fret")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stored = Tokenizer.from_file(tmp_path / "a.fret")
    assert_same(stored, source, texts)


def test_the_list_of_real_tokenizers_is_whole(data_dir: pathlib.Path):
    found = {path.name.removesuffix(".json.gz") for path in (data_dir / "tokenizers").glob("*.gz")}
    assert found == set(FILES)
