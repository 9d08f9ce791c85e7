"""What is wrong with a value, before it is known whether it came from Python or from a file."""

import json

from .._errors import SpecError, UnsupportedError

__all__ = ["Fault", "not_among", "shown", "wrong_type"]


class Fault(Exception):
    """A value that does not fit. `path` is where it is, from the outermost place known so far."""

    def __init__(self, message: str, *, kind: str = "value", path: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.path = path

    def under(self, step: str) -> "Fault":
        """The same fault one level further up: `step` is `.field` or `[index]`."""
        self.path = step + self.path
        return self

    def in_python(self) -> TypeError | ValueError:
        """The error for an argument."""
        error = TypeError if self.kind == "type" else ValueError
        return error(f"{self.path.removeprefix('.')}: {self.message}")

    def in_json(self) -> SpecError:
        """The error for a file."""
        place = self.path.removeprefix(".") or "$"
        error = UnsupportedError if self.kind == "unknown" else SpecError
        return error(f"{self.message} (at `{place}`)")


def wrong_type(value: object, expected: str) -> Fault:
    """A value of the wrong type."""
    return Fault(f"expected {expected}, found {shown(value)}", kind="type")


def not_among(value: object, expected: str) -> Fault:
    """A value of the right type that is not among those allowed."""
    return Fault(f"{shown(value)} is not {expected}")


def shown(value: object) -> str:
    """A value for an error, short: as JSON where it can be."""
    if isinstance(value, str) or value is None or isinstance(value, bool | int | float):
        text = json.dumps(value, ensure_ascii=False)
        return text if len(text) <= 80 else f"{text[:80]}…"
    return f"a {type(value).__name__}"
