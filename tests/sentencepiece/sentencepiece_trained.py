"""Small SentencePiece models, trained by sentencepiece itself, one for each option that a model has."""

from __future__ import annotations

import functools
import io
from typing import Any, Final

import sentencepiece

SENTENCES: Final = [
    "the king in yellow said that the world is small and the road is long",
    "The quick brown fox jumps over the lazy dog, again and again and again.",
    "naïve café – “quotes” … 世界 漢字 かな カナ 한국어",
    "don't stop: 1, 12, 123, 1234 and 3.14 (twice) <b>x</b>",
    "aaaa aaab abab baba bbbb  abba   a b a b",
    "tokenization of tokens by a tokenizer is tokenizing the token",
    "e\u0301 ﬁne ①②③ ㈱ ｆｕｌｌ ｗｉｄｔｈ",
] * 8

BASE: Final[dict[str, Any]] = {
    "vocab_size": 150,
    "hard_vocab_limit": False,
    "character_coverage": 0.995,
    "num_threads": 1,
    "minloglevel": 2,
}

OPTIONS: Final[dict[str, dict[str, Any]]] = {
    "plain": {},
    "identity": {"normalization_rule_name": "identity"},
    "nfkc_cf": {"normalization_rule_name": "nmt_nfkc_cf"},
    "no prefix": {"add_dummy_prefix": False},
    "keeps spaces": {"remove_extra_whitespaces": False},
    "no prefix, keeps spaces": {"add_dummy_prefix": False, "remove_extra_whitespaces": False},
    "suffix": {"treat_whitespace_as_suffix": True},
    "suffix, keeps spaces": {
        "treat_whitespace_as_suffix": True,
        "remove_extra_whitespaces": False,
        "allow_whitespace_only_pieces": True,
    },
    "across words": {"split_by_whitespace": False, "vocab_size": 200},
    "bytes": {"byte_fallback": True, "vocab_size": 420, "character_coverage": 0.98},
    "symbols": {
        "user_defined_symbols": ["<sep>", "ab", "abba", "the", "▁king", "漢", "a b", "  "],
        "control_symbols": ["<ctl>", "[X]"],
        "vocab_size": 180,
    },
    "symbols, identity, keeps spaces": {
        "user_defined_symbols": ["▁▁", "▁▁▁▁", "\n", "<0x41>", "aa", "aaa", "tok"],
        "normalization_rule_name": "identity",
        "remove_extra_whitespaces": False,
        "vocab_size": 180,
    },
    "surface": {"unk_surface": "?", "unk_piece": "[UNK]", "pad_id": 3, "pad_piece": "[PAD]"},
    "no ends": {"bos_id": -1, "eos_id": -1},
    "digits": {"split_digits": True, "split_by_unicode_script": False},
}

TYPES: Final = ("unigram", "bpe", "char", "word")


@functools.cache
def trained(model_type: str, name: str) -> bytes:
    """The content of a model with some options."""
    out = io.BytesIO()
    options = {**BASE, **OPTIONS[name], "model_type": model_type}
    if model_type == "word":
        options.pop("vocab_size")
        options |= {"vocab_size": 60}
    if model_type in ("char", "word") and name in ("bytes",):
        options |= {"vocab_size": 300}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(SENTENCES), model_writer=out, **options
    )
    return out.getvalue()
