"""The text of a JSON document."""

import json
import re
from typing import Any

from ._decimals import read_decimal
from ._faults import Fault
from ._vocabulary import Raw

__all__ = ["parsed", "written"]


def written(value: object) -> str:
    """A JSON text; what is `Raw` stands in it as it is."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, dict) and any(isinstance(inner, dict | Raw) for inner in value.values()):
        entries = (f"{dumped(name)}:{written(inner)}" for name, inner in value.items())
        return f"{{{','.join(entries)}}}"
    return dumped(value)


def dumped(value: object) -> str:
    """A compact JSON text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def parsed(text: str) -> Any:
    """The values of a JSON text, with decimals as the readers of tokenizer.json read them."""
    if not isinstance(text, str):
        raise TypeError(f"expected a str, found {type(text).__name__}")
    try:
        tree = json.loads(text, parse_float=read_decimal, parse_constant=refuse_constant)
    except RecursionError:
        raise Fault("nested too deeply") from None
    except ValueError as error:
        raise Fault(f"not readable as JSON: {error}") from None
    if re.search(r"[\ud800-\udfff]|\\u[dD][89a-fA-F]", text):
        try:
            json.dumps(tree, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise Fault("a string has a lone surrogate") from None
    return tree


def refuse_constant(name: str) -> None:
    """NaN and the infinities are no JSON."""
    raise ValueError(f"{name} is no number")
