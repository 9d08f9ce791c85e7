"""Vocabularies in GGUF files: published vectors, and the same vocabulary in another format."""

from __future__ import annotations

import ast
import gzip
import json
import os
import pickle
from pathlib import Path

import formats_gguf as gguf
import pytest
import sentencepiece
import tokenizers
from formats_texts import native, texts, tokenizer_json
from test_exact_vectors import ids_of, members
from transformers.utils.chat_template_utils import render_jinja_template

import fretsaw

VECTORS = ["bert-bge", "deepseek-llm", "falcon", "gpt-2", "llama-spm", "phi-3", "starcoder"]

SAME_FILES = {
    "bert-bge": "bert-base-uncased",
    "deepseek-llm": "deepseek-llm",
    "falcon": "falcon",
    "gpt-2": "gpt2",
    "starcoder": "starcoder2",
}
"""GGUF files of the data folder whose vocabulary is there as tokenizer.json as well."""

MADE = {
    "chatglm-bpe": "cl100k-gpt35turbo",
    "deepseek-v3": "deepseek-v3",
    "falcon": "falcon",
    "gpt-2": "gpt2",
    "gpt-4o": "o200k-gpt4o",
    "llama-bpe": "llama3.1",
    "olmo": "gpt-neox",
    "phi-2": "phi-2",
    "qwen2": "qwen3",
    "smollm": "smollm2",
    "tekken": "mistral-nemo-tekken",
}
"""Names in `tokenizer.ggml.pre`, each with a tokenizer.json of a model that has it."""

NAMES = """
    default llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 deepseek-llm
    deepseek-coder deepseek-v3 falcon mpt starcoder gpt-2 phi-2 jina-es jina-de gigachat jina-v2-es
    jina-v2-de a.x-4.0 mellum jina-v1-en jina-v2-code roberta-bpe refact command-r qwen2
    deepseek-r1-qwen kormo stablelm2 olmo dbrx smaug-bpe poro-chat glm4 chatglm-bpe viking jais tekken
    smollm codeshell bloom gpt3-finnish exaone exaone4 chameleon minerva-7b megrez gpt-4o llama4
    superbpe trillion granite-docling bailingmoe bailingmoe2 llada-moe seed-coder hunyuan
    hunyuan-dense kimi-k2 grok-2 minimax-m2 qwen35 solar-open jina-v5-nano joyai-llm modern-bert
    afmoe exaone-moe f2llmv2 kanana2 talkie tiny_aya cohere2moe youtu
"""

CUT = [
    ("afmoe", "1234567 x12345abc", "1 234 567 |x 12 345 abc"),
    ("afmoe", "a漢字かな한국 b", "a 漢字かな한국 |b"),
    ("tiny_aya", "1234567 12345abc", "1 234 567 | 123 45 abc"),
    ("tiny_aya", "It's ABcd", "It's |ABcd"),
    ("exaone-moe", "ab cd ef12\n\n/x", "ab|cd|ef 1 2 \n\n /x"),
    ("youtu", "漢字가나ㄅㄆ、。 12", "漢字 가나 ㄅㄆ 、。 | 1 2"),
]
"""Texts and their pieces, spaces between; a bar is a space in them."""

Texts = list[str]


def load(folder: Path, name: str) -> fretsaw.Tokenizer:
    return fretsaw.Tokenizer.from_str(native(folder, f"gguf/ggml-vocab-{name}.gguf"))


@pytest.mark.parametrize("name", VECTORS)
def test_published_vectors(name: str, data_dir: Path) -> None:
    tok = load(data_dir, name)
    files = members(data_dir / "native" / "vectors" / "llama.cpp-vocab-vectors.tar.gz")
    inputs = files[f"ggml-vocab-{name}.gguf.inp"].split("\n__ggml_vocab_test__\n")
    lines = files[f"ggml-vocab-{name}.gguf.out"].split("\n")
    assert len(inputs) > 40
    for text, line in zip(inputs, lines, strict=False):
        assert tok.encode_ids(text, add_special_tokens=False) == ids_of(line), repr(text)


@pytest.mark.parametrize("name", SAME_FILES)
def test_the_same_vocabulary_as_tokenizer_json(name: str, data_dir: Path) -> None:
    tok = load(data_dir, name)
    oracle = tokenizers.Tokenizer.from_str(tokenizer_json(data_dir, SAME_FILES[name]).decode())
    compare(tok, oracle, texts(data_dir))


@pytest.mark.parametrize("pre", MADE)
def test_names_of_pre_tokenizers(pre: str, data_dir: Path) -> None:
    content = tokenizer_json(data_dir, MADE[pre])
    tok = fretsaw.Tokenizer.from_str(gguf.of_tokenizer_json(content, pre))
    compare(tok, tokenizers.Tokenizer.from_str(content.decode()), texts(data_dir))


def compare(tok: fretsaw.Tokenizer, oracle: tokenizers.Tokenizer, some: Texts) -> None:
    """Ids and decoded text."""
    theirs = oracle.encode_batch(some, add_special_tokens=False)
    for text, their in zip(some, theirs, strict=True):
        assert tok.encode_ids(text, add_special_tokens=False) == their.ids, repr(text[:100])
        assert tok.decode(their.ids) == oracle.decode(their.ids)


def test_every_name_loads(gpt2_json: bytes) -> None:
    file = json.loads(gpt2_json)
    file["model"]["merges"] = []
    file["model"]["vocab"] = {token: id for token, id in file["model"]["vocab"].items() if id < 256}
    file["added_tokens"] = []
    small = json.dumps(file).encode()
    for name in NAMES.split():
        tok = fretsaw.Tokenizer.from_str(gguf.of_tokenizer_json(small, name))
        for text in ("Hello 12345 world's  <x>\n\n \u4f60\u597d, \u3053", ""):
            assert tok.decode(tok.encode(text).ids) == text, name
    with pytest.raises(fretsaw.UnsupportedError, match=r"`tokenizer.ggml.pre` is \"novel\""):
        fretsaw.Tokenizer.from_str(gguf.of_tokenizer_json(small, "novel"))


@pytest.mark.parametrize(("pre", "text", "pieces"), CUT)
def test_what_some_names_cut(gpt2_json: bytes, pre: str, text: str, pieces: str) -> None:
    tok = fretsaw.Tokenizer.from_str(gguf.of_tokenizer_json(gpt2_json, pre))
    found = [text[start:end] for _, (start, end) in tok.pre_tokenize(text)]
    assert found == [piece.replace("|", " ") for piece in pieces.split(" ")]


def test_a_file_older_than_the_names(data_dir: Path) -> None:
    tok = load(data_dir, "gpt-neox")
    oracle = tokenizers.Tokenizer.from_str(tokenizer_json(data_dir, "gpt-neox").decode())
    compare(tok, oracle, [text for text in texts(data_dir) if "[PAD" not in text])


@pytest.mark.parametrize(
    "name", ["llama2.model", "t5-v1_1.spiece.model", "nai-t5.model", "test_model.model"]
)
def test_pieces_as_sentencepiece_has_them(name: str, data_dir: Path) -> None:
    content = native(data_dir, f"sentencepiece/{name}")
    tok = fretsaw.Tokenizer.from_str(gguf.of_model(content))
    oracle = sentencepiece.SentencePieceProcessor(model_proto=content)
    for text in texts(data_dir):
        ids = oracle.encode(text)
        assert tok.encode_ids(text) == ids, repr(text[:100])
        assert tok.decode(ids) == oracle.decode(ids)


def test_llama_2_in_both_formats(data_dir: Path) -> None:
    tok = load(data_dir, "llama-spm")
    oracle = sentencepiece.SentencePieceProcessor(
        model_proto=native(data_dir, "sentencepiece/llama2.model")
    )
    for text in texts(data_dir):
        assert tok.encode_ids(text, add_special_tokens=False) == oracle.encode(text)
        assert tok.encode_ids(text) == [1, *oracle.encode(text)]


def test_what_stands_around_a_text(data_dir: Path) -> None:
    bert = load(data_dir, "bert-bge")
    assert bert.encode("a", "b").ids == [101, 1037, 102, 1038, 102]
    assert bert.encode("a", "b").type_ids == [0, 0, 0, 1, 1]
    assert load(data_dir, "llama-spm").encode("Hello").tokens == ["<s>", "\u2581Hello"]
    assert load(data_dir, "gpt-2").encode("Hello").tokens == ["Hello"]


def test_rwkv_in_both_formats(data_dir: Path) -> None:
    content = native(data_dir, "rwkv/rwkv_vocab_v20230424.txt")
    lines = []
    for line in content.decode().splitlines():
        token = ast.literal_eval(line[line.index(" ") : line.rindex(" ")].strip())
        token_bytes = token.encode() if isinstance(token, str) else token
        lines.append((int(line.split(" ", 1)[0]), token_bytes))
    tok = fretsaw.Tokenizer.from_str(gguf.of_rwkv(lines))
    text_form = fretsaw.Tokenizer.from_str(content)
    for text in texts(data_dir):
        if "<s>" not in text:
            assert tok.encode_ids(text) == text_form.encode_ids(text)


def test_the_chat_template_is_kept(data_dir: Path, tmp_path: Path) -> None:
    tok = load(data_dir, "phi-3")
    assert tok.chat_template is not None
    assert tok.chat_template.startswith("{{ bos_token }}{% for message in messages %}")
    assert load(data_dir, "gpt-2").chat_template is None
    tok.compile(tmp_path / "phi-3.fret")
    assert fretsaw.Tokenizer.from_file(tmp_path / "phi-3.fret").chat_template == tok.chat_template


def test_chats_by_the_template_of_the_file(data_dir: Path, tmp_path: Path) -> None:
    tok = load(data_dir, "phi-3")
    chat = [
        {"role": "user", "content": "Hi<|end|>"},
        {"role": "assistant", "content": "Ho"},
        {"role": "user", "content": "?"},
    ]
    # What transformers 5.24.0 takes from the ids in the file, which it reads with torch alone.
    tokens = {"bos_token": "<s>", "eos_token": "<|endoftext|>", "unk_token": "<unk>"}
    tokens["pad_token"] = "<|endoftext|>"
    [rendered], _ = render_jinja_template([chat], chat_template=tok.chat_template, **tokens)
    prompt = tok.render_chat(chat)
    assert str(prompt) == rendered
    assert rendered.startswith("<s><|user|>")
    assert prompt.encode_ids(tok).count(tok.token_to_id("<|end|>")) == 3
    named = "{{ bos_token }} {{ eos_token }} {{ unk_token }} {{ pad_token }} {{ sep_token }}"
    assert (
        str(tok.render_chat(chat, chat_template=named)) == "<s> <|endoftext|> <unk> <|endoftext|> "
    )
    # A pickle and a compiled file have it, and a folder's own goes before it.
    tok.compile(tmp_path / "phi-3.fret")
    for again in (
        fretsaw.Tokenizer.from_file(tmp_path / "phi-3.fret"),
        pickle.loads(pickle.dumps(tok)),
    ):
        assert again.render_chat(chat) == prompt
    (tmp_path / "phi-3.gguf").write_bytes(native(data_dir, "gguf/ggml-vocab-phi-3.gguf"))
    assert fretsaw.Tokenizer.from_file(tmp_path).render_chat(chat) == prompt
    (tmp_path / "chat_template.jinja").write_text("own")
    assert str(fretsaw.Tokenizer.from_file(tmp_path).render_chat(chat)) == "own"


@pytest.mark.parametrize("name", ["<0x-1>", "<0xZZ>"])
@pytest.mark.parametrize("place", [3, 100, 258])
def test_byte_tokens_that_name_no_byte(name: str, place: int) -> None:
    # The shared case L43.
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    kinds = [gguf.UNKNOWN, gguf.CONTROL, gguf.CONTROL, *[gguf.BYTE] * 256]

    def file() -> bytes:
        return gguf.written(
            [
                ("tokenizer.ggml.model", gguf.STRING, "llama"),
                ("tokenizer.ggml.tokens", gguf.LIST, (gguf.STRING, tokens)),
                ("tokenizer.ggml.scores", gguf.LIST, (gguf.F32, [0.0] * len(tokens))),
                ("tokenizer.ggml.token_type", gguf.LIST, (gguf.I32, kinds)),
                ("tokenizer.ggml.bos_token_id", gguf.U32, 1),
            ]
        )

    assert fretsaw.Tokenizer.from_str(file()).encode("a").ids[-1] == 3 + ord("a")
    tokens[place] = name
    with pytest.raises(fretsaw.SpecError, match=rf"tokens\[{place}\]"):
        fretsaw.Tokenizer.from_str(file())


def test_only_the_metadata_is_read(data_dir: Path, tmp_path: Path) -> None:
    content = native(data_dir, "gguf/ggml-vocab-gpt-2.gguf")
    path = tmp_path / "any.name"
    path.write_bytes(content)
    os.truncate(path, 10 << 30)
    tok = fretsaw.Tokenizer.from_file(path)
    assert tok.encode("Hello world").ids == [15496, 995]
    assert tok.fingerprint == fretsaw.Tokenizer.from_str(content).fingerprint
    assert tok.fingerprint == fretsaw.Tokenizer.from_str(gzip.compress(content, 1)).fingerprint
