"""A template around the ids of a text: fixed ids, and the place where the text's own ids go.

Cost: O(ids).
Source: Hugging Face tokenizers 0.23.3, `processors/template.rs`, for a single text.
"""

from __future__ import annotations

from collections.abc import Sequence

TEXT = None
"""The place of the text in a template; everything else there is a list of ids."""

Template = Sequence[Sequence[int] | None]


def fill(template: Template, ids: Sequence[int], add_special_tokens: bool = True) -> list[int]:
    """Return the ids in the template, or, without special tokens, in the places for the text.

    >>> fill([[101], TEXT, [102]], [7, 8]), fill([[101], TEXT, [102]], [7, 8], False)
    ([101, 7, 8, 102], [7, 8])
    """
    filled: list[int] = []
    for part in template:
        if part is TEXT:
            filled.extend(ids)
        elif add_special_tokens:
            filled.extend(part)
    return filled
