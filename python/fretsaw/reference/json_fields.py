"""Reading the fields of a JSON file: what is asked for, or ValueError naming the field.

Cost: O(1) a field.
Source: the names of the fields are those of Hugging Face's tokenizer.json.
"""

from __future__ import annotations

import json
from typing import Any


def type_of(stage: Any) -> Any:
    """Return the `type` of a stage, None if it is no object or has none."""
    return stage.get("type") if isinstance(stage, dict) else None


def read_object(value: Any, where: str) -> dict[str, Any]:
    """Return an object."""
    if not isinstance(value, dict):
        raise ValueError(f"{where} is {short(value)}, not an object")
    return value


def read_list(value: Any, where: str) -> list[Any]:
    """Return a list."""
    if not isinstance(value, list):
        raise ValueError(f"{where} is {short(value)}, not a list")
    return value


def read_flag(value: Any, where: str) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise ValueError(f"{where} is {short(value)}, not true or false")
    return value


def read_text(value: Any, where: str) -> str:
    """Return a string."""
    if not isinstance(value, str):
        raise ValueError(f"{where} is {short(value)}, not a string")
    return value


def read_some_text(value: Any, where: str) -> str:
    """Return a string that is not empty."""
    if read_text(value, where) == "":
        raise unsupported(where, value)
    return str(value)


def read_char(value: Any, where: str) -> str:
    """Return a string of one character."""
    if len(read_text(value, where)) != 1:
        raise ValueError(f"{where} is {short(value)}, not one character")
    return str(value)


def read_size(value: Any, where: str) -> int:
    """Return a whole number from 0."""
    if type(value) is not int or value < 0:
        raise ValueError(f"{where} is {short(value)}, not a whole number from 0")
    return value


def read_literal(value: Any, where: str) -> str:
    """Return a pattern that is literal text: {"String": text}, not empty."""
    pattern = read_object(value, where)
    if list(pattern) != ["String"]:
        raise unsupported(where, value)
    return read_some_text(pattern["String"], f"{where}.String")


def unsupported(field: str, value: Any) -> ValueError:
    """Return the error for what a file may have and the reference can't follow."""
    return ValueError(f"`{field}` is {short(value)}, which the reference does not encode")


def short(value: Any) -> str:
    """Return a value as JSON, cut off if it is long."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "..."
