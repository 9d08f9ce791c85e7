"""Everything that an Encoding says, as plain values: the oracle's and fretsaw's have the same names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

FIELDS: Final = (
    *("ids", "tokens", "offsets", "word_ids", "sequence_ids", "type_ids"),
    *("special_tokens_mask", "attention_mask", "n_sequences"),
)
"""What is known of an encoding, but for what overflows."""

OF_POSITION: Final = ("char_to_token", "char_to_word", "word_to_tokens", "word_to_chars")
"""Look-ups by a character or a word of a sequence."""

OF_TOKEN: Final = ("token_to_sequence", "token_to_chars", "token_to_word")
"""Look-ups by a token."""


def fields_of(encoding: Any) -> dict[str, Any]:
    """All fields; what overflows is a list of the same.

    Offsets are asked for twice: where nothing else is known of an encoding, fretsaw sums them up from
    ids. Both answers are kept where they differ.
    """
    early = encoding.offsets
    fields = {name: getattr(encoding, name) for name in FIELDS}
    if fields["offsets"] != early:
        fields["offsets"] = [early, fields["offsets"]]
    return {**fields, "overflowing": [fields_of(part) for part in encoding.overflowing]}


def look_ups(encoding: Any) -> dict[str, Any]:
    """What each look-up says of each position, and of some behind the end, in three sequences.

    Those that say `None` are left out.
    """
    found = {f"{name}{arguments}": found for name, arguments, found in _look_ups(encoding)}
    return {name: value for name, value in found.items() if value is not None}


def _look_ups(encoding: Any) -> Iterator[tuple[str, tuple[int, ...], Any]]:
    last = max((end for _, end in encoding.offsets), default=0)
    words = max((word for word in encoding.word_ids if word is not None), default=0)
    for name in OF_POSITION:
        count = last if name.startswith("char") else words
        for sequence in range(3):
            for at in range(count + 3):
                yield name, (at, sequence), getattr(encoding, name)(at, sequence)
    for name in OF_TOKEN:
        for at in range(len(encoding) + 3):
            yield name, (at,), getattr(encoding, name)(at)
