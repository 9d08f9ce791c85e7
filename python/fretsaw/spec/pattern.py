"""What a `Split` or a `Replace` looks for."""

from dataclasses import dataclass
from typing import Annotated

from ._component import Component
from ._faults import Fault, wrong_type
from ._fields import Kind, Text, TextKind

__all__ = ["Pattern", "Regex"]


@dataclass(frozen=True, repr=False)
class Regex(Component):
    r"""A regular expression (Oniguruma, in its Ruby dialect); a plain `str` is literal text.

    >>> from fretsaw.spec import Regex, Replace
    >>> Replace(Regex(r"\s+"), " ") == Replace(r"\s+", " ")
    False
    """

    pattern: Text

    def __repr__(self) -> str:
        return f"Regex({self.pattern!r})"


class PatternKind(Kind):
    """`"text"` or `Regex("…")`; in a file `{"String": …}` or `{"Regex": …}`."""

    def take(self, value: object) -> object:
        if isinstance(value, Regex):
            return value
        if not isinstance(value, str):
            raise wrong_type(value, "a string or a Regex")
        return TextKind().take(value)

    def read(self, json: object) -> object:
        expected = '{"String": …} or {"Regex": …}'
        if not isinstance(json, dict):
            raise wrong_type(json, expected)
        if len(json) != 1:
            raise Fault(f"expected {expected}, found an object of {len(json)} fields")
        [(name, text)] = json.items()
        if name not in ("String", "Regex"):
            raise Fault(f"{name!r} is no kind of pattern", kind="unknown", path=f".{name}")
        try:
            checked = str(TextKind().take(text))
        except Fault as fault:
            raise fault.under(f".{name}") from None
        return Regex(checked) if name == "Regex" else checked

    def write(self, value: object) -> object:
        return {"Regex": value.pattern} if isinstance(value, Regex) else {"String": value}


Pattern = Annotated[str | Regex, PatternKind()]
