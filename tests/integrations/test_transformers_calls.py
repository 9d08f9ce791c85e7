"""Calls of a tokenizer: every field is the same with the patch and without it."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from transformers_folders import CONFIGS

Same = Callable[[str, Callable[[Any], Any]], Any]

NAMES = sorted(CONFIGS)
TEXTS = [
    "Hello world! It's 2026.",
    "",
    "  Größe, naïve e\u0301 日本語 \n\ttabs  ",
    "👋🏽 <s>a</s> [CLS] [MASK]<|endoftext|><|im_end|> <extra_id_0> end",
    "one two three four five six seven eight nine ten",
]
WORDS = [["Hello", "world", "!"], ["naïve", "日本", "a</s>"], ["x"]]

CALLS: dict[str, dict[str, Any]] = {
    "plain": {},
    "without special tokens": {"add_special_tokens": False},
    "special tokens as text": {"split_special_tokens": True},
    "all fields": {
        "return_offsets_mapping": True,
        "return_special_tokens_mask": True,
        "return_token_type_ids": True,
        "return_length": True,
    },
    "ids alone": {"return_attention_mask": False, "return_token_type_ids": False},
    "padded": {"padding": True},
    "padded on the left": {"padding": True, "padding_side": "left"},
    "padded to a multiple": {"padding": True, "pad_to_multiple_of": 8},
    "padded to a length": {"padding": "max_length", "max_length": 20},
    "cut": {"truncation": True, "max_length": 6},
    "cut, padded, as arrays": {
        "truncation": True,
        "max_length": 8,
        "padding": "max_length",
        "return_tensors": "np",
    },
    "cut by max_length alone": {"max_length": 5},
    "overflow": {
        "truncation": True,
        "max_length": 12,
        "stride": 2,
        "return_overflowing_tokens": True,
        "return_offsets_mapping": True,
    },
    "overflow, padded": {
        "truncation": True,
        "max_length": 10,
        "padding": "max_length",
        "return_overflowing_tokens": True,
        "return_tensors": "np",
    },
    "too much stride": {"truncation": True, "max_length": 4, "stride": 9},
    "an unknown strategy": {"truncation": "some"},
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("call", CALLS)
def test_texts(name: str, call: str, same: Same):
    options = CALLS[call]
    for text in TEXTS[:3]:
        same(name, lambda tokenizer, text=text: tokenizer(text, **options))
    same(name, lambda tokenizer: tokenizer(TEXTS, **options))


def test_a_tuple_of_texts(same: Same):
    for name in ("bert", "gpt2"):
        same(name, lambda tokenizer: tokenizer(tuple(TEXTS[:2]), padding=True))


@pytest.mark.parametrize("name", ["bert", "roberta", "llama2"])
@pytest.mark.parametrize("call", CALLS)
def test_pairs(name: str, call: str, same: Same):
    options = CALLS[call]
    others = [*TEXTS[1:], TEXTS[0]]
    same(name, lambda tokenizer: tokenizer(TEXTS[0], TEXTS[2], **options))
    same(name, lambda tokenizer: tokenizer(TEXTS[0], "", **options))
    same(name, lambda tokenizer: tokenizer(TEXTS, others, **options))
    same(name, lambda tokenizer: tokenizer(list(zip(TEXTS, others, strict=True)), **options))


@pytest.mark.parametrize("name", ["bert", "llama2", "clip"])
@pytest.mark.parametrize("call", CALLS)
def test_words(name: str, call: str, same: Same):
    options = CALLS[call] | {"is_split_into_words": True}
    same(name, lambda tokenizer: tokenizer(WORDS[0], **options))
    same(name, lambda tokenizer: tokenizer(WORDS, **options))
    same(name, lambda tokenizer: tokenizer(WORDS[0], WORDS[1], **options))
    same(name, lambda tokenizer: tokenizer(WORDS, [WORDS[1], WORDS[2], WORDS[0]], **options))


@pytest.mark.parametrize("name", ["bert", "roberta", "llama2"])
@pytest.mark.parametrize("strategy", ["longest_first", "only_first", "only_second"])
@pytest.mark.parametrize("side", ["left", "right"])
def test_sides_of_truncation(name: str, strategy: str, side: str, same: Same):
    def act(tokenizer: Any) -> Any:
        before, tokenizer.truncation_side = tokenizer.truncation_side, side
        options = {"truncation": strategy, "return_overflowing_tokens": True}
        try:
            return [
                tokenizer(TEXTS[4], TEXTS[0], max_length=length, **options)
                for length in (9, 12, 16)
            ]
        finally:
            tokenizer.truncation_side = before

    same(name, act)


@pytest.mark.parametrize("name", NAMES)
def test_places(name: str, same: Same):
    def act(tokenizer: Any) -> Any:
        found = tokenizer(TEXTS[:3], [TEXTS[4], "a", "b c"])
        tokens = [found.tokens(at) for at in range(3)]
        chars = [found.char_to_token(0, at, sequence) for at in range(12) for sequence in (0, 1)]
        words = [found.char_to_word(2, at) for at in range(9)]
        spans = [found.token_to_chars(0, at) for at in range(len(tokens[0]))]
        back = [found.word_to_tokens(0, at) for at in range(3)]
        of_words = [found.word_to_chars(0, at) for at in range(3)]
        sequences = [found.token_to_sequence(1, at) for at in range(len(tokens[1]))]
        ids = [found.word_ids(2), found.sequence_ids(2)]
        return [tokens, chars, words, spans, back, of_words, sequences, ids, found[1], found[0:2]]

    same(name, act)


@pytest.mark.parametrize("name", ["bert", "bert-file"])
def test_what_is_no_text(name: str, same: Same):
    for wrong in (None, 3, [1, 2], [], [["a"], "b"], ["a", None], "\ud800", ["a", "\ud800"], b"a"):
        same(name, lambda tokenizer, wrong=wrong: tokenizer(wrong))
    same(name, lambda tokenizer: tokenizer(["a", "b"], ["c"]))
    same(name, lambda tokenizer: tokenizer(["a"], "b"))
    same(name, lambda tokenizer: tokenizer("a", ["b"]))
    same(name, lambda tokenizer: tokenizer(text_target="a b"))
    same(name, lambda tokenizer: tokenizer("a", text_target=["a b"]))


@pytest.mark.parametrize("name", NAMES)
def test_decoding(name: str, same: Same):
    def decoded(tokenizer: Any, text: str, clean: bool | None) -> Any:
        ids = tokenizer(text)["input_ids"]
        options = {"clean_up_tokenization_spaces": clean}
        return [
            tokenizer.decode(ids, **options),
            tokenizer.decode(ids, skip_special_tokens=True, **options),
            tokenizer.convert_tokens_to_string(tokenizer.convert_ids_to_tokens(ids)),
            tokenizer.tokenize(text),
            tokenizer.encode(text, add_special_tokens=False),
        ]

    for case in itertools.product(TEXTS, (None, True)):
        same(name, lambda tokenizer, case=case: decoded(tokenizer, *case))
    same(name, lambda tokenizer: tokenizer.batch_decode(tokenizer(TEXTS)["input_ids"]))
    same(name, lambda tokenizer: tokenizer.decode(tokenizer(TEXTS)["input_ids"]))
    same(name, lambda tokenizer: [tokenizer.decode(5), tokenizer.decode([]), tokenizer.decode([7])])


@pytest.mark.parametrize("name", ["bert"])
def test_decoding_what_is_no_id(name: str, same: Same):
    for wrong in (-1, [-1], ["a"], [10**9], [2**40], None):
        same(name, lambda tokenizer, wrong=wrong: tokenizer.decode(wrong))
