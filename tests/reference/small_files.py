"""Random small tokenizer.json files, random texts for them, and what three libraries make of both."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import tokenizers
from hypothesis import assume
from hypothesis import strategies as st

import fretsaw
from fretsaw.reference import Tokenizer

Json = dict[str, Any]

LETTERS = "abé▁"
CHARS = "aabb é▁A\t\u3000猫😀İ"
TEXTS = st.one_of(
    st.text(alphabet=CHARS, max_size=14),
    st.lists(
        st.sampled_from(["a", "b", "ab", " ", "  ", "▁", "<s>", "ab cd", "é", "12"]), max_size=8
    ).map("".join),
    st.text(max_size=8),
)
TOKENS = st.text(alphabet=LETTERS, min_size=1, max_size=4)
BYTE_TOKENS = [f"<0x{byte:02X}>" for byte in range(256)]


def numbered(tokens: list[str]) -> dict[str, int]:
    """A vocabulary with ids in the order of first occurrence."""
    return {token: place for place, token in enumerate(dict.fromkeys(tokens))}


@st.composite
def unigrams(draw: st.DrawFn) -> Json:
    """A Unigram model; few different scores, so that there are ties."""
    scores = st.sampled_from([0.0, -1, -1.0, -2.0, -0.1, -0.2, -0.3, -3.3, -25.0, 1.5])
    tokens = draw(st.lists(TOKENS, min_size=1, max_size=14, unique=True))
    bytes_known = draw(st.booleans())
    vocab = [[token, draw(scores)] for token in ["<unk>", *tokens]]
    if bytes_known:
        vocab += [[token, -7.0] for token in BYTE_TOKENS]
    unk_id = draw(st.one_of(st.just(0), st.none(), st.integers(0, len(tokens))))
    return {
        "type": "Unigram",
        "unk_id": unk_id,
        "vocab": vocab,
        "byte_fallback": draw(st.booleans()),
    }


@st.composite
def word_pieces(draw: st.DrawFn) -> Json:
    """A WordPiece model; now and then without its unknown token."""
    prefix = draw(st.sampled_from(["##", "a", "", "▁"]))
    tokens = draw(st.lists(TOKENS, min_size=1, max_size=14))
    tokens += [prefix + token for token in draw(st.lists(TOKENS, max_size=8))]
    unknown = draw(st.sampled_from([["[UNK]"], ["[UNK]"], []]))
    return {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": prefix,
        "max_input_chars_per_word": draw(st.sampled_from([100, 4, 0])),
        "vocab": numbered([*tokens, *unknown]),
    }


@st.composite
def word_levels(draw: st.DrawFn) -> Json:
    """A WordLevel model."""
    words = draw(st.lists(TOKENS, min_size=1, max_size=8))
    return {"type": "WordLevel", "unk_token": "a", "vocab": numbered(words)}


@st.composite
def character_bpes(draw: st.DrawFn) -> Json:
    """A BPE model over characters with every option."""
    prefix = draw(st.sampled_from([None, None, "#", "##"]))
    suffix = draw(st.sampled_from([None, None, "</w>"]))
    known = draw(st.lists(st.sampled_from("abé▁ A"), min_size=1, unique=True))
    tokens = [
        before + char + behind
        for char in known
        for before in {"", prefix or ""}
        for behind in {"", suffix or ""}
        if draw(st.integers(0, 5))
    ] or ["a"]
    merges = []
    for _ in range(draw(st.integers(0, 8))):
        left = draw(st.sampled_from(tokens))
        rights = [token for token in tokens if token.startswith(prefix or "")]
        if rights:
            right = draw(st.sampled_from(rights))
            merges.append([left, right])
            tokens.append(left + right.removeprefix(prefix or ""))
    extra = draw(
        st.sampled_from([[], ["<unk>"], ["<unk>", *BYTE_TOKENS], ["<0x61>", "<0xC3>", "<0xA9>"]])
    )
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": draw(st.sampled_from(["<unk>", "<unk>", None])),
        "continuing_subword_prefix": prefix,
        "end_of_word_suffix": suffix,
        "fuse_unk": draw(st.booleans()),
        "byte_fallback": draw(st.booleans()),
        "ignore_merges": draw(st.booleans()),
        "vocab": numbered([*tokens, *extra]),
        "merges": draw(st.permutations(merges)),
    }


MODELS = st.one_of(unigrams(), word_pieces(), word_levels(), character_bpes())

METASPACES = st.builds(
    lambda mark, scheme, split: {
        "type": "Metaspace", "replacement": mark, "prepend_scheme": scheme, "split": split
    },
    st.sampled_from(["▁", "▁", "a"]),
    st.sampled_from(["first", "never", "always"]),
    st.booleans(),
)  # fmt: skip

STEPS = {
    "normalizers": st.one_of(
        st.just({"type": "Lowercase"}),
        st.builds(lambda text: {"type": "Prepend", "prepend": text}, st.sampled_from(["▁", "ab", " "])),
        st.builds(
            lambda old, new: {"type": "Replace", "pattern": {"String": old}, "content": new},
            st.sampled_from([" ", "a", "aa", "▁", "é."]),
            st.sampled_from(["▁", "", "b a", "é"]),
        ),
        st.builds(
            lambda left, right: {"type": "Strip", "strip_left": left, "strip_right": right},
            st.booleans(),
            st.booleans(),
        ),
    ),
    "pretokenizers": st.one_of(
        METASPACES,
        st.just({"type": "WhitespaceSplit"}),
        st.builds(lambda each: {"type": "Digits", "individual_digits": each}, st.booleans()),
    ),
    "decoders": st.one_of(
        METASPACES,
        st.just({"type": "Fuse"}),
        st.just({"type": "ByteFallback"}),
        st.just(
            {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
        ),
        st.builds(
            lambda prefix, cleanup: {"type": "WordPiece", "prefix": prefix, "cleanup": cleanup},
            st.sampled_from(["##", "a", ""]),
            st.booleans(),
        ),
        st.builds(
            lambda suffix: {"type": "BPEDecoder", "suffix": suffix},
            st.sampled_from(["</w>", "b", ""]),
        ),
        st.builds(
            lambda char, start: {"type": "Strip", "content": char, "start": start, "stop": 0},
            st.sampled_from([" ", "a"]),
            st.integers(0, 2),
        ),
        st.builds(
            lambda old, new: {"type": "Replace", "pattern": {"String": old}, "content": new},
            st.sampled_from(["▁", "ab", "."]),
            st.sampled_from([" ", "", "aa"]),
        ),
    ),
}  # fmt: skip


def stages(parts: str) -> st.SearchStrategy[Json | None]:
    """No stage, one, or a sequence."""
    return st.one_of(
        st.none(),
        STEPS[parts],
        st.lists(STEPS[parts], max_size=3).map(lambda steps: {"type": "Sequence", parts: steps}),
    )


def templates() -> st.SearchStrategy[Json | None]:
    """None, or special tokens around the text, which is there at least once.

    (Without it, fretsaw does not encode the text and so does not find what is wrong with it.)
    """
    text: Json = {"Sequence": {"id": "A", "type_id": 0}}
    special: Json = {"SpecialToken": {"id": "<s>", "type_id": 0}}
    return st.one_of(
        st.none(),
        st.lists(st.sampled_from([text, special]), max_size=3)
        .filter(lambda single: text in single)
        .map(
            lambda single: {
                "type": "TemplateProcessing",
                "single": single,
                "pair": [text, {"Sequence": {"id": "B", "type_id": 1}}],
                "special_tokens": {"<s>": {"id": "<s>", "ids": [1, 2], "tokens": ["<s>", "</s>"]}},
            }
        ),
    )


@st.composite
def added_tokens(draw: st.DrawFn) -> list[Json]:
    """Up to three added tokens."""
    contents = draw(
        st.lists(st.sampled_from(["<s>", "ab", "A", "b a", "é"]), max_size=3, unique=True)
    )
    flags = ("single_word", "lstrip", "rstrip", "normalized", "special")
    return [
        {"id": 0, "content": content, **{flag: draw(st.booleans()) for flag in flags}}
        for content in contents
    ]


def file_of(model: Json, **stages: Any) -> str:
    """A tokenizer.json."""
    empty = ("normalizer", "pre_tokenizer", "post_processor", "decoder", "truncation", "padding")
    data = {"version": "1.0", "added_tokens": [], **dict.fromkeys(empty), "model": model}
    return json.dumps({**data, **stages})


def outcome(call: Callable[[], Any]) -> Any:
    """What a call returns; "error" if it raises or, in Rust, panics."""
    try:
        return call()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:
        return "error"


class Three:
    """One file in the reference, in Hugging Face tokenizers and in fretsaw."""

    def __init__(self, file: str) -> None:
        ours = outcome(lambda: Tokenizer.from_str(file))
        oracle = outcome(lambda: tokenizers.Tokenizer.from_str(file))
        core = outcome(lambda: fretsaw.Tokenizer.from_str(file))
        if ours == "error":
            assume(False)
        assert oracle != "error", "the reference reads what Hugging Face refuses"
        assert core != "error", "the reference reads what fretsaw refuses"
        self.ours: Tokenizer = ours
        self.oracle: tokenizers.Tokenizer = oracle
        self.core: fretsaw.Tokenizer = core

    def encode(self, text: str, special: bool = True) -> Any:
        """The ids of a text, the same for all three."""
        ids = outcome(lambda: self.ours.encode(text, add_special_tokens=special))
        assert ids == outcome(lambda: self.oracle.encode(text, add_special_tokens=special).ids)
        assert ids == outcome(lambda: self.core.encode(text, add_special_tokens=special).ids)
        return ids

    def decode(self, ids: list[int], skip: bool) -> str:
        """The text of ids, the same for all three."""
        text = outcome(lambda: self.ours.decode(ids, skip))
        assert text == outcome(lambda: self.oracle.decode(ids, skip_special_tokens=skip))
        assert text == outcome(lambda: self.core.decode(ids, skip_special_tokens=skip))
        return str(text)
