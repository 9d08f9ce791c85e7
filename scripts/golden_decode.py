"""Builds tests/golden/decode.jsonl.gz: what Hugging Face's decoders make of lists of tokens.

Each line is an array: the decoder as in tokenizer.json (null for none, which joins tokens by
spaces), and cases, each of the tokens and the text, null where the oracle panics. The decoders are
those of known tokenizers, each kind alone, and random sequences in any order; the tokens are made
of what the decoders look for, whole and cut anywhere. The sample is the same on every run.

    python scripts/golden_decode.py
    python scripts/golden_decode.py --rows 20000 --seed 1 --out rows.jsonl

Needs the `tokenizers` package; takes seconds.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from tokenizers import decoders

from oracle.components import Json, literal, of_type, regex

OUT: Final = Path(__file__).resolve().parent.parent / "tests" / "golden" / "decode.jsonl.gz"
CASES: Final = 4


def sequence(*parts: Json) -> Json:
    return of_type("Sequence", decoders=list(parts))


def metaspace(replacement: str, scheme: str) -> Json:
    return of_type("Metaspace", replacement=replacement, prepend_scheme=scheme, split=True)


def strip(content: str, start: int, stop: int) -> Json:
    return of_type("Strip", content=content, start=start, stop=stop)


def bpe(suffix: str) -> Json:
    return of_type("BPEDecoder", suffix=suffix)


def word_piece(prefix: str, cleanup: bool) -> Json:
    return of_type("WordPiece", prefix=prefix, cleanup=cleanup)


def ctc(pad: str, delimiter: str, cleanup: bool) -> Json:
    return of_type("CTC", pad_token=pad, word_delimiter_token=delimiter, cleanup=cleanup)


BYTE_LEVEL: Final = of_type("ByteLevel", add_prefix_space=True, trim_offsets=True, use_regex=True)
FALLBACK: Final = of_type("ByteFallback")
FUSE: Final = of_type("Fuse")

KNOWN: Final[list[Json | None]] = [
    None,
    BYTE_LEVEL,
    bpe("</w>"),
    word_piece("##", True),
    metaspace("▁", "always"),
    ctc("<pad>", "|", True),
    sequence(literal("▁", " "), FALLBACK, FUSE, strip(" ", 1, 0)),
    sequence(literal("▁", " "), FALLBACK, FUSE),
    sequence(FALLBACK, metaspace("▁", "first")),
    sequence(bpe("</w>"), FUSE, strip(" ", 0, 1)),
    sequence(ctc("<pad>", "|", False), metaspace("▁", "always")),
]
PADS: Final = ("<pad>", "a", "")
LITERALS: Final = ("▁", " ", "aab", "abab", "éè", "", "\u00e8\ufffd", "a", " do")
CONTENTS: Final = (" ", "", "x", "a", "▁b", "<0xC3>", "è")
REGEXES: Final = (
    "a+", r"\s+", "a*", "", r"(?<=a)b|^c", "b$", "a(?!b)", r"\bab", "▁|é", r"a\Kb", "(?i)AB",
)  # fmt: skip
PARTS: Final[list[Callable[[random.Random], Json]]] = [
    lambda _: BYTE_LEVEL,
    lambda _: FALLBACK,
    lambda _: FUSE,
    lambda _: FUSE,
    lambda rng: bpe(rng.choice(["</w>", "</w>", "é", "", "aab"])),
    lambda rng: word_piece(rng.choice(["##", "##", "", "é▁"]), rng.random() < 0.6),
    lambda rng: metaspace(rng.choice("▁▁_ a"), rng.choice(["first", "never", "always"])),
    lambda rng: ctc(rng.choice(PADS), rng.choice(["|", "|", "▁", ""]), rng.random() < 0.6),
    lambda rng: literal(rng.choice(LITERALS), rng.choice(CONTENTS)),
    lambda rng: regex(rng.choice(REGEXES), rng.choice(CONTENTS[:4])),
    lambda rng: strip(rng.choice("  aé"), rng.choice([0, 0, 1, 2, 5]), rng.choice([0, 0, 1, 2, 5])),
]  # fmt: skip
COMMON: Final = (
    "a", "b", "c", "ab", "aab", "abab", " ", "  ", "▁", "▁a", "é", "è", "Ã", "©", "Ġ", "Ċ", "Ġa",
    "å", "¤", "ļ", "ð", "Ł", "ĺ", "Ģ", "ÿ", "中", "😀", "\ufffd", "\0", "\n", "</w>", "a</w>",
    "##", "##b", "#", "<pad>", "|", "_", ".", "?", "!", ",", "'", " ' ", "n't", " n't", "'m",
    " do not", "do", "not", "'s", " 've", "'re", " .", " '", "<0x41>", "<0x0a>", "<0xC3>",
    "<0xa9>", "<0xE4>", "<0xB8>", "<0xAD>", "<0xF0>", "<0xED>", "<0xA0>", "<0x80>", "<0xFF>",
    "<0x+1>", "<0x-1>", "<0xG1>", "<0xé>", "<0x1>", "<0x123>", "<0X41>", "<0x", "41>", "<", "",
    "\u00ad", "\u0143", "\u0144", "ĠĠ", "I", "x", "Hello", "Ġworld",
)  # fmt: skip


def random_decoder(rng: random.Random, most: int) -> Json:
    """One decoder of any kind, or a sequence of some, sometimes one in another."""
    count = rng.randint(1, most)
    parts = [rng.choice(PARTS)(rng) for _ in range(count)]
    if count > 2 and rng.random() < 0.2:
        parts[1:] = [sequence(*parts[1:])]
    return parts[0] if count == 1 else sequence(*parts)


def literals(decoder: Any) -> list[str]:
    """The texts that a decoder looks for."""
    if isinstance(decoder, dict):
        names = ("suffix", "prefix", "pad_token", "word_delimiter_token", "String")
        own = [decoder[name] for name in (*names, "replacement") if name in decoder]
        if decoder.get("type") == "Strip":
            own += [decoder["content"], decoder["content"] * 2]
        parts = [decoder.get("pattern"), *decoder.get("decoders", [])]
        return [*own, *(text for part in parts for text in literals(part))]
    return []


def random_tokens(rng: random.Random, own: list[str]) -> list[str]:
    """Tokens of what the decoder looks for and of common pieces, cut anywhere or not."""
    kind = rng.random()
    pool = rng.sample(COMMON, rng.randint(2, 12)) + own * rng.randint(0, 3)
    count = rng.choice([0, 1, 1, 2, 3, 5, 8, 13, 20])
    if kind < 0.15:
        pool = [piece for piece in COMMON if piece.startswith("<0x")] + ["", "a"]
    if kind < 0.5:
        tokens = [rng.choice(pool) for _ in range(count)]
    elif kind < 0.75:
        tokens = ["".join(rng.choices(pool, k=rng.randint(0, 3))) for _ in range(count)]
    else:
        text = "".join(rng.choices(pool, k=count))
        cuts = sorted(rng.choices(range(len(text) + 1), k=count))
        tokens = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    if tokens and rng.random() < 0.2:
        tokens = [token for token in tokens for _ in range(rng.randint(1, 2))]
    return tokens


def oracle(decoder: Json | None, tokens: list[str]) -> str | None:
    """The oracle's text; null where it panics."""
    if decoder is None:
        return " ".join(tokens)
    compiled = decoders.Sequence([])
    compiled.__setstate__(json.dumps(sequence(decoder)).encode())
    try:
        return str(compiled.decode(tokens))
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        return None


def lines(rows: int, seed: int) -> list[str]:
    """So many cases or a few more, as lines."""
    rng = random.Random(seed)
    alone = [make(rng) for make in PARTS for _ in range(3)]
    chosen: list[Json | None] = [*KNOWN, *alone]
    while len(chosen) * CASES < rows:
        chosen.append(random_decoder(rng, 5))
    written = []
    for decoder in chosen:
        own = literals(decoder)
        cases = [random_tokens(rng, own) for _ in range(CASES)]
        row = [decoder, [[tokens, oracle(decoder, tokens)] for tokens in cases]]
        written.append(json.dumps(row, ensure_ascii=True, separators=(",", ":")) + "\n")
    return written


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Build the golden decodings.")
    parser.add_argument("--out", type=Path, default=OUT, help="file to write; .gz is compressed")
    parser.add_argument("--rows", type=int, default=600, help="how many cases")
    parser.add_argument("--seed", type=int, default=20_241_107)
    parsed = parser.parse_args()
    # Panics are part of the answer, and write to standard error.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    data = "".join(lines(parsed.rows, parsed.seed)).encode("ascii")
    if parsed.out.suffix == ".gz":
        data = gzip.compress(data, compresslevel=9, mtime=0)
    parsed.out.write_bytes(data)


if __name__ == "__main__":
    main()
