"""The fields of requests: one table that both checks a body and describes it in OpenAPI.

A kind knows its JSON schema and how to read a value, so that the description can't differ from the
behaviour. Cost: linear in the body.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from ._problem import Problem

__all__ = ["Field", "choice", "flag", "ids", "number", "read_body", "schema_of", "text", "texts"]

MAX_ID = 2**32 - 1
Read = Callable[[Any, str], Any]


@dataclass(frozen=True)
class Field:
    """A field of a JSON object; one without a default must be there."""

    name: str
    schema: Mapping[str, Any]
    read: Read
    default: Any = None
    required: bool = True


def text(name: str, about: str, most: int | None = None, default: str | None = None) -> Field:
    """A string of at most `most` characters."""

    def read(value: Any, where: str) -> str:
        if not isinstance(value, str):
            _wrong(value, "a string", where)
        if most is not None and len(value) > most:
            raise Problem(422, "too_long", f"must have at most {most} characters", where)
        return value

    schema = {"type": "string", "description": about}
    limits = {} if most is None else {"maxLength": most}
    return Field(name, schema | limits, read, default, default is None)


def texts(
    name: str, about: str, most: int, *, longest: int | None = None, optional: bool = False
) -> Field:
    """At most `most` strings, of at most `longest` characters each."""
    item = text("", "", longest)

    def read(value: Any, where: str) -> list[str]:
        if not isinstance(value, list):
            _wrong(value, "a list of strings", where)
        if len(value) > most:
            raise Problem(422, "batch_too_long", f"must have at most {most} items", where)
        return [item.read(one, f"{where}[{place}]") for place, one in enumerate(value)]

    limits = {} if longest is None else {"maxLength": longest}
    schema = {
        "type": "array",
        "items": {"type": "string"} | limits,
        "maxItems": most,
        "description": about,
    }
    return Field(name, schema, read, [], not optional)


def ids(name: str, about: str) -> Field:
    """A list of ids."""

    def read(value: Any, where: str) -> list[int]:
        if not isinstance(value, list):
            _wrong(value, "a list of ids", where)
        return [_whole(one, MAX_ID, f"{where}[{place}]") for place, one in enumerate(value)]

    item = {"type": "integer", "minimum": 0, "maximum": MAX_ID}
    return Field(name, {"type": "array", "items": item, "description": about}, read)


def number(name: str, about: str, most: int, default: int) -> Field:
    """A whole number from 0 to `most`."""

    def read(value: Any, where: str) -> int:
        return _whole(value, most, where)

    schema = {"type": "integer", "minimum": 0, "maximum": most, "description": about}
    return Field(name, schema, read, default, False)


def flag(name: str, about: str, default: bool | None) -> Field:
    """True or false."""

    def read(value: Any, where: str) -> bool:
        if not isinstance(value, bool):
            _wrong(value, "true or false", where)
        return value

    return Field(name, {"type": "boolean", "description": about}, read, default, False)


def choice(name: str, about: str, values: Sequence[str], default: str) -> Field:
    """One of some words."""

    def read(value: Any, where: str) -> str:
        if value not in values or not isinstance(value, str):
            _wrong(value, f"one of {', '.join(values)}", where)
        return value

    schema = {"type": "string", "enum": list(values), "description": about}
    return Field(name, schema, read, default, False)


def schema_of(fields: Sequence[Field]) -> dict[str, Any]:
    """The JSON schema of an object with these fields and no others."""
    properties = {
        field.name: dict(field.schema)
        | ({} if field.required or field.default is None else {"default": field.default})
        for field in fields
    }
    return {
        "type": "object",
        "properties": properties,
        "required": [field.name for field in fields if field.required],
        "additionalProperties": False,
    }


def read_body(body: bytes, fields: Sequence[Field]) -> dict[str, Any]:
    """The fields of a JSON object in UTF-8, those that are left out with their defaults.

    Raises `Problem` with 400 for what is not JSON, with 422 and a path for what is not as described.

    >>> read_body(b'{"text": "a"}', [text("text", ""), flag("all", "", False)])
    {'text': 'a', 'all': False}
    """
    found = _parse(body)
    if not isinstance(found, dict):
        _wrong(found, "an object", "$")
    known = {field.name for field in fields}
    for name in found:
        if name not in known:
            message = f"there is no such field; there are {', '.join(sorted(known))}"
            raise Problem(422, "unknown_field", message, f"$.{name[:100]}")
    values = {}
    for field in fields:
        if field.name in found:
            values[field.name] = field.read(found[field.name], f"$.{field.name}")
        elif field.required:
            raise Problem(422, "missing_field", "must be given", f"$.{field.name}")
        else:
            values[field.name] = field.default
    return values


def _parse(body: bytes) -> Any:
    try:
        decoded = body.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"the body is not UTF-8 at byte offset {error.start}"
        raise Problem(400, "not_utf8", message) from error
    try:
        return json.loads(decoded, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        message = f"the body is not JSON: {error.msg} at character {error.pos}"
        raise Problem(400, "not_json", message) from error
    except RecursionError as error:
        raise Problem(400, "not_json", "the body is nested too deeply") from error
    except ValueError as error:  # a number with thousands of digits
        raise Problem(400, "not_json", "the body has a number that is too long") from error


def _no_constant(name: str) -> NoReturn:
    raise Problem(400, "not_json", f"the body is not JSON: {name} is no number of JSON")


def _whole(value: Any, most: int, where: str) -> int:
    """A whole number from 0 to `most`; as in JSON schema, 1.0 is one."""
    whole = int(value) if isinstance(value, float) and value.is_integer() else value
    if type(whole) is not int or not 0 <= whole <= most:
        _wrong(value, f"a whole number from 0 to {most}", where)
    return whole


def _wrong(value: Any, wanted: str, where: str) -> NoReturn:
    found = json.dumps(value, default=str)
    short = found if len(found) <= 40 else f"{found[:40]}…"
    raise Problem(422, "wrong_value", f"must be {wanted}, not {short}", where)
