"""Components of a tokenizer.json as the scripts that freeze golden values write them."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def of_type(name: str, **fields: Any) -> Json:
    """A component of a type."""
    return {"type": name, **fields}


def literal(pattern: str, content: str) -> Json:
    """`Replace` of this very text."""
    return of_type("Replace", pattern={"String": pattern}, content=content)


def regex(pattern: str, content: str) -> Json:
    """`Replace` of a regular expression."""
    return of_type("Replace", pattern={"Regex": pattern}, content=content)
