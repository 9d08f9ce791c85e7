"""The shared cases about SentencePiece models; those that name a model need the data folder."""

from __future__ import annotations

import pytest
from case_files import Case, read_group
from sentencepiece_both import Both
from sentencepiece_texts import model_file
from sentencepiece_trained import TYPES, trained
from sentencepiece_wire import Model, Piece

import fretsaw

CASES = read_group("sentencepiece")
FILES = [case for case in read_group("files") if case.options.get("format") == "sentencepiece"]


def of_kind(kind: str) -> list[object]:
    return [pytest.param(case, id=case.id) for case in CASES if case.kind == kind]


@pytest.mark.parametrize("case", [*of_kind("encode"), *of_kind("roundtrip")])
def test_texts(case: Case) -> None:
    tok = fretsaw.Tokenizer.from_str(model_file(case.tokenizer.removeprefix("sp:")))
    encoding = tok.encode(case.input)
    found = {
        "ids": encoding.ids,
        "tokens": encoding.tokens,
        "text": tok.decode(encoding.ids),
    }
    assert {name: found[name] for name in case.expected} == case.expected


@pytest.mark.parametrize("case", [pytest.param(case, id=case.id) for case in FILES])
def test_cut_files(case: Case) -> None:
    assert case.expected == {"error": True}
    content = model_file(case.input["model"])
    with pytest.raises(fretsaw.SpecError):
        fretsaw.Tokenizer.from_str(content[: case.input["truncate_to"]])


@pytest.mark.parametrize("case", of_kind("load_ok"))
@pytest.mark.parametrize("model_type", TYPES)
@pytest.mark.parametrize("name", ["plain", "bytes"])
def test_a_null_piece(case: Case, model_type: str, name: str) -> None:
    assert case.expected == {"loads_or_clear_error": True}
    model = Model.read(trained(model_type, name))
    model.pieces.append(Piece("\0", 0.0))
    if name == "plain":
        with pytest.raises(fretsaw.SpecError, match="null character"):
            fretsaw.Tokenizer.from_str(model.content())
    else:
        Both(model.content()).same("a\0b")


def test_every_case_is_run() -> None:
    assert {case.kind for case in CASES} == {"encode", "roundtrip", "load_ok"}
    assert [case.id for case in FILES] == ["L27"]
