"""Components: older spellings, what is written, what is refused."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from typing import Any

import pytest
import tokenizers

from fretsaw import spec as s
from fretsaw.spec.document import component_from_json, component_to_json

WORDS = s.WordLevel({"<unk>": 0, "a": 1})
A, B = s.SequencePiece("A"), s.SequencePiece("B")

LEGACY: list[tuple[str, str, Any]] = [
    ("normalizer", '{"type":"NFC"}', s.NFC()),
    ("normalizer", '{"type":"Nmt"}', s.Nmt()),
    ("normalizer", '{"type":"ByteLevel"}', s.ByteLevel()),
    ("normalizer", '{"type":"Strip","strip_left":true,"strip_right":false}', s.Strip(True, False)),
    ("normalizer", '{"strip_left":true,"strip_right":false}', s.Strip(True, False)),
    ("normalizer", '{"prepend":"_"}', s.Prepend("_")),
    ("normalizer", '{"normalizers":[{"type":"NFC"}]}', s.Sequence([s.NFC()])),
    (
        "normalizer",
        '{"type":"Bert","clean_text":true,"handle_chinese_chars":false,"lowercase":true}',
        s.BertNormalizer(handle_chinese_chars=False),
    ),
    (
        "normalizer",
        '{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,'
        '"strip_accents":false,"lowercase":true}',
        s.BertNormalizer(strip_accents=False),
    ),
    (
        "normalizer",
        '{"type":"Replace","pattern":{"Regex":"a+"},"content":"b"}',
        s.Replace(s.Regex("a+"), "b"),
    ),
    (
        "normalizer",
        '{"type":"Precompiled","precompiled_charsmap":"AAAAAGE="}',
        s.Precompiled(b"\0\0\0\0a"),
    ),
    (
        "pre_tokenizer",
        '{"type":"ByteLevel","add_prefix_space":true,"trim_offsets":false}',
        s.ByteLevel(trim_offsets=False),
    ),
    ("pre_tokenizer", '{"type":"FixedLength"}', s.FixedLength()),
    ("pre_tokenizer", '{"type":"Punctuation"}', s.Punctuation()),
    ("pre_tokenizer", '{"type":"Metaspace","replacement":"▁"}', s.Metaspace()),
    (
        "pre_tokenizer",
        '{"type":"Metaspace","replacement":"▁","add_prefix_space":true,"str_rep":"▁"}',
        s.Metaspace(),
    ),
    (
        "pre_tokenizer",
        '{"type":"Metaspace","replacement":"_","add_prefix_space":false,'
        '"prepend_scheme":"never","split":null}',
        s.Metaspace("_", "never"),
    ),
    (
        "pre_tokenizer",
        '{"type":"Split","pattern":{"String":" "},"behavior":"MergedWithNext","invert":true}',
        s.Split(" ", "MergedWithNext", True),
    ),
    (
        "post_processor",
        '{"type":"BertProcessing","sep":["b",2],"cls":["a",1],"trim_offsets":true,'
        '"add_prefix_space":false}',
        s.RobertaProcessing(("b", 2), ("a", 1), True, False),
    ),
    ("post_processor", '{"sep":["b",2],"cls":["a",1]}', s.BertProcessing(("b", 2), ("a", 1))),
    (
        "post_processor",
        '{"type":"RobertaProcessing","sep":["b",2],"cls":["a",1]}',
        s.BertProcessing(("b", 2), ("a", 1)),
    ),
    (
        "post_processor",
        '{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"S","type_id":3}},'
        '{"Sequence":{"id":"A","type_id":0}}],"pair":[{"Sequence":{"id":"B","type_id":1}}],'
        '"special_tokens":{"S":{"id":"S","ids":[7,8],"tokens":["p","q"]}}}',
        s.TemplateProcessing(
            [s.SpecialTokenPiece("S", 3), A],
            [s.SequencePiece("B", 1)],
            [s.SpecialToken("S", (7, 8), ("p", "q"))],
        ),
    ),
    ("decoder", '{"suffix":"</w>"}', s.BPEDecoder()),
    ("decoder", '{"prefix":"##","cleanup":false}', s.WordPieceDecoder(cleanup=False)),
    ("decoder", '{"type":"Strip","content":" ","start":1,"stop":0}', s.StripDecoder(" ", 1)),
    ("decoder", '{"type":"Replace","pattern":{"String":"▁"},"content":" "}', s.Replace("▁", " ")),
    (
        "model",
        '{"vocab":{"a":0,"b":1,"ab":2},"merges":["#version: 0.2","a b"],"fuse_unk":null}',
        s.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]),
    ),
    (
        "model",
        '{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":[["a","b"]],"dropout":0.5}',
        s.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")], 0.5),
    ),
    (
        "model",
        '{"unk_token":"u","continuing_subword_prefix":"##","max_input_chars_per_word":9,'
        '"vocab":{"u":0}}',
        s.WordPiece({"u": 0}, "u", "##", 9),
    ),
    ("model", '{"unk_token":"u","vocab":{"u":0}}', s.WordLevel({"u": 0}, "u")),
    ("model", '{"unk_id":0,"vocab":[["u",0],["a",-1.5]]}', s.Unigram([("u", 0.0), ("a", -1.5)], 0)),
]


def with_component(role: str, text: str) -> str:
    parts = {"model": component_to_json(WORDS, "model"), role: text}
    return "{" + ",".join(f'"{name}":{part}' for name, part in parts.items()) + "}"


@pytest.mark.parametrize(("role", "text", "component"), LEGACY)
def test_older_spellings(role: str, text: str, component: Any) -> None:
    assert component_from_json(text, role) == component
    written = component_to_json(component, role)
    assert component_from_json(written, role) == component
    before = tokenizers.Tokenizer.from_str(with_component(role, text)).to_str()
    after = tokenizers.Tokenizer.from_str(with_component(role, written)).to_str()
    assert before == after
    # All fields are written, in the order and with the spelling of the reference, but for "Bert".
    theirs = json.loads(after)[role]
    assert json.loads(written) == theirs


def test_none() -> None:
    assert component_to_json(None, "decoder") == "null"
    assert component_from_json("null", "decoder") is None
    with pytest.raises(TypeError, match="BPE, WordPiece, WordLevel, Unigram"):
        component_to_json(None, "model")
    with pytest.raises(ValueError, match="found null"):
        component_from_json("null", "model")


def test_short_templates() -> None:
    made = s.TemplateProcessing(
        "[CLS]:3 $A [SEP]", "[CLS] $0 [SEP] $B:1 [SEP]:1", [("[SEP]", 2), (1, "[CLS]")]
    )
    theirs = tokenizers.processors.TemplateProcessing(
        "[CLS]:3 $A [SEP]", "[CLS] $0 [SEP] $B:1 [SEP]:1", [("[SEP]", 2), (1, "[CLS]")]
    )
    tok = tokenizers.Tokenizer(tokenizers.models.BPE())
    tok.post_processor = theirs
    assert (
        json.loads(component_to_json(made, "post_processor"))
        == (json.loads(tok.to_str())["post_processor"])
    )
    assert s.TemplateProcessing(["[CLS]:3", A, "[SEP]"], made.pair, made.special_tokens) == made


@pytest.mark.parametrize("piece", ["$A", "$a:2", "$", "$B", "$b:7", "$5", "$5:6", "x", "x:+1"])
def test_pieces(piece: str) -> None:
    theirs = tokenizers.processors.TemplateProcessing([piece], ["$A", "$B"], [("x", 1)])
    tok = tokenizers.Tokenizer(tokenizers.models.BPE())
    tok.post_processor = theirs
    ours = s.TemplateProcessing([piece], ["$A", "$B"], [("x", 1)])
    assert (
        json.loads(component_to_json(ours, "post_processor"))
        == (json.loads(tok.to_str())["post_processor"])
    )


@pytest.mark.parametrize("piece", ["$C", "$A:", "$A:b", "a:b:c", "$4294967296", "$A:4294967296"])
def test_no_pieces(piece: str) -> None:
    with pytest.raises(ValueError, match="no piece of a template"):
        s.TemplateProcessing([piece], ["$A", "$B"])
    with pytest.raises(ValueError, match="Cannot build Piece"):
        tokenizers.processors.TemplateProcessing([piece], ["$A", "$B"], [])


def test_added_tokens_get_ids() -> None:
    tokens = [
        s.AddedToken("x"),
        s.AddedToken("a"),
        s.AddedToken("y", special=True),
        s.AddedToken("x"),
    ]
    made = s.Spec(WORDS, added_tokens=tokens)
    tok = tokenizers.Tokenizer.from_str(made.to_json())
    ids = [row["id"] for row in json.loads(made.to_json())["added_tokens"]]
    assert ids == [tok.token_to_id(token.content) for token in tokens] == [2, 1, 3, 2]


def test_equality_hashes_and_copies() -> None:
    made = s.Sequence([s.NFC(), s.Replace(s.Regex("a"), "b")])
    assert hash(made) == hash(s.Sequence((s.NFC(), s.Replace(s.Regex("a"), "b"))))
    assert made != s.Sequence([s.NFC(), s.Replace("a", "b")])
    different: list[object] = [s.Strip(), s.ByteLevel()]
    assert different[0] != different[1]
    whole = s.Spec(WORDS, normalizer=made, added_tokens=[s.AddedToken("x")])
    for copied in (
        copy.deepcopy(whole),
        pickle.loads(pickle.dumps(whole)),
        eval(repr(whole), vars(s)),
    ):
        assert copied == whole


def test_names() -> None:
    assert len(s.__all__) == len(set(s.__all__))
    assert all(hasattr(s, name) for name in s.__all__)


def test_only_the_name_of_a_special_token_counts() -> None:
    text = (
        '{"type":"TemplateProcessing","single":[],"pair":[],'
        '"special_tokens":{"S":{"id":"other","ids":[7],"tokens":["p"]}}}'
    )
    made = component_from_json(text, "post_processor")
    assert isinstance(made, s.TemplateProcessing)
    assert made.special_tokens == (s.SpecialToken("S", (7,), ("p",)),)


def test_sampling_is_not_written() -> None:
    model = s.Unigram([("u", 0.0), ("a", -1.5)], 0, alpha=1, nbest_size=64)
    assert (model.alpha, type(model.alpha), model.nbest_size) == (1.0, float, 64)
    plain = dataclasses.replace(model, alpha=None, nbest_size=None)
    assert model != plain
    written = component_to_json(model, "model")
    assert written == component_to_json(plain, "model")
    assert component_from_json(written, "model") == plain
    assert s.Spec.from_json(s.Spec(model).to_json()).model == plain
    assert repr(model).endswith("byte_fallback=False, alpha=1.0, nbest_size=64)")
