"""What `fretsaw.spec` refuses, and what it says then."""

from __future__ import annotations

from typing import Any

import pytest

import fretsaw
from fretsaw import spec as s
from fretsaw.spec.document import component_to_json

WORDS = s.WordLevel({"<unk>": 0, "a": 1})


def with_component(role: str, text: str) -> str:
    parts = {"model": component_to_json(WORDS, "model"), role: text}
    return "{" + ",".join(f'"{name}":{part}' for name, part in parts.items()) + "}"


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: s.Strip(1), TypeError, "Strip.strip_left: expected true or false, found 1"),  # type: ignore[arg-type]
        (lambda: s.Split("a", "isolated"), ValueError, 'Split.behavior: "isolated" is not one of'),  # type: ignore[arg-type]
        (lambda: s.Split(1, "Isolated"), TypeError, "Split.pattern: expected a string or a Regex"),  # type: ignore[arg-type]
        (lambda: s.CharDelimiterSplit("ab"), ValueError, "not a single character"),
        (lambda: s.Prepend("\ud800"), ValueError, "lone surrogate"),
        (lambda: s.Sequence([1]), TypeError, "Sequence.parts[0]: expected a component, found 1"),  # type: ignore[list-item]
        (lambda: s.Sequence(s.NFC()), TypeError, "Sequence.parts: expected a list"),  # type: ignore[arg-type]
        (lambda: s.BPE({"a": -1}, []), ValueError, "BPE.vocab.a: -1 is not"),
        (lambda: s.BPE({"a": True}, []), TypeError, "BPE.vocab.a: expected an integer"),
        (lambda: s.BPE({}, ["a b"]), TypeError, "BPE.merges[0]: expected a pair"),  # type: ignore[list-item]
        (lambda: s.BPE({}, [], 1.5), ValueError, "BPE.dropout: 1.5 is not a probability"),
        (lambda: s.Unigram([("a", float("nan"))]), ValueError, "Unigram.vocab[0]: NaN is not"),
        (lambda: s.Unigram([], alpha=-1), ValueError, "Unigram.alpha: -1.0 is not a finite number"),
        (lambda: s.Unigram([], alpha=float("inf")), ValueError, "Unigram.alpha: Infinity is not"),
        (lambda: s.Unigram([], alpha="1"), TypeError, 'Unigram.alpha: expected a number, found "1"'),  # type: ignore[arg-type]
        (lambda: s.Unigram([], nbest_size=-1), ValueError, "Unigram.nbest_size: -1 is not"),
        (lambda: s.Unigram([], nbest_size=1.0), TypeError, "Unigram.nbest_size: expected an integer"),  # type: ignore[arg-type]
        (lambda: s.Unigram([("a", 1)], 1), ValueError, "Unigram.unk_id: 1 is not the index"),
        (lambda: s.BertProcessing(("a", -1), ("b", 1)), ValueError, "BertProcessing.sep[1]: -1"),
        (lambda: s.TemplateProcessing("x $A"), ValueError, "'x' is no special token"),
        (lambda: s.TemplateProcessing(pair="$A"), ValueError, "must have both $A and $B"),
        (lambda: s.Padding("Longest"), ValueError, 'Padding.strategy: "Longest" is not'),  # type: ignore[arg-type]
        (lambda: s.Spec(s.NFC()), TypeError, "model: expected one of BPE, WordPiece"),  # type: ignore[arg-type]
        (lambda: s.Spec(WORDS, normalizer=s.Sequence([s.Fuse()])), TypeError,
         "normalizer.parts[0]: expected one of NFC, NFD"),
        (lambda: s.Spec(WORDS, normalizer=s.ByteLevel(False)), ValueError, "write ByteLevel()"),
        (lambda: s.Spec(WORDS, decoder=s.Strip()), TypeError, "StripDecoder"),  # type: ignore[arg-type]
        (lambda: s.Spec(WORDS, added_tokens=["a"]), TypeError, "added_tokens[0]: expected Added"),  # type: ignore[list-item]
        (lambda: s.AddedToken(1), TypeError, "AddedToken.content: expected a string"),  # type: ignore[arg-type]
        (lambda: s.Spec.from_json(b"{}"), TypeError, "expected a str"),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_wrong_arguments(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("role", "text", "message"),
    [
        ("normalizer", '{"type":"NFX"}', '"NFX" is not one of NFC, NFD'),
        ("normalizer", '{"type":"NFX"}', "(at `normalizer.type`)"),
        ("normalizer", '{"type":"NFC","more":1}', "'more' is no field of NFC (at `normalizer.more`)"),
        ("normalizer", '{"type":"Strip","strip_left":true}', "`strip_right` is missing (at `normalizer`)"),
        ("normalizer", '{"type":"Sequence","normalizers":[{"type":"NFC"},{"type":7}]}',
         "found 7 (at `normalizer.normalizers[1].type`)"),
        ("normalizer", '{"type":"Precompiled","precompiled_charsmap":"?"}', "in base64"),
        ("pre_tokenizer", "{}", "`type` is missing (at `pre_tokenizer`)"),
        ("pre_tokenizer", '{"type":"Digits","individual_digits":1}',
         "found 1 (at `pre_tokenizer.individual_digits`)"),
        ("pre_tokenizer", '{"type":"Metaspace","replacement":"▁","add_prefix_space":false}',
         'false is not possible unless `prepend_scheme` is "never"'),
        ("pre_tokenizer", '{"type":"Split","pattern":{"Glob":"*"},"behavior":"Removed","invert":true}',
         "(at `pre_tokenizer.pattern.Glob`)"),
        ("post_processor", '{"type":"BertProcessing","sep":["b",2.0],"cls":["a",1]}',
         "found 2.0 (at `post_processor.sep[1]`)"),
        ("post_processor",
         '{"type":"TemplateProcessing","single":[{"Sequence":{"id":"C","type_id":0}}],"pair":[],'
         '"special_tokens":{}}',
         '"C" is not one of A, B (at `post_processor.single[0].Sequence.id`)'),
        ("decoder", "[]", "(at `decoder`)"),
        ("model", '{"type":"BPE","vocab":{"a":0},"merges":["a"]}', "(at `model.merges[0]`)"),
        ("model", '{"type":"Unigram","vocab":[["a","b"]]}', 'found "b" (at `model.vocab[0]`)'),
        ("model", '{"type":"Unigram","vocab":[["a",1]],"unk_id":1}', "1 is not the index"),
        ("model", '{"type":"Unigram","vocab":[],"alpha":0.1}', "(at `model.alpha`)"),
        ("truncation", "{}", "`max_length` is missing (at `truncation`)"),
        ("padding", '{"strategy":{"Fixed":-1}}', "(at `padding.strategy.Fixed`)"),
        ("added_tokens", '[{"content":"a"}]', "(at `added_tokens[0]`)"),
        ("version", '"2.0"', "(at `version`)"),
        ("colour", "1", "'colour' is no field of this format (at `colour`)"),
    ],
)  # fmt: skip
def test_broken_files(role: str, text: str, message: str) -> None:
    with pytest.raises(fretsaw.SpecError) as caught:
        s.Spec.from_json(with_component(role, text))
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[NaN]", '{"model":"\\ud800"}', "[" * 100_000, "1e999"])
def test_broken_json(text: str) -> None:
    with pytest.raises(ValueError, match=r"\(at `\$`\)"):
        s.Spec.from_json(text)


def test_deep_nesting() -> None:
    deep = '{"type":"Sequence","decoders":[' * 900 + "]}" * 900
    with pytest.raises(ValueError, match="nested too deeply"):
        s.Spec.from_json(with_component("decoder", deep))
