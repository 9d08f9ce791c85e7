"""What every class here is built on: fields that are checked, read and written by their kinds."""

from collections.abc import Callable, Collection
from dataclasses import fields
from typing import Any, TypeVar, get_type_hints

from ._faults import Fault, wrong_type
from ._fields import Kind, LeftOut

__all__ = ["Component", "read_fields", "required_fields", "write_fields"]

Built = TypeVar("Built", bound="Component")


class Component:
    """A frozen dataclass that checks its fields when it is made."""

    def __post_init__(self) -> None:
        for name, (kind, _) in kinds(type(self)).items():
            try:
                taken = kind.take(getattr(self, name))
            except Fault as fault:
                raise fault.under(f"{type(self).__name__}.{name}").in_python() from None
            object.__setattr__(self, name, taken)

    def __repr__(self) -> str:
        """As it would be written, with long collections as their number of entries."""
        shown = [f"{name}={short(getattr(self, name))}" for name in kinds(type(self))]
        return f"{type(self).__name__}({', '.join(shown)})"


def short(value: object) -> str:
    """The `repr` of a value, or what it holds when that is much."""
    if isinstance(value, Collection) and not isinstance(value, str) and len(value) > 16:
        return f"<{len(value)} {'bytes' if isinstance(value, bytes) else 'entries'}>"
    return repr(value)


KINDS: dict[type, dict[str, tuple[Kind, LeftOut | None]]] = {}
"""What `kinds` has found out."""


def kinds(of: type[Any]) -> dict[str, tuple[Kind, LeftOut | None]]:
    """The kind of each field, and what a file may do instead of giving it a value."""
    if of in KINDS:
        return KINDS[of]
    hints = get_type_hints(of, include_extras=True)
    found = {}
    for field in fields(of):
        notes = hints[field.name].__metadata__
        left_out = next((note for note in notes if isinstance(note, LeftOut)), None)
        found[field.name] = (next(note for note in notes if isinstance(note, Kind)), left_out)
    KINDS[of] = found
    return found


def kinds_in_files(of: type[Any]) -> dict[str, tuple[Kind, LeftOut | None]]:
    """The same for the fields that a file has a place for."""
    return {name: kind for name, kind in kinds(of).items() if kind[1] is not LeftOut.ALWAYS}


def required_fields(of: type[Component]) -> set[str]:
    """The fields that a file must have."""
    return {name for name, (_, left_out) in kinds(of).items() if left_out is None}


def read_fields(of: type[Built], json: object) -> Built:
    """Makes a component of the fields of a JSON object. Raises `Fault`."""
    if not isinstance(json, dict):
        raise wrong_type(json, "an object")
    known = kinds_in_files(of)
    for name in json:
        if name not in known:
            raise Fault(f"{name!r} is no field of {of.__name__}", kind="unknown", path=f".{name}")
    taken = {}
    for name, (kind, left_out) in known.items():
        if name not in json:
            if left_out is None:
                raise Fault(f"`{name}` is missing")
        elif json[name] is not None or left_out is not LeftOut.MISSING_OR_NULL:
            try:
                taken[name] = kind.take(kind.read(json[name]))
            except Fault as fault:
                raise fault.under(f".{name}") from None
    make: Callable[..., Built] = of
    try:
        return make(**taken)
    except ValueError as error:
        raise Fault(str(error)) from None


def write_fields(component: Component) -> dict[str, object]:
    """The fields of a component as JSON values, in the order of the class."""
    return {
        name: kind.write(getattr(component, name))
        for name, (kind, _) in kinds_in_files(type(component)).items()
    }
