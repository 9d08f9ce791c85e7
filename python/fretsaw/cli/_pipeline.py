"""What a text goes through, as a drawing and as data.

    text
     ↓  normalizer      NFC()
     ↓  pre-tokenizer   Digits(individual_digits=True)
     │                  ByteLevel(add_prefix_space=False, trim_offsets=True, use_regex=True)
     ↓  model           BPE(vocab=<49152 entries>, merges=<48900 entries>)
    ids

A `Sequence` is shown as its parts, one below the other.
"""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import fretsaw
from fretsaw.spec import Sequence

__all__ = ["drawing", "stages"]

ROLES = ("normalizer", "pre_tokenizer", "model", "post_processor", "decoder")
UNSHOWN = (None, "", (), False)
"""What a field of a model is when it does nothing."""


def stages(tokenizer: fretsaw.Tokenizer) -> dict[str, list[str]]:
    """The steps of each stage, none for a stage that is not there."""
    return {role: list(steps_of(tokenizer, role)) for role in ROLES}


def steps_of(tokenizer: fretsaw.Tokenizer, role: str) -> Iterator[str]:
    """The steps of one stage; what `fretsaw.spec` has no words for, in words."""
    try:
        stage = getattr(tokenizer, role)
    except fretsaw.UnsupportedError as error:
        yield f"(not one of a tokenizer.json: {str(error).partition(', which')[0]})"
        return
    if role == "model":
        yield model_line(stage)
    elif stage is not None:
        yield from map(repr, parts_of(stage))


def parts_of(stage: Any) -> Iterator[Any]:
    """A stage that is no `Sequence`, or the parts of one and of those in it."""
    if not isinstance(stage, Sequence):
        yield stage
        return
    for part in stage.parts:
        yield from parts_of(part)


def model_line(model: Any) -> str:
    """A model without the fields that do nothing."""
    shown = []
    for field in fields(model):
        value = getattr(model, field.name)
        if field.name in ("vocab", "merges"):
            shown.append(f"{field.name}=<{len(value)} entries>")
        elif value not in UNSHOWN or (field.name == "unk_id" and value == 0):
            shown.append(f"{field.name}={value!r}")
    return f"{type(model).__name__}({', '.join(shown)})"


def drawing(pipeline: dict[str, list[str]], added_tokens: int) -> Iterator[str]:
    """The lines of the drawing: down to the ids, and back to text."""
    yield "text"
    if added_tokens:
        yield from arrow("added tokens", [f"{added_tokens:,} cut out first"])
    for role in ROLES[:-1]:
        yield from arrow(role.replace("_", "-"), pipeline[role])
    yield "ids"
    yield from arrow("decoder", pipeline["decoder"] or ["tokens with spaces between them"])
    yield "text"


def arrow(name: str, steps: list[str]) -> Iterator[str]:
    """One stage, with its further steps below; nothing for a stage that is not there."""
    for place, step in enumerate(steps):
        yield f" ↓  {name:<16}{step}" if place == 0 else f" │  {'':<16}{step}"
