"""The steps that are shown (fretsaw.reference) end in the ids of the fast library."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fretsaw
from fretsaw.app import explain, languages

WORDS = [
    "tokenization",
    " antidisestablishmentarianism",
    "naïve",
    "猫の手",
    "👩‍👩‍👧",
    "  \n\t x",
    "",
    "a1234",
]
BUILT_IN = ["gpt2", "r50k_base", "byte"]
LARGE = {"gemma1.json.gz": "bpe", "llama3.1.json.gz": "bpe", "qwen3.json.gz": "bpe"}
FILES = {
    "llama2.json.gz": "bpe",
    "clip-vit.json.gz": "bpe",
    "t5-small.json.gz": "unigram",
    "xlnet-base-cased.json.gz": "unigram",
    "albert-v5save.json.gz": "unigram",
    "bert-base-cased.json.gz": "wordpiece",
    "bert-base-chinese.json.gz": "wordpiece",
    **(LARGE if os.environ.get("FRETSAW_PROVE") else {}),
}


def check(tok: fretsaw.Tokenizer, text: str, kind: str) -> None:
    found = explain(tok, text)
    assert found["agrees"], (text, found)
    assert found["kind"] == kind
    assert found["ids"] == tok.encode_ids(text, add_special_tokens=False, special="none")
    for piece in found["pieces"]:
        match kind:
            case "bpe":
                assert piece["rungs"][-1]["ids"] == piece["ids"]
            case "unigram":
                best = [arc for arc in piece["arcs"] if arc[4]]
                joined = "".join(piece["piece"][start:end] for start, end, *_ in best)
                assert joined == piece["piece"]
            case "wordpiece":
                matched = [match["id"] for match in piece["matches"]]
                assert matched == piece["ids"] or None in matched


@pytest.mark.parametrize("name", BUILT_IN)
def test_ladders_of_built_in_vocabularies(name: str):
    for word in [*WORDS, "<|endoftext|>", *(one.text[:60] for one in languages())]:
        check(fretsaw.get(name), word, "bpe")


@pytest.mark.parametrize("file", FILES)
def test_steps_of_files(data_dir: Path, file: str):
    tok = fretsaw.Tokenizer.from_file(data_dir / "tokenizers" / file)
    for word in [*WORDS, "</s>", *(one.text[:60] for one in languages())]:
        check(tok, word, FILES[file])


@pytest.mark.parametrize("file", ["t5-v1_1.spiece", "test_ja_model", "chatglm-6b.ice_text"])
def test_lattices_of_sentencepiece_models(data_dir: Path, file: str):
    path = data_dir / "native" / "sentencepiece" / f"{file}.model.gz"
    tok = fretsaw.Tokenizer.from_file(path)
    for word in [*WORDS, "</s>", *(one.text[:60] for one in languages())]:
        check(tok, word, "unigram")


def test_steps_that_can_not_be_followed_are_not_shown(data_dir: Path):
    path = data_dir / "native" / "sentencepiece" / "en.wiki.bpe.vs100000.model.gz"
    tok = fretsaw.Tokenizer.from_file(path)
    found = explain(tok, "tokens")
    assert (found["kind"], found["agrees"]) == ("unknown", False)
    assert found["ids"] == tok.encode_ids("tokens", add_special_tokens=False)


@given(st.text(max_size=40))
@settings(max_examples=60)
def test_the_ladder_of_any_text(text: str):
    check(fretsaw.get("gpt2"), text, "bpe")


def test_a_model_of_words():
    model = fretsaw.spec.WordLevel({"<unk>": 0, "Hello": 1})
    spec = fretsaw.spec.Spec(model, pre_tokenizer=fretsaw.spec.WhitespaceSplit())
    tok = fretsaw.Tokenizer.from_str(spec.to_json())
    found = explain(tok, "Hello you")
    assert (found["kind"], found["agrees"]) == ("wordlevel", True)
    assert [piece["ids"] for piece in found["pieces"]] == [[1], [0]]


def test_the_declaration_is_there_in_30_languages():
    names = [one.name for one in languages()]
    assert len(names) == 30
    assert names == sorted(names)
    for one in languages():
        assert 2_000 < len(one.text) < 17_000
        assert one.text == one.text.strip()
    packed = Path(fretsaw.app.__file__).parent / "declaration" / "texts.json.xz"
    assert packed.stat().st_size < 300_000
