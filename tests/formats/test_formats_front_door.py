"""One front door: a file is what its content says, whatever it is called."""

from __future__ import annotations

import ast
import gzip
import json
import random
from pathlib import Path

import pytest
import tokenizers
from click.testing import CliRunner
from formats_texts import native, texts, tokenizer_json
from tokenizers.implementations import BertWordPieceTokenizer
from transformers import BertTokenizerFast

import fretsaw
from fretsaw.cli import main

NATIVE = {
    "clip/bpe_simple_vocab_16e6.txt": 49_408,
    "gguf/ggml-vocab-falcon.gguf": 65_024,
    "rwkv/rwkv_vocab_v20230424.txt": 65_529,
    "sentencepiece/llama2.model": 32_000,
    "tekken/tekken_240718.json": 131_072,
    "wordpiece/bert-base-uncased.vocab.txt": 30_522,
    "wordpiece/hunyuan-chinese-bert.vocab.txt": 47_020,
}


@pytest.mark.parametrize("name", NATIVE)
def test_content_counts_not_the_name(name: str, data_dir: Path, tmp_path: Path) -> None:
    content = native(data_dir, name)
    sizes = []
    for file_name, data in (("any.bin", content), ("x.json", gzip.compress(content, 1))):
        (tmp_path / file_name).write_bytes(data)
        sizes.append(fretsaw.Tokenizer.from_file(tmp_path / file_name).get_vocab_size())
        sizes.append(fretsaw.Tokenizer.from_str(data).get_vocab_size())
    assert sizes == [NATIVE[name]] * 4


def test_a_packed_pair_and_packed_ranks(data_dir: Path, tmp_path: Path) -> None:
    for name in ("vocab.json", "merges.txt"):
        content = native(data_dir, f"roberta-base/{name}")
        (tmp_path / name).write_bytes(gzip.compress(content, 1))
    assert fretsaw.Tokenizer.from_file(tmp_path).get_vocab_size() == 50_265
    ranks = tmp_path / "ranks.tiktoken"
    ranks.write_bytes(gzip.compress(native(data_dir, "tiktoken/r50k_base.tiktoken"), 1))
    tok = fretsaw.Tokenizer.from_file(ranks, pattern=r"\S+|\s+", special_tokens={})
    assert tok.encode_ids("Hello") == [15496]


@pytest.mark.parametrize("name", NATIVE)
def test_inspect(name: str, data_dir: Path, tmp_path: Path) -> None:
    path = tmp_path / "any.bin"
    path.write_bytes(native(data_dir, name))
    result = CliRunner().invoke(main, ["inspect", str(path), "--json"])
    assert result.exit_code == 0, result.output
    report = json.loads(result.output)
    assert (report["name"], report["tokens"]) == (str(path), NATIVE[name])
    drawn = CliRunner().invoke(main, ["inspect", str(path), "--unreachable", "0"])
    assert f"{NATIVE[name]:,}" in drawn.output


@pytest.mark.parametrize("name", ["bert-base-uncased", "hunyuan-chinese-bert"])
def test_vocab_txt_is_what_hugging_face_makes_of_it(
    name: str, data_dir: Path, tmp_path: Path
) -> None:
    path = tmp_path / "v.txt"
    path.write_bytes(native(data_dir, f"wordpiece/{name}.vocab.txt"))
    tok = fretsaw.Tokenizer.from_file(path)
    oracle = BertWordPieceTokenizer(str(path))
    some = texts(data_dir)
    for text, their in zip(some, oracle.encode_batch(some), strict=True):
        our = tok.encode(text)
        assert (our.ids, our.tokens, our.offsets) == (their.ids, their.tokens, their.offsets)
        assert tok.decode(our.ids) == oracle.decode(their.ids)
    assert tok.to_str() == fretsaw.Tokenizer.from_str(oracle.to_str()).to_str()


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"do_lower_case": False},
        {"strip_accents": False},
        {"tokenize_chinese_chars": False, "do_lower_case": False},
    ],
)
def test_a_folder_with_vocab_txt(config: dict[str, bool], data_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_bytes(native(data_dir, "wordpiece/bert-base-uncased.vocab.txt"))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    tok = fretsaw.Tokenizer.from_file(tmp_path)
    oracle = BertTokenizerFast.from_pretrained(tmp_path)
    for text in texts(data_dir)[-300:]:
        assert tok.encode(text).ids == oracle(text)["input_ids"], repr(text)
    assert fretsaw.Tokenizer.from_file(tmp_path, cache=True).fingerprint == tok.fingerprint
    assert fretsaw.Tokenizer.from_file(tmp_path, cache=True).fingerprint == tok.fingerprint


def test_a_folder_with_one_file_of_any_name(data_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "ggml-vocab.gguf").write_bytes(native(data_dir, "gguf/ggml-vocab-phi-3.gguf"))
    of_gguf = fretsaw.Tokenizer.from_file(tmp_path)
    assert (
        of_gguf.fingerprint == fretsaw.Tokenizer.from_file(tmp_path / "ggml-vocab.gguf").fingerprint
    )
    (tmp_path / "tokenizer.model").write_bytes(native(data_dir, "sentencepiece/llama2.model"))
    of_model = fretsaw.Tokenizer.from_file(tmp_path, cache=True)
    assert of_model.fingerprint != of_gguf.fingerprint
    assert (tmp_path / "tokenizer.model.fret").exists()
    assert fretsaw.Tokenizer.from_file(tmp_path, cache=True).fingerprint == of_model.fingerprint
    (tmp_path / "other.model").write_bytes(b"")
    with pytest.raises(fretsaw.UnsupportedError, match=r"other\.model, tokenizer\.model"):
        fretsaw.Tokenizer.from_file(tmp_path)


def test_lines_of_vocab_txt(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    lines = ["[PAD]", "[UNK]\r", "[CLS]  ", "[SEP]", "a", "", "##b\t", "a", "\u3000", "\x85x"]
    path.write_bytes("\n".join(lines).encode())
    tok, oracle = fretsaw.Tokenizer.from_file(path), BertWordPieceTokenizer(str(path))
    assert tok.get_vocab() == oracle.get_vocab()
    assert tok.encode("a ab c").ids == oracle.encode("a ab c").ids
    for missing in ("[CLS]", "[SEP]"):
        path.write_text("\n".join(["[UNK]", "[CLS]", "[SEP]"]).replace(missing, "x"))
        with pytest.raises(fretsaw.SpecError):
            fretsaw.Tokenizer.from_file(path)


def test_clip_is_its_tokenizer_json(data_dir: Path) -> None:
    tok = fretsaw.Tokenizer.from_str(native(data_dir, "clip/bpe_simple_vocab_16e6.txt"))
    published = tokenizer_json(data_dir, "clip-vit")
    assert tok.fingerprint == fretsaw.Tokenizer.from_str(published).fingerprint
    oracle = tokenizers.Tokenizer.from_str(published.decode())
    for text in texts(data_dir):
        assert tok.encode(text).ids == oracle.encode(text).ids


def rwkv_tokens(content: bytes) -> dict[bytes, int]:
    """RWKV's own way to read the file."""
    tokens = {}
    for line in content.decode().splitlines():
        token = ast.literal_eval(line[line.index(" ") : line.rindex(" ")].strip())
        token = token.encode() if isinstance(token, str) else token
        assert len(token) == int(line[line.rindex(" ") :])
        tokens[token] = int(line[: line.index(" ")])
    return tokens


def longest_match(data: bytes, tokens: dict[bytes, int], longest: int) -> list[int]:
    """RWKV's own way to encode, the slow one."""
    ids, start = [], 0
    while start < len(data):
        ends = range(min(start + longest, len(data)), start, -1)
        end = next(end for end in ends if data[start:end] in tokens)
        ids.append(tokens[data[start:end]])
        start = end
    return ids


def test_rwkv(data_dir: Path) -> None:
    content = native(data_dir, "rwkv/rwkv_vocab_v20230424.txt")
    tok = fretsaw.Tokenizer.from_str(content)
    tokens = rwkv_tokens(content)
    longest = max(map(len, tokens))
    assert {tok.token_bytes(id_): id_ for id_ in tokens.values()} == tokens
    for text in texts(data_dir):
        ids = longest_match(text.encode(), tokens, longest)
        assert tok.encode(text).ids == ids, repr(text[:100])
        assert tok.decode(ids) == text
    with pytest.raises(fretsaw.DecodeError):
        tok.decode([65_530])


def test_rwkv_saved_as_tokenizer_json(data_dir: Path) -> None:
    tok = fretsaw.Tokenizer.from_str(native(data_dir, "rwkv/rwkv_vocab_v20230424.txt"))
    oracle = tokenizers.Tokenizer.from_str(tok.to_str())
    for text in random.Random(8).sample(texts(data_dir)[-1000:], 200):
        our, their = tok.encode(text), oracle.encode(text)
        assert (our.ids, our.offsets) == (their.ids, their.offsets), repr(text)
        assert tok.decode(our.ids) == oracle.decode(our.ids)
