"""Files that the page sends: every format, and what the two that are no single file need."""

import gzip
import json
from pathlib import Path

import httpx
import pytest
from app_served import SMALL, Served

import fretsaw

TEXT = "Hello naïve 猫 12345"
ALONE = {
    "gguf": "gguf/ggml-vocab-phi-3.gguf.gz",
    "model": "sentencepiece/llama2.model.gz",
    "tekken": "tekken/tekken_240718.json.gz",
    "rwkv": "rwkv/rwkv_vocab_v20230424.txt.gz",
    "vocab.txt": "wordpiece/bert-base-uncased.vocab.txt.gz",
}


@pytest.fixture(scope="module")
def app():
    served = Served("app", "--no-browser")
    yield served
    assert "Traceback" not in served.stop()


def send(app: Served, body: bytes, **query: object) -> httpx.Response:
    return app.client.post("/files", params=query, content=body)  # type: ignore[arg-type]


def ids(app: Served, name: str) -> list[int]:
    return app.post("/encode", tokenizer=name, text=TEXT).json()["ids"]


def failed(response: httpx.Response) -> tuple[int, str, str]:
    error = response.json()["error"]
    assert "/tmp" not in error["message"]
    return response.status_code, error["code"], error["where"]


@pytest.mark.parametrize("kind", ALONE)
@pytest.mark.parametrize("packed", [False, True])
def test_files_that_stand_alone(app: Served, data_dir: Path, kind: str, packed: bool):
    content = (data_dir / "native" / ALONE[kind]).read_bytes()
    wanted = fretsaw.Tokenizer.from_buffer(content).encode_ids(TEXT, special="none")
    body = content if packed else gzip.decompress(content)
    sent = send(app, body, name=f"any.{kind}").json()
    assert sent["name"] == f"file:any.{kind}"
    assert ids(app, sent["name"]) == wanted


@pytest.mark.parametrize("packed", [False, True])
def test_ranks_with_a_pattern(app: Served, data_dir: Path, packed: bool):
    content = (data_dir / "native" / "tiktoken" / "cl100k_base.tiktoken.gz").read_bytes()
    body = content if packed else gzip.decompress(content)
    assert failed(send(app, body, name="x.tiktoken")) == (422, "needs_pattern", "?pattern")
    known = {one["name"]: one for one in app.post("/view/patterns").json()["patterns"]}
    assert list(known) == [name for name in known if name in fretsaw.names()]
    cl100k = known["cl100k_base"]
    more = {"special_tokens": json.dumps(cl100k["special_tokens"])}
    sent = send(app, body, name="x.tiktoken", pattern=cl100k["pattern"], **more).json()
    tok = fretsaw.get("cl100k_base")
    assert sent["vocab_size"] == tok.get_vocab_size()
    assert ids(app, sent["name"]) == tok.encode_ids(TEXT)
    special = app.post("/encode", tokenizer=sent["name"], text="<|endoftext|>", special="all")
    assert special.json()["ids"] == [100257]


@pytest.mark.parametrize("packed", [False, True])
def test_a_pair(app: Served, data_dir: Path, packed: bool):
    vocab, merges = (
        (data_dir / "native" / "roberta-base" / f"{name}.gz").read_bytes()
        for name in ("vocab.json", "merges.txt")
    )
    if not packed:
        vocab, merges = gzip.decompress(vocab), gzip.decompress(merges)
    sent = send(app, vocab + merges, name="vocab.json", merges_bytes=len(merges)).json()
    tok = fretsaw.Tokenizer.from_file(data_dir / "tokenizers" / "roberta-base.json.gz")
    assert ids(app, sent["name"])[:3] == tok.encode_ids(TEXT, add_special_tokens=False)[:3]
    for name, content in (("vocab.json", vocab), ("merges.txt", merges)):
        assert failed(send(app, content, name=name)) == (422, "needs_pair", "?merges_bytes")


@pytest.mark.parametrize(
    ("query", "code", "where"),
    [
        ({"name": ""}, "wrong_value", "?name"),
        ({"name": "x" * 201}, "wrong_value", "?name"),
        ({"pattern": "x" * 10_001}, "too_long", "?pattern"),
        ({"special_tokens": "[]"}, "wrong_value", "?special_tokens"),
        ({"special_tokens": '{"a": -1}'}, "wrong_value", "?special_tokens"),
        ({"special_tokens": "[" * 3_000}, "wrong_value", "?special_tokens"),
        ({"merges_bytes": "-1"}, "wrong_value", "?merges_bytes"),
        ({"merges_bytes": "1000000"}, "wrong_value", "?merges_bytes"),
        ({"merges_bytes": "9"}, "not_a_tokenizer", ""),
        ({"pattern": "("}, "not_a_tokenizer", ""),
        ({"pattern": "a", "special_tokens": '{"": 5}'}, "not_a_tokenizer", ""),
    ],
)
def test_what_is_wrong_is_told(app: Served, query: dict[str, str], code: str, where: str):
    body = b"YQ== 0\nYg== 1\n" if "pattern" in query else SMALL.encode()
    assert failed(send(app, body, **{"name": "small", **query})) == (422, code, where)
