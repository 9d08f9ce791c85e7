"""Builds tests/golden/models.jsonl.gz: what the Unigram, WordPiece and WordLevel of Hugging Face give.

Each line is an object: `model` as in tokenizer.json, and `rows`. A row is a text and either null,
where the oracle fails, or the ids and the spans of the tokens (start, end, start, end, ..., in
bytes of the text). Models are random: small vocabularies over few characters, with what makes
trouble: equal scores, tokens that stand twice, empty ones, the unknown token or the prefix inside
texts, byte tokens (all or some), a missing unknown token. A fixed seed makes each run the same.

    python scripts/golden_models.py [MODELS OUT]

Needs the `tokenizers` package; takes seconds.
"""

from __future__ import annotations

import gzip
import json
import random
import sys
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

OUT = Path(__file__).resolve().parent.parent / "tests" / "golden" / "models.jsonl.gz"
MODELS = 240
ROWS = 10
SEED = 20_260
Json = dict[str, Any]

CHARS = ["a", "a", "a", "b", "b", "c", "é", "▁", "日", "\u0301", "😀", "#", "<"]
STRANGERS = ["z", "ß", "語", "😁", "\0", "\u200d"]


def text(rng: random.Random, alphabet: list[str], low: int, high: int) -> str:
    return "".join(rng.choice(alphabet) for _ in range(rng.randint(low, high)))


def alphabet_of(rng: random.Random) -> list[str]:
    return rng.sample(CHARS, rng.randint(2, 5))


def tokens_of(rng: random.Random, alphabet: list[str]) -> list[str]:
    longest = rng.choice([2, 3, 4, 7])
    tokens = [text(rng, alphabet, 1, longest) for _ in range(rng.randint(1, 24))]
    if rng.random() < 0.6:
        tokens += [char for char in alphabet if rng.random() < 0.8]
    if rng.random() < 0.1:
        tokens.append("")
    rng.shuffle(tokens)
    return tokens


def score_of(rng: random.Random, kind: int) -> float:
    match kind:
        case 0:
            return 0.0
        case 1:
            return float(rng.randint(-3, 2))
        case 2:
            return rng.randint(-40, -1) / 10
        case 3:
            return rng.choice([1e16, 1.0, -1e16, 1e-8, -3.3])
        case 4:
            return float(rng.randint(1, 60))
        case _:
            return rng.gauss(-8, 4)


def byte_tokens(rng: random.Random, alphabet: list[str]) -> list[str]:
    used = sorted(set("".join(alphabet + STRANGERS + list("<unk>")).encode()))
    share = rng.choice([1.0, 1.0, 0.8, 0.3])
    return [f"<0x{byte:02X}>" for byte in used if rng.random() < share]


def unigram(rng: random.Random, alphabet: list[str]) -> tuple[Json, list[str]]:
    tokens = tokens_of(rng, alphabet)
    unknown = rng.choice(["<unk>", "<unk>", rng.choice(alphabet), text(rng, alphabet, 2, 3)])
    place = rng.choice([0, rng.randint(0, len(tokens))])
    tokens.insert(place, unknown)
    byte_fallback = rng.random() < 0.4
    if byte_fallback or rng.random() < 0.05:
        tokens += byte_tokens(rng, alphabet)
    kind = rng.randint(0, 6)
    model = {
        "type": "Unigram",
        "unk_id": None if rng.random() < 0.1 else place,
        "vocab": [[token, score_of(rng, kind)] for token in tokens],
        "byte_fallback": byte_fallback,
    }
    return model, [unknown, "<0x61>", "<0x7A>"]


def ids_of(rng: random.Random, tokens: list[str]) -> dict[str, int]:
    tokens = list(dict.fromkeys(tokens))
    return dict(zip(tokens, rng.sample(range(2 * len(tokens)), len(tokens)), strict=True))


def word_piece(rng: random.Random, alphabet: list[str]) -> tuple[Json, list[str]]:
    prefix = rng.choice(
        ["##", "##", "##", "", "#", rng.choice(alphabet), text(rng, alphabet, 2, 2)]
    )
    tokens = [prefix * (rng.random() < 0.6) + token for token in tokens_of(rng, alphabet)]
    tokens += [token.removeprefix(prefix) for token in tokens if rng.random() < 0.2]
    if rng.random() < 0.2:
        tokens += rng.choice([[prefix], [prefix, prefix + prefix]])
    unknown = rng.choice(["[UNK]", "[UNK]", rng.choice(alphabet), rng.choice(tokens)])
    if rng.random() < 0.85:
        tokens.append(unknown)
    model = {
        "type": "WordPiece",
        "unk_token": unknown,
        "continuing_subword_prefix": prefix,
        "max_input_chars_per_word": rng.choice([0, 1, 4, 8, 100, 100, 100, 2**63]),
        "vocab": ids_of(rng, tokens),
    }
    return model, [prefix, unknown]


def word_level(rng: random.Random, alphabet: list[str]) -> tuple[Json, list[str]]:
    tokens = tokens_of(rng, alphabet)
    if rng.random() < 0.8:
        tokens.append("<unk>")
    model = {"type": "WordLevel", "unk_token": "<unk>", "vocab": ids_of(rng, tokens)}
    return model, ["<unk>", *tokens]


def tokenizer_of(model: Json) -> Tokenizer:
    parts = ["truncation", "padding", "normalizer", "pre_tokenizer", "post_processor", "decoder"]
    whole = {"version": "1.0", "added_tokens": [], "model": model} | dict.fromkeys(parts)
    return Tokenizer.from_str(json.dumps(whole))


def row(tokenizer: Tokenizer, piece: str) -> list[Any]:
    try:
        tokens = tokenizer.model.tokenize(piece)
    except Exception:
        return [piece, None]
    ids = [token.id for token in tokens]
    spans = [offset for token in tokens for offset in token.offsets]
    if piece:
        # The whole tokenizer, without a pre-tokenizer, says the same in characters.
        encoding = tokenizer.encode(piece)
        chars = [len(piece.encode()[:offset].decode()) for offset in spans]
        assert encoding.ids == ids, (piece, encoding.ids, ids)
        assert [offset for pair in encoding.offsets for offset in pair] == chars, piece
    return [piece, ids, spans]


def main() -> None:
    models, out = (int(sys.argv[1]), Path(sys.argv[2])) if sys.argv[1:] else (MODELS, OUT)
    rng = random.Random(SEED)
    lines = []
    for _ in range(models):
        alphabet = alphabet_of(rng)
        make = rng.choices([unigram, word_piece, word_level], [12, 10, 1])[0]
        model, extra = make(rng, alphabet)
        tokenizer = tokenizer_of(model)
        mixed = alphabet * 4 + extra + rng.sample(STRANGERS, rng.randint(0, 2))
        longest = rng.choice([6, 12, 24])
        rows = []
        for _ in range(ROWS):
            common = rng.random() < 0.4
            rows.append(row(tokenizer, text(rng, alphabet if common else mixed, 0, longest)))
        lines.append(json.dumps({"model": model, "rows": rows}, separators=(",", ":")))
    data = "\n".join(lines).encode() + b"\n"
    out.write_bytes(gzip.compress(data, 9, mtime=0))
    print(f"{models} models, {models * ROWS} rows, {out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
