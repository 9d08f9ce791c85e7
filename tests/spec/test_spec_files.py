"""Whole files go through `Spec` without a change of meaning."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import tokenizers

import fretsaw
from fretsaw.spec import Spec

PROVE = bool(os.environ.get("FRETSAW_PROVE"))
FEW = ("gpt2", "llama2", "t5-small", "bert-base-cased", "clip-vit")
"""Of the data folder; all of it takes minutes."""

TEXTS = [
    "",
    " ",
    "Hello world",
    "  Two  spaces  ",
    "don't STOP, it's 3.14159 or 1,000,000!",
    "naïve café déjà vu",
    "e\u0301 \ufb01 ﹏ ｆｕｌｌ",
    "日本語のテキスト。中文字符",
    "한국어 문장",
    "Привет, мир",
    "مرحبا بالعالم",
    "שלום עולם",
    "สวัสดี",
    "नमस्ते",
    "😀 👩‍👩‍👧 🇩🇪",
    "\x00\x01\x7f\u200b\ufeff",
    "\n\n\t\r\n x",
    "<s>[CLS]<|endoftext|></s>[SEP]<pad>[MASK]<mask>",
    "def f(x):\n    return x**2  # square\n",
    "a" * 300,
    *[
        f"{word} {number} {word.upper()}_{number * 7}"
        for number, word in enumerate(
            [
                "alpha",
                "beta",
                "gamma",
                "delta",
                "epsilon",
                "zeta",
                "eta",
                "theta",
                "iota",
                "kappa",
                "lambda",
                "mu",
                "nu",
                "xi",
                "omicron",
                "pi",
                "rho",
                "sigma",
                "tau",
                "upsilon",
                "phi",
                "chi",
                "psi",
                "omega",
                "one",
                "two",
                "three",
                "four",
                "five",
                "six",
            ]
        )
    ],
]


def test_files(data_dir: Path) -> None:
    paths = sorted((data_dir / "tokenizers").glob("*.json.gz"))
    assert len(paths) == 39
    for path in paths:
        if PROVE or path.name.removesuffix(".json.gz") in FEW:
            check(path)


def check(path: Path) -> None:
    """One file goes through `Spec` and back."""
    before = gzip.decompress(path.read_bytes()).decode("utf-8")
    spec = Spec.from_json(before)
    after = spec.to_json()
    assert Spec.from_json(after) == spec
    assert len(repr(spec)) < 20_000

    there, back = tokenizers.Tokenizer.from_str(before), tokenizers.Tokenizer.from_str(after)
    assert there.to_str() == back.to_str()
    for text in TEXTS:
        first, second = there.encode(text), back.encode(text)
        assert (first.ids, first.tokens, first.offsets, first.type_ids) == (
            second.ids,
            second.tokens,
            second.offsets,
            second.type_ids,
        )
    ids = first.ids
    assert there.decode(ids) == back.decode(ids)

    ours = fretsaw.Tokenizer.from_str(before)
    again = fretsaw.Tokenizer.from_str(after)
    assert again.fingerprint == ours.fingerprint
    ours_json = ours.to_str()
    assert Spec.from_json(ours_json) == Spec.from_json(again.to_str())
    assert Spec.from_json(ours_json).normalizer == spec.normalizer
    assert Spec.from_json(ours_json).pre_tokenizer == spec.pre_tokenizer
    assert Spec.from_json(ours_json).post_processor == spec.post_processor
    assert Spec.from_json(ours_json).decoder == spec.decoder
