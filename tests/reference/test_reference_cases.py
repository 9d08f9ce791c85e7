"""The shared cases that the reference's subset reads: the lines that Rust and the Python API read."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fretsaw.reference import StreamDecoder, Tokenizer
from fretsaw.reference.decode import ByteLevelDecoder

FOLDER = Path(__file__).parent.parent
GROUPS = ("byte-level encode", "pipeline encode", "added tokens", "special-token safety", "decode",
          "offsets", "streaming")  # fmt: skip
OPTIONS = {"skip_special_tokens", "add_special_tokens", "encode_special_tokens"}
LEAST_CASES = 44


@cache
def gpt2() -> Tokenizer:
    """GPT-2 from the fixture."""
    return Tokenizer.from_str(
        gzip.decompress((FOLDER / "fixtures/gpt2.json.gz").read_bytes()).decode()
    )


def loaded(case: dict[str, Any]) -> Tokenizer | None:
    """The tokenizer of a case, if the reference follows it."""
    if case["tokenizer"] == "gpt2":
        return gpt2()
    if not isinstance(case["tokenizer"], dict):
        return None
    try:
        return Tokenizer.from_str(json.dumps(case["tokenizer"]))
    except ValueError:
        return None


def cases() -> list[dict[str, Any]]:
    """The lines whose tokenizer loads, and whose options it has."""
    lines = []
    for group in GROUPS:
        path = FOLDER / "cases" / f"{group.replace(' ', '_')}.jsonl"
        lines += [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]
    readable = [
        line
        for line in lines
        if set(line.get("options") or {}) <= OPTIONS
        and line["kind"] in ("encode", "offsets", "special", "decode", "stream")
        and isinstance(line["input"], str | list)
    ]
    return [line for line in readable if follows(line, loaded(line))]


def follows(case: dict[str, Any], tokenizer: Tokenizer | None) -> bool:
    """Whether the reference does what a case asks for: streams are for byte-level decoders only."""
    if tokenizer is None:
        return False
    return case["kind"] != "stream" or tokenizer.spec.decoder == [ByteLevelDecoder()]


CASES = cases()


def outcomes(case: dict[str, Any]) -> list[Any]:
    """The right outcomes."""
    found = list(case["expected"].get("any_of", [case["expected"]]))
    return [*found, case["hf_actual"]] if case.get("hf_actual") else found


def test_there_are_enough() -> None:
    assert len(CASES) >= LEAST_CASES
    kinds = {"encode", "offsets", "special", "decode", "stream"}
    assert {case["kind"] for case in CASES} == kinds


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in CASES])
def test_case(case: dict[str, Any]) -> None:
    tokenizer = loaded(case)
    assert tokenizer is not None
    options = {
        name: value
        for name, value in (case.get("options") or {}).items()
        if name == "skip_special_tokens"
    }
    if case["kind"] == "decode":
        assert {"text": tokenizer.decode(case["input"], **options)} in outcomes(case)
    elif case["kind"] == "stream":
        stream = StreamDecoder(tokenizer, **options)
        text = "".join(map(stream.push, case["input"])) + stream.finish()
        assert text == case["expected"]["text"]
    else:
        # `encode_special_tokens` of Hugging Face: special tokens in the text are plain text.
        plain = (case.get("options") or {}).get("encode_special_tokens", False)
        others = {token.content for token in tokenizer.added.by_id.values() if not token.special}
        ids = tokenizer.encode(
            case["input"],
            special=others if plain else "all",
            add_special_tokens=(case.get("options") or {}).get("add_special_tokens", True),
        )
        wanted = [outcome for outcome in outcomes(case) if isinstance(outcome, dict)]
        assert any(
            ids == outcome["ids"] if "ids" in outcome else len(ids) == outcome.get("n_tokens")
            for outcome in wanted
        )
