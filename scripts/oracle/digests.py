"""Digests over the ids that an oracle gives for the named inputs.

A digest is the first 16 hexadecimal digits of a SHA-256 over all encodes of the input in order,
each as the number of its ids and then the ids, every number as 4 bytes, little-endian. An encode
that the oracle refuses is the one number 0xFFFFFFFF. Where an input is cut in blocks, the blocks'
digests are joined.
"""

from __future__ import annotations

import gzip
import hashlib
import sys
from array import array
from collections.abc import Iterable
from typing import Final, Protocol

from tokenizers import Tokenizer

from oracle import inputs
from oracle.random_strings import DIGEST_SEED
from oracle.tables import data_folder, load_tokenizer, model_of

HEX_DIGITS: Final = 16
_REFUSED: Final = (0xFFFFFFFF).to_bytes(4, "little")


class _Hash(Protocol):
    def update(self, data: bytes, /) -> None: ...


def packed(ids: list[int]) -> bytes:
    """One encode as bytes."""
    numbers = array("I", [len(ids)])
    numbers.extend(ids)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def add_encodes(digest: _Hash, tokenizer: Tokenizer, texts: list[str], special: bool) -> None:
    """Feeds the ids of texts to a digest; a batch that fails is cut in halves to find who fails."""
    try:
        encodings = tokenizer.encode_batch_fast(texts, add_special_tokens=special)
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        if len(texts) == 1:
            digest.update(_REFUSED)
            return
        middle = len(texts) // 2
        add_encodes(digest, tokenizer, texts[:middle], special)
        add_encodes(digest, tokenizer, texts[middle:], special)
        return
    for encoding in encodings:
        digest.update(packed(encoding.ids))


def digest_of(tokenizer: Tokenizer, batches: Iterable[list[str]], special: bool = False) -> str:
    """One digest over batches of texts; how they are cut makes no difference."""
    digest = hashlib.sha256()
    for batch in batches:
        add_encodes(digest, tokenizer, batch, special)
    return digest.hexdigest()[:HEX_DIGITS]


def text_digests(tokenizer: Tokenizer) -> dict[str, dict[str, str]]:
    """For each text: as one input, and line by line."""
    found: dict[str, dict[str, str]] = {}
    for name in inputs.text_names():
        text = inputs.text_bytes(name).decode("utf-8")
        found[name] = {
            "lines": digest_of(tokenizer, inputs.line_batches(text)),
            "whole": digest_of(tokenizer, [[text]]),
        }
    return found


def tokenizer_digests(name: str) -> dict[str, object]:
    """Everything that is frozen for one tokenizer; takes some minutes."""
    data = gzip.decompress((data_folder() / "tokenizers" / f"{name}.json.gz").read_bytes())
    tokenizer = load_tokenizer(name)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    blocks = inputs.random_blocks()
    special = blocks[: inputs.SPECIAL_COUNT // inputs.RANDOM_BLOCK]
    return {
        "model": model_of(name),
        "sha256": hashlib.sha256(data).hexdigest(),
        "random": "".join(digest_of(tokenizer, [block]) for block in blocks),
        "with_special_tokens": digest_of(tokenizer, special, special=True),
        "sweep": {
            label: "".join(digest_of(tokenizer, [block]) for block in inputs.sweep_blocks(context))
            for label, context in inputs.SWEEP_CONTEXTS.items()
        },
        "text": text_digests(tokenizer),
    }


def parameters() -> dict[str, object]:
    """How the digests were made, and what they were made from."""
    return {
        "add_special_tokens": False,
        "truncation": "off, whatever the file says",
        "padding": "off, whatever the file says",
        "hex_digits": HEX_DIGITS,
        "sweep": {"block": inputs.SWEEP_BLOCK, "contexts": inputs.SWEEP_CONTEXTS},
        "random": {
            "generator": "oracle.random_strings.random_string(seed, index)",
            "seed": DIGEST_SEED,
            "count": inputs.RANDOM_COUNT,
            "block": inputs.RANDOM_BLOCK,
            "sha256": inputs.random_strings_sha256(),
        },
        "with_special_tokens": {"count": inputs.SPECIAL_COUNT},
        "text": {
            name: hashlib.sha256(inputs.text_bytes(name)).hexdigest()
            for name in inputs.text_names()
        },
    }
