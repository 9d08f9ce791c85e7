"""From any format into any other: the same ids, and the other libraries load what is written."""

from __future__ import annotations

import base64
import itertools
import json
from pathlib import Path

import pytest
import sentencepiece
import tiktoken
import tokenizers
from click.testing import CliRunner
from formats_texts import native, texts, tokenizer_json
from tokenizers.implementations import BertWordPieceTokenizer

import fretsaw
from fretsaw.cli import main

FORMATS = ["tokenizer.json", "tiktoken", "vocab+merges", "vocab.txt", "sentencepiece", "fret"]

Texts = list[str]


@pytest.fixture(scope="module")
def some(data_dir: Path) -> Texts:
    return texts(data_dir)


def same_ids(tok: fretsaw.Tokenizer, other: fretsaw.Tokenizer, some: Texts) -> None:
    assert other.encode_batch_ids(some, special="all") == tok.encode_batch_ids(some, special="all")


def hugging_face(path: Path) -> tokenizers.Tokenizer:
    return tokenizers.Tokenizer.from_file(str(path))


@pytest.mark.parametrize("name", ["r50k_base", "p50k_base", "cl100k_base", "o200k_base"])
def test_ranks_as_tokenizer_json(name: str, tmp_path: Path, some: Texts) -> None:
    tok = fretsaw.get(name)
    path = tmp_path / "t.json"
    assert tok.save_as(path, "tokenizer.json") == [path]
    ours, theirs = fretsaw.Tokenizer.from_file(path), hugging_face(path)
    same_ids(tok, ours, some)
    for text, encoding in zip(some, theirs.encode_batch(some), strict=True):
        assert encoding.ids == ours.encode(text).ids, repr(text[:100])
    # Back through the compiled form.
    ours.compile(tmp_path / "t.fret")
    fretsaw.Tokenizer.from_file(tmp_path / "t.fret").save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("name", ["r50k_base", "cl100k_base", "o200k_base"])
def test_ranks_as_tiktoken_reads_them(name: str, tmp_path: Path, some: Texts) -> None:
    tok, path = fretsaw.get(name), tmp_path / "t.tiktoken"
    tok.save_as(path, "tiktoken")
    ranks = {
        base64.b64decode(token): int(rank)
        for token, rank in (line.split() for line in path.read_bytes().splitlines())
    }
    _, pattern, special, _ = tok._to_ranks() or pytest.fail("no ranks")
    oracle = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)
    for text in some[::3]:
        assert oracle.encode(text, allowed_special="all") == tok.encode(text, special="all").ids
    again = fretsaw.Tokenizer.from_file(path, pattern=pattern, special_tokens=special)
    assert again.fingerprint == tok.fingerprint


def test_tekken_as_tokenizer_json(data_dir: Path, tmp_path: Path, some: Texts) -> None:
    tok = fretsaw.Tokenizer.from_str(native(data_dir, "tekken/tekken_240718.json"))
    tok.save_as(tmp_path / "t.json", "tokenizer.json")
    oracle = hugging_face(tmp_path / "t.json")
    # In a tokenizer.json special tokens match in text.
    plain = [text for text in some if "[" not in text and "<" not in text]
    assert len(plain) > 100
    for text, encoding in zip(plain, oracle.encode_batch(plain), strict=True):
        assert encoding.ids == tok.encode(text).ids, repr(text[:100])


@pytest.mark.parametrize("name", ["llama2.model", "mistral-common.tokenizer.model.v1"])
def test_models_as_tokenizer_json(name: str, data_dir: Path, tmp_path: Path, some: Texts) -> None:
    content = native(data_dir, f"sentencepiece/{name}")
    fretsaw.Tokenizer.from_str(content).save_as(tmp_path / "t.json", "tokenizer.json")
    ours, theirs = (
        fretsaw.Tokenizer.from_file(tmp_path / "t.json"),
        hugging_face(tmp_path / "t.json"),
    )
    oracle = sentencepiece.SentencePieceProcessor(model_proto=content)
    # In a tokenizer.json control and unknown pieces match in text.
    plain = [text for text in some if "<" not in text]
    for text, encoding in zip(plain, theirs.encode_batch(plain), strict=True):
        ids = oracle.encode(text)
        assert encoding.ids == ours.encode(text).ids == ids, repr(text[:100])
        if "\u2581" not in text:
            assert ours.decode(ids) == oracle.decode(ids)


@pytest.mark.parametrize(
    "name",
    [
        "chatglm3.tokenizer.model",
        "nmt.vocab.joint.spm",
        "test_ja_model.model",
        "xlnet_base_cased.model",
    ],
)
def test_models_written_again(name: str, data_dir: Path, tmp_path: Path, some: Texts) -> None:
    tok = fretsaw.Tokenizer.from_str(native(data_dir, f"sentencepiece/{name}"))
    tok.save_as(tmp_path / "t.model", "sentencepiece")
    again = fretsaw.Tokenizer.from_file(tmp_path / "t.model")
    assert again.fingerprint == tok.fingerprint
    oracle = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "t.model"))
    for text in some[::5]:
        ids = oracle.encode(text)
        assert tok.encode_ids(text) == ids
        assert oracle.decode(ids) == tok.decode(ids)


def test_gguf_as_a_model(data_dir: Path, tmp_path: Path, some: Texts) -> None:
    tok = fretsaw.Tokenizer.from_str(native(data_dir, "gguf/ggml-vocab-phi-3.gguf"))
    with pytest.raises(fretsaw.UnsupportedError, match=r"`post_processor` is Template"):
        tok.save_as(tmp_path / "t.model", "sentencepiece")
    paths = tok.save_as(tmp_path / "t.model", "sentencepiece", without=["post_processor"])
    assert [path.name for path in paths] == ["t.model", "chat_template.jinja"]
    assert (tmp_path / "chat_template.jinja").read_text() == tok.chat_template
    oracle = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "t.model"))
    for text in some[::5]:
        assert tok.encode_ids(text, add_special_tokens=False) == oracle.encode(text)


@pytest.mark.parametrize("name", ["bert-bge", "deepseek-llm", "falcon", "starcoder"])
def test_gguf_as_tokenizer_json(name: str, data_dir: Path, tmp_path: Path, some: Texts) -> None:
    tok = fretsaw.Tokenizer.from_str(native(data_dir, f"gguf/ggml-vocab-{name}.gguf"))
    tok.save_as(tmp_path / "t.json", "tokenizer.json")
    oracle = hugging_face(tmp_path / "t.json")
    for text, encoding in zip(some, oracle.encode_batch(some), strict=True):
        assert encoding.ids == tok.encode(text).ids, repr(text[:100])


@pytest.mark.parametrize("name", ["bert-base-uncased", "minilm-l6-v2"])
def test_words_as_vocab_txt(name: str, data_dir: Path, tmp_path: Path, some: Texts) -> None:
    tok = fretsaw.Tokenizer.from_str(tokenizer_json(data_dir, name))
    tok.save_as(tmp_path / "v.txt", "vocab.txt", without=["truncation", "padding"])
    assert (tmp_path / "v.txt").read_bytes() == native(
        data_dir, "wordpiece/bert-base-uncased.vocab.txt"
    )
    oracle = BertWordPieceTokenizer(str(tmp_path / "v.txt"))
    tok.no_truncation()
    tok.no_padding()
    for text in some[::5]:
        assert oracle.encode(text).ids == tok.encode(text).ids


def test_gpt2_as_vocabulary_and_merges(gpt2_json: bytes, tmp_path: Path, some: Texts) -> None:
    tok = fretsaw.Tokenizer.from_str(gpt2_json)
    paths = tok.save_as(tmp_path / "gpt2", "vocab+merges")
    assert [path.name for path in paths] == ["vocab.json", "merges.txt"]
    oracle = tokenizers.ByteLevelBPETokenizer.from_file(*map(str, paths))
    same_ids(tok, fretsaw.Tokenizer.from_file(tmp_path / "gpt2"), some)
    for text in some[::5]:
        if "<|endoftext|>" not in text:
            assert oracle.encode(text).ids == tok.encode(text).ids


def test_every_format_from_every_other(data_dir: Path, tmp_path: Path, some: Texts) -> None:
    """Whatever can be written is read as the same tokenizer, whatever it was read from."""
    sources = {
        "clip": native(data_dir, "clip/bpe_simple_vocab_16e6.txt"),
        "gguf": native(data_dir, "gguf/ggml-vocab-gpt-2.gguf"),
        "model": native(data_dir, "sentencepiece/test_model.model"),
        "rwkv": native(data_dir, "rwkv/rwkv_vocab_v20230424.txt"),
        "words": native(data_dir, "wordpiece/hunyuan-chinese-bert.vocab.txt"),
    }
    written = set()
    for (name, content), to in itertools.product(sources.items(), FORMATS):
        tok = fretsaw.Tokenizer.from_str(content)
        out = tmp_path / f"{name}-{to}"
        try:
            tok.save_as(out, to)
        except fretsaw.UnsupportedError as error:
            assert f"which {to} can't carry" in str(error)
            assert not out.exists()
            continue
        written.add((name, to))
        same_ids(tok, fretsaw.Tokenizer.from_file(out), some[-400:])
    assert written == {
        *((name, "fret") for name in sources),
        *((name, "tokenizer.json") for name in sources if name != "model"),
        ("words", "vocab.txt"),
        ("model", "sentencepiece"),
    }


def test_what_a_format_can_not_carry(data_dir: Path, tmp_path: Path) -> None:
    def refused(tok: fretsaw.Tokenizer, to: str, field: str) -> None:
        with pytest.raises(fretsaw.UnsupportedError) as caught:
            tok.save_as(tmp_path / "out", to)
        assert str(caught.value).startswith(f"`{field}` is "), caught.value
        assert not (tmp_path / "out").exists()

    read = fretsaw.Tokenizer.from_str
    refused(read(tokenizer_json(data_dir, "bert-base-cased")), "vocab.txt", "normalizer")
    refused(read(tokenizer_json(data_dir, "minilm-l6-v2")), "vocab.txt", "truncation")
    refused(
        read(tokenizer_json(data_dir, "qwen3")), "vocab+merges", 'added_tokens["<|endoftext|>"]'
    )
    refused(read(tokenizer_json(data_dir, "llama2")), "sentencepiece", "model")
    refused(read(tokenizer_json(data_dir, "gpt2")), "tiktoken", "model")
    t5 = read(native(data_dir, "sentencepiece/t5-v1_1.spiece.model"))
    refused(t5, "tokenizer.json", "trainer_spec.model_type")
    wiki = read(native(data_dir, "sentencepiece/en.wiki.bpe.vs100000.model"))
    refused(wiki, "tokenizer.json", "normalizer_spec.precompiled_charsmap")
    with pytest.raises(ValueError, match="none of the formats"):
        t5.save_as(tmp_path / "out", "onnx")
    with pytest.raises(ValueError, match="none of the parts"):
        t5.save_as(tmp_path / "out", "fret", without=["model"])
    with pytest.raises(OSError, match="no/such"):
        t5.save_as("no/such/folder/x", "fret")


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["convert", *arguments])
    return result.exit_code, result.output


def test_the_command(tmp_path: Path) -> None:
    out = str(tmp_path / "x.json")
    code, text = run("cl100k_base", out, "--to", "tokenizer.json")
    assert (code, text.split(":")[0]) == (0, out)
    ranks = str(tmp_path / "x.tiktoken")
    code, text = run("cl100k_base", ranks, "--to", "tiktoken", "--json")
    report = json.loads(text)
    assert (code, report["out"], report["vocab_size"]) == (0, [ranks], 100_261)
    special = [
        argument
        for token, id_ in report["special_tokens"].items()
        for argument in ("--special-token", token, str(id_))
    ]
    again = str(tmp_path / "y.json")
    options = ["--pattern", report["pattern"], *special]
    assert run(ranks, again, "--to", "tokenizer.json", *options)[0] == 0
    assert Path(again).read_bytes() == Path(out).read_bytes()
    assert "special tokens" in run("r50k_base", ranks, "--to", "tiktoken")[1]


def test_bad_input_of_the_command(tmp_path: Path) -> None:
    out = str(tmp_path / "x")
    assert run("cl100k_base", out, "--to", "vocab.txt") == (
        2,
        "fretsaw: `model` is not WordPiece, which vocab.txt can't carry; write another format\n",
    )
    assert run("none", out, "--to", "fret")[0] == 2
    assert run("gpt2", out, "--to", "fret", "--special-token", "a", "1")[0] == 2
    assert run("none", out, "--to", "fret", "--pattern", "a")[0] == 2
    assert run("gpt2", out, "--to", "nothing")[0] == 2
    assert not Path(out).exists()
