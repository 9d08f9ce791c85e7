"""Random pipelines come back from JSON as they were, and both libraries read them."""

from __future__ import annotations

from typing import Any

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

import fretsaw
from fretsaw import spec as s
from fretsaw.spec._decimals import read_decimal, write_decimal
from fretsaw.spec.document import component_from_json, component_to_json

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
characters = st.characters(exclude_categories=["Cs"])
flags = st.booleans()
ids = st.integers(0, 2**32 - 1)
small = st.integers(0, 9)
patterns = st.one_of(texts, st.sampled_from(["a+", r"\s", "[0-9]", "x|y"]).map(s.Regex))
tokens = st.tuples(texts, ids)
byte_levels = st.builds(s.ByteLevel, flags, flags, flags)
metaspaces = st.builds(
    s.Metaspace, characters, st.sampled_from(["first", "never", "always"]), flags
)
replaces = st.builds(s.Replace, patterns, texts)
behaviors = st.sampled_from(
    ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
)
pieces = st.one_of(
    st.builds(s.SequencePiece, st.sampled_from("AB"), ids),
    st.builds(s.SpecialTokenPiece, texts, ids),
)
numbered = st.lists(st.tuples(texts, ids), max_size=2)
special_tokens = st.builds(
    lambda id, pairs: s.SpecialToken(id, tuple(i for _, i in pairs), tuple(t for t, _ in pairs)),
    texts,
    numbered,
)


def in_sequences(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        parts, lambda inner: st.builds(s.Sequence, st.lists(inner, max_size=3)), max_leaves=4
    )


COMPONENTS: dict[str, st.SearchStrategy[Any]] = {
    "normalizer": in_sequences(
        st.one_of(
            st.sampled_from(
                [s.NFC(), s.NFD(), s.NFKC(), s.NFKD(), s.Lowercase(), s.StripAccents()]
            ),
            st.sampled_from([s.Nmt(), s.ByteLevel()]),
            st.builds(s.Strip, flags, flags),
            replaces,
            st.builds(s.Prepend, texts),
            st.builds(s.BertNormalizer, flags, flags, st.one_of(st.none(), flags), flags),
            st.just(s.Precompiled(b"\0\4\0\0" + bytes(1024))),
        )
    ),
    "pre_tokenizer": in_sequences(
        st.one_of(
            st.sampled_from([s.BertPreTokenizer(), s.UnicodeScripts(), s.Whitespace()]),
            st.just(s.WhitespaceSplit()),
            byte_levels,
            metaspaces,
            st.builds(s.CharDelimiterSplit, characters),
            st.builds(s.Digits, flags),
            st.builds(s.FixedLength, st.integers(1, 9)),
            st.builds(s.Punctuation, behaviors),
            st.builds(s.Split, patterns, behaviors, flags),
        )
    ),
    "post_processor": in_sequences(
        st.one_of(
            st.builds(s.BertProcessing, tokens, tokens),
            st.builds(s.RobertaProcessing, tokens, tokens, flags, flags),
            byte_levels,
            st.builds(
                s.TemplateProcessing,
                st.lists(pieces, max_size=3),
                st.lists(pieces, max_size=3),
                st.lists(special_tokens, max_size=3),
            ),
        )
    ),
    "decoder": in_sequences(
        st.one_of(
            st.sampled_from([s.ByteFallback(), s.Fuse()]),
            st.builds(s.BPEDecoder, texts),
            byte_levels,
            metaspaces,
            replaces,
            st.builds(s.CTC, texts, texts, flags),
            st.builds(s.StripDecoder, characters, small, small),
            st.builds(s.WordPieceDecoder, texts, flags),
        )
    ),
}

added = st.builds(
    s.AddedToken,
    st.text("abcxyz<>", min_size=1, max_size=4),
    single_word=flags,
    lstrip=flags,
    rstrip=flags,
    normalized=flags,
    special=flags,
)
models = st.one_of(
    st.just(
        s.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")], 0.1, None, None, "</w>", True, True, True)
    ),
    st.just(s.WordPiece({"[UNK]": 0, "a": 1})),
    st.just(s.WordLevel({"<unk>": 0, "a": 1})),
    st.just(s.Unigram([("<unk>", 0.0), ("a", -2.345678912345678)], 0, False)),
)
truncations = st.builds(
    s.Truncation,
    st.integers(10, 99),
    small,
    st.sampled_from(["LongestFirst", "OnlyFirst", "OnlySecond"]),
    st.sampled_from(["Left", "Right"]),
)
paddings = st.builds(
    s.Padding,
    st.one_of(st.just("BatchLongest"), small),
    st.sampled_from(["Left", "Right"]),
    st.one_of(st.none(), small),
    ids,
    ids,
    texts,
)
specs = st.builds(
    s.Spec,
    models,
    *[st.one_of(st.none(), parts) for parts in COMPONENTS.values()],
    st.lists(added, max_size=3, unique_by=lambda token: token.content),
    st.one_of(st.none(), truncations),
    st.one_of(st.none(), paddings),
)


@pytest.mark.parametrize("role", COMPONENTS)
def test_components(role: str) -> None:
    @settings(max_examples=100, deadline=None)
    @given(COMPONENTS[role])
    def check(component: Any) -> None:
        read = component_from_json(component_to_json(component, role), role)
        assert read == component
        assert hash(read) == hash(component)

    check()


@settings(max_examples=150, deadline=None)
@given(specs)
def test_specs(spec: s.Spec) -> None:
    text = spec.to_json()
    read = s.Spec.from_json(text)
    assert read == s.Spec.from_json(read.to_json())
    for name in ("model", "truncation", "padding", *COMPONENTS):
        assert getattr(read, name) == getattr(spec, name)
    try:
        theirs = tokenizers.Tokenizer.from_str(text)
    except BaseException as error:  # a panic of Hugging Face's is no Exception
        assert type(error).__name__ == "PanicException"
        return
    rewritten = s.Spec.from_json(theirs.to_str())
    for name in ("model", "truncation", "padding", *COMPONENTS):
        if name != "model" or not isinstance(spec.model, s.BPE):
            assert getattr(rewritten, name) == getattr(spec, name)
    try:
        ours = fretsaw.Tokenizer.from_str(text).to_str()
    except fretsaw.UnsupportedError:
        return
    assert s.Spec.from_json(ours) == read


@given(st.floats(-100, 0))
def test_decimals(score: float) -> None:
    written = write_decimal(score)
    assert abs(read_decimal(written) - score) <= 1e-14
    model = s.Unigram([("a", read_decimal(written))])
    read = component_from_json(component_to_json(model, "model"), "model")
    assert read == model
    theirs = tokenizers.Tokenizer.from_str(s.Spec(model).to_json()).to_str()
    assert s.Spec.from_json(theirs).model == model or read_decimal(repr(score)) != score
