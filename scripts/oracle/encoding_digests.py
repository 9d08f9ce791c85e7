"""Digests over everything that an oracle's encodings say, for the jobs of `encoding_jobs`.

A digest is the first 16 hexadecimal digits of a SHA-256 over the outcomes of a block's jobs as JSON,
each with a newline behind it. The blocks' digests are joined.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from oracle import encoding_jobs, inputs
from oracle.digests import HEX_DIGITS
from oracle.encoding_jobs import Job, run
from oracle.tables import load_tokenizer


def digest_of(tok: Any, jobs: Iterable[Job]) -> str:
    """One digest over jobs, run by the oracle or by fretsaw."""
    digest = hashlib.sha256()
    for job in jobs:
        outcome = json.dumps(run(tok, job), separators=(",", ":"), sort_keys=True)
        digest.update(outcome.encode("ascii") + b"\n")
    return digest.hexdigest()[:HEX_DIGITS]


def tokenizer_digests(name: str) -> dict[str, Any]:
    """Everything that is frozen for one tokenizer; takes about half a minute."""
    tok = load_tokenizer(name)
    kinds = encoding_jobs.KINDS
    found: dict[str, Any] = {
        kind: "".join(digest_of(tok, block) for block in encoding_jobs.blocks(kind))
        for kind in kinds
    }
    texts = inputs.text_names()
    found["text"] = {text: digest_of(tok, [encoding_jobs.of_text(text)]) for text in texts}
    return found


def parameters() -> dict[str, Any]:
    """How the digests were made, and a digest of what they were made from."""
    return {
        "seed": encoding_jobs.ENCODING_SEED,
        "strings": encoding_jobs.STRINGS,
        "blocks": encoding_jobs.BLOCKS,
        "slice_chars": encoding_jobs.SLICE_CHARS,
        "hex_digits": HEX_DIGITS,
        "jobs": {kind: jobs_digest(kind) for kind in encoding_jobs.KINDS},
    }


def jobs_digest(kind: str) -> str:
    """A digest of the jobs themselves, so that a changed generator is noticed."""
    digest = hashlib.sha256()
    for block in encoding_jobs.blocks(kind):
        digest.update(json.dumps([vars(job) for job in block]).encode("ascii"))
    return digest.hexdigest()[:HEX_DIGITS]
