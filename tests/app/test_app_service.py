"""The JSON service: its answers are the library's, its errors are data."""

import json
import signal
from pathlib import Path
from typing import Any

import httpx
import pytest
from app_served import Served, Start

import fretsaw

TEXTS = ["Hello world", "", "é 猫 👋🏽\r\n\t", "<|endoftext|>", "def f(x):\n    return x\n" * 50]


@pytest.mark.parametrize("name", ["gpt2", "o200k_base", "gpt2.json.gz", "models/small"])
def test_answers_are_those_of_the_library(service: Served, folder: Path, name: str):
    known = name in fretsaw.names()
    tok = fretsaw.get(name) if known else fretsaw.Tokenizer.from_file(folder / name)
    encodings = [tok.encode(text, special="none") for text in TEXTS]
    for text, encoding in zip(TEXTS, encodings, strict=True):
        want = {"ids": encoding.ids, "tokens": encoding.tokens, "count": len(encoding.ids)}
        assert service.post("/encode", tokenizer=name, text=text).json() == want
        found = service.post("/count", tokenizer=name, text=text).json()
        assert found == {"count": len(encoding.ids)}
        decoded = service.post("/decode", tokenizer=name, ids=encoding.ids).json()
        assert decoded == {"text": tok.decode(encoding.ids)}
    batch = service.post("/encode_batch", tokenizer=name, texts=TEXTS).json()
    assert batch["ids"] == [encoding.ids for encoding in encodings]
    assert batch["tokens"] == [encoding.tokens for encoding in encodings]
    assert batch["counts"] == list(map(len, batch["ids"]))


def test_control_tokens_match_only_when_asked_for(service: Served):
    text = "a<|endoftext|>"
    found = service.post("/encode", tokenizer="gpt2", text=text, special="all").json()
    assert found["ids"] == [64, 50256]
    assert 50256 not in service.post("/encode", tokenizer="gpt2", text=text).json()["ids"]
    refused = service.post("/encode", tokenizer="gpt2", text=text, special="error")
    assert refused.status_code == 422
    kept = {"tokenizer": "gpt2", "ids": [64, 50256]}
    assert service.post("/decode", **kept, skip_special_tokens=False).json()["text"] == text
    assert service.post("/decode", **kept).json()["text"] == "a"


def events(response: httpx.Response) -> list[tuple[str, Any]]:
    assert response.headers["content-type"].startswith("text/event-stream")
    blocks = [block.split("\n") for block in response.text.strip().split("\n\n")]
    return [
        (name.removeprefix("event: "), json.loads(data.removeprefix("data: ")))
        for name, data in blocks
    ]


def test_a_stream_gives_what_the_library_gives(service: Served):
    tok = fretsaw.get("gpt2")
    ids = tok.encode_ids("né 😀 the\nUser: end" * 200)
    stream = tok.stream(stop=["\nUser:"])
    want: list[tuple[str, Any]] = []
    for token_id in ids:
        text = stream.push(token_id)
        want.append(("token", {"id": token_id, "text": text, "held": stream.pending.hex()}))
        if stream.stopped is not None:
            break
    want.append(("done", {"text": stream.finish(), "stopped": stream.stopped}))
    assert events(service.post("/stream", tokenizer="gpt2", ids=ids, stop=["\nUser:"])) == want
    whole = events(service.post("/stream", tokenizer="gpt2", ids=ids))
    assert "".join(data["text"] for _, data in whole) == tok.decode(ids)
    assert len(whole) == len(ids) + 1


def test_an_error_within_a_stream_is_its_last_event(service: Served):
    ids = [*range(100), 4_000_000]
    found = events(service.post("/stream", tokenizer="o200k_base", ids=ids))
    assert [name for name, _ in found] == ["token"] * 100 + ["error"]
    assert "4000000" in found[-1][1]["error"]["message"]
    assert service.post("/stream", tokenizer="o200k_base", ids=[4_000_000]).status_code == 422


def test_what_can_be_looked_at(service: Served):
    listed = service.client.get("/tokenizers").json()["tokenizers"]
    names = {entry["name"]: entry["source"] for entry in listed}
    assert set(fretsaw.names()) <= {name for name, source in names.items() if source == "built-in"}
    files = {name for name, source in names.items() if source == "file"}
    small = {"models/small", "models/small/tokenizer.json"}
    assert files == {"gpt2.json.gz", "broken.json", *small}
    assert service.client.get("/health").json()["status"] == "ok"
    before = service.metric('fretsaw_tokens_total{endpoint="/count"}')
    service.post("/count", tokenizer="byte", text="12345")
    assert service.metric('fretsaw_tokens_total{endpoint="/count"}') == before + 5
    assert service.metric("fretsaw_in_flight") == 0


@pytest.mark.parametrize(
    ("body", "status", "code", "where"),
    [
        (b"{", 400, "not_json", ""),
        (b"", 400, "not_json", ""),
        (b'{"text": "\xff"}', 400, "not_utf8", ""),
        (b'{"ids": [NaN]}', 400, "not_json", ""),
        (b"[" * 100_000, 400, "not_json", ""),
        (b"1" * 100_000, 400, "not_json", ""),
        (b"[]", 422, "wrong_value", "$"),
        (b"{}", 422, "missing_field", "$.tokenizer"),
        (b'{"tokenizer": "gpt2", "text": 1}', 422, "wrong_value", "$.text"),
        (b'{"tokenizer": "gpt2", "text": "", "no": 1}', 422, "unknown_field", "$.no"),
        (b'{"tokenizer": "gpt2", "text": "", "special": "x"}', 422, "wrong_value", "$.special"),
        (b'{"tokenizer": "gpt2", "text": "", "special": []}', 422, "wrong_value", "$.special"),
        (b'{"tokenizer": "gpt2", "text": "\\ud800"}', 422, "not_possible", ""),
        (b'{"tokenizer": "gpt2\\ud800", "text": ""}', 404, "unknown_tokenizer", "$.tokenizer"),
        (b'{"tokenizer": "broken.json", "text": ""}', 422, "not_a_tokenizer", "$.tokenizer"),
    ],
)
def test_a_wrong_body_is_a_clear_error(
    service: Served, body: bytes, status: int, code: str, where: str
):
    headers = {"content-type": "application/json"}
    response = service.client.post("/encode", content=body, headers=headers)
    error = response.json()["error"]
    assert (response.status_code, error["code"], error["where"]) == (status, code, where)
    assert error["message"]
    assert str(Path(fretsaw.__file__).parent) not in response.text


@pytest.mark.parametrize(
    "name",
    [
        "../outside",
        "models/../../outside/secret.json",
        "link.json",
        "link/secret.json",
        "loop",
        "/etc/passwd",
        "models\\small",
        "",
        ".",
        "a\0b",
        "x" * 400,
        "models//..//..//etc",
    ],
)
def test_no_name_leads_out_of_the_folder(service: Served, name: str):
    response = service.post("/count", tokenizer=name, text="a")
    assert (response.status_code, response.json()["error"]["code"]) == (404, "unknown_tokenizer")


def test_a_file_that_changed_is_loaded_again(service: Served, folder: Path):
    path = folder / "changes.json"
    small = (folder / "models" / "small" / "tokenizer.json").read_text()
    path.write_text(small)
    assert service.post("/count", tokenizer="changes.json", text="ab").json() == {"count": 1}
    path.write_text(small.replace('"merges": ["a b"]', '"merges": []'))
    assert service.post("/count", tokenizer="changes.json", text="ab").json() == {"count": 2}
    path.unlink()
    assert service.post("/count", tokenizer="changes.json", text="ab").status_code == 404


def test_other_sites_and_other_names_are_refused(service: Served):
    for headers in (
        {"host": "evil.example"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
    ):
        response = service.client.get("/health", headers=headers)
        assert response.status_code == 403
        assert not [name for name in response.headers if name.startswith("access-control")]
    own = service.client.get("/health", headers={"origin": service.address})
    assert own.status_code == 200
    assert "default-src 'self'" in own.headers["content-security-policy"]
    plain = service.client.post("/count", content=b"{}", headers={"content-type": "text/plain"})
    assert plain.status_code == 415


def test_unknown_paths_and_methods(service: Served):
    assert service.client.get("/no").json()["error"]["code"] == "no_such_path"
    response = service.client.put("/encode")
    assert (response.status_code, response.headers["allow"]) == (405, "POST")
    assert service.client.get("/files").status_code == 404
    assert service.client.get("/").status_code == 404


def test_the_service_ends_in_order(start: Start):
    served = start("serve")
    assert served.post("/count", tokenizer="byte", text="abc").json() == {"count": 3}
    assert served.stop() == ""
    assert served.process.returncode in (0, -signal.SIGTERM)
