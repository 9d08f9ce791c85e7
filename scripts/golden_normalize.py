"""Builds tests/golden/normalize.jsonl.gz: what Hugging Face's normalizers make of 1,500 texts.

Each line is an array: the normalizer as in tokenizer.json, the text, and either null where the oracle
fails or the normalized text and, for each of its characters, the start and end of what it stands
for in the original, in characters. The sample is the same on every run: a fixed generator picks
from the characters that the range files name, and the normalizers are those of known tokenizers,
each kind alone, and random sequences.

    python scripts/golden_normalize.py

Needs the `tokenizers` package; takes seconds.
"""

from __future__ import annotations

import base64
import gzip
import json
import random
import struct
from collections.abc import Sequence
from typing import Any

from tokenizers import Tokenizer

from build_normalization_tables import read_values
from build_unicode_tables import ROOT
from oracle.components import Json, literal, of_type, regex

OUT = ROOT / "tests" / "golden" / "normalize.jsonl.gz"
ROWS_ALONE = 40
ROWS_SEQUENCE = 3
SEQUENCES = 310


def charsmap(keys: dict[str, str]) -> str:
    """SentencePiece's map of these texts, in base64: each node of the trie gets 256 units."""
    nodes: list[dict[int, int]] = [{}]
    values: dict[int, bytes] = {}
    for key, value in keys.items():
        node = 0
        for byte in key.encode():
            if byte not in nodes[node]:
                nodes[node][byte] = len(nodes)
                nodes.append({})
            node = nodes[node][byte]
        values[node] = value.encode() + b"\0"
    units = [0] * (256 * (len(nodes) + 1))
    units[0] = 256 << 10
    replacements = b""
    for node, children in enumerate(nodes):
        base = 256 * (node + 1)
        for byte, child in children.items():
            at = base ^ byte
            units[at] = (at ^ 256 * (child + 1)) << 10 | (child in values) << 8 | byte
        if node in values:
            units[base] = len(replacements)
            replacements += values[node]
    return base64.b64encode(
        struct.pack(f"<I{len(units)}I", 4 * len(units), *units) + replacements
    ).decode()


def sequence(*normalizers: Json) -> Json:
    return of_type("Sequence", normalizers=list(normalizers))


def bert(clean: bool, chinese: bool, accents: bool | None, lower: bool) -> Json:
    return of_type(
        "BertNormalizer",
        clean_text=clean,
        handle_chinese_chars=chinese,
        strip_accents=accents,
        lowercase=lower,
    )


SMALL_MAP = charsmap(
    {
        "\r\n": "\n",
        "e\u0301": "é",
        "é": "e",
        "™": "TM",
        "\x1e": "",
        "a": "",
        "ﬃ": "ffi",
        "\u200d": "",
    }
)
LINE_MAP = charsmap({"\r": "", "\n": " ", "\u0301": "", "b": "xyz", "©": "(c)", "क": "k"})

ALONE = [
    *[of_type(n) for n in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt")],
    of_type("ByteLevel"),
    of_type("Strip", strip_left=True, strip_right=True),
    bert(True, True, None, True),
    bert(True, True, None, False),
    of_type("Precompiled", precompiled_charsmap=SMALL_MAP),
    of_type("Precompiled", precompiled_charsmap=LINE_MAP),
    sequence(of_type("Prepend", prepend="▁"), literal(" ", "▁")),
    sequence(of_type("NFD"), of_type("Lowercase"), of_type("StripAccents")),
]
STEPS = [
    *ALONE[:13],
    of_type("Strip", strip_left=True, strip_right=False),
    of_type("Strip", strip_left=False, strip_right=True),
    bert(False, True, True, False),
    *[of_type("Prepend", prepend=front) for front in ("▁", "", "ab", "\u0301")],
    *[literal(a, b) for a, b in ((" ", "▁"), ("a", ""), ("", "x"), ("é", "e"), ("ab", "\u0301"))],
    *[
        regex(a, b)
        for a, b in ((r"\s+", " "), ("^", "▁"), (r"\p{M}+", ""), ("x*", "-"), (" {2,}", "▁"))
    ],
]


def pools() -> list[Sequence[int]]:
    """Characters of which a text is made."""
    names = ["combining_order", "canonical_decomposition", "compatibility_decomposition"]
    names += ["lowercase", "composition", "accents", "graphemes", "nmt"]
    ascii_letters = list(b"abcdefABCDEF  xyz12.,")
    spaces = [0x09, 0x0A, 0x0D, 0x20, 0x20, 0x85, 0xA0, 0x2003, 0x3000, 0x200B, 0xFEFF, 0x00, 0x1E]
    wide = [0x4E00, 0x9FFF, 0x20000, 0xF900, 0x3042, 0xFF76, 0xFF9E, 0x3099, 0xAC00, 0x1100, 0x1161]
    scattered = [
        0x2122,
        0xFB03,
        0x130,
        0x3A3,
        0x344,
        0x1F468,
        0x200D,
        0xA9,
        0xE000,
        0x10FFFF,
        0x378,
    ]
    sets = [sorted(read_values(name)) for name in names]
    return [*sets, spaces, wide, scattered, range(0x1100, 0x1200), *[ascii_letters] * 3]


def oracle(normalizer: Json, text: str) -> list[Any] | None:
    """The normalized text and the spans of its characters."""
    tokenizer = Tokenizer.from_str(
        json.dumps(
            {
                "normalizer": normalizer,
                "pre_tokenizer": {
                    "type": "Split",
                    "pattern": {"Regex": r"[\s\S]"},
                    "behavior": "Isolated",
                    "invert": False,
                },
                "model": {"type": "WordLevel", "vocab": {"?": 0}, "unk_token": "?"},
            }
        )
    )
    try:
        return [tokenizer.normalizer.normalize_str(text), tokenizer.encode(text).offsets]
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        return None


def main() -> None:
    chance = random.Random(20)
    sets = pools()

    def text() -> str:
        chosen = chance.sample(sets, chance.randint(1, 4))
        size = chance.choice([0, 1, 2, 3, 5, 8, 13, 21])
        return "".join(chr(chance.choice(chance.choice(chosen))) for _ in range(size))

    cases = [(normalizer, text()) for normalizer in ALONE for _ in range(ROWS_ALONE)]
    for _ in range(SEQUENCES):
        steps = sequence(*chance.choices(STEPS, k=chance.randint(1, 4)))
        cases += [(steps, text()) for _ in range(ROWS_SEQUENCE)]
    lines = [json.dumps([normalizer, text, oracle(normalizer, text)]) for normalizer, text in cases]
    OUT.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
