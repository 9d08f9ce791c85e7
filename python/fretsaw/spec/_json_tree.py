"""Components as JSON values, and back."""

from typing import Any

from ._component import Component, read_fields, required_fields, write_fields
from ._faults import Fault, not_among, wrong_type
from ._fields import TextKind, elements
from .normalizers import BertNormalizer
from .post_processors import BertProcessing, RobertaProcessing
from .roles import CLASSES, PARTS, UNTYPED
from .several_roles import ByteLevel, Metaspace, Sequence

__all__ = ["read_component", "write_component"]


def write_component(component: Component, role: str) -> dict[str, object]:
    """A component, which fits the role, as a JSON object."""
    written: dict[str, object] = {"type": CLASSES[role][type(component)]}
    if isinstance(component, Sequence):
        written[PARTS[role]] = [write_component(part, role) for part in component.parts]
    elif not (role == "normalizer" and isinstance(component, ByteLevel)):
        written |= write_fields(component)
    return written


def read_component(json: object, role: str) -> Component:
    """The component of a JSON object, as Hugging Face tokenizers reads it. Raises `Fault`."""
    if not isinstance(json, dict):
        raise wrong_type(json, "an object with a `type`")
    fields = {name: value for name, value in json.items() if name != "type"}
    of = class_of(json, role)
    if of is Sequence:
        return read_sequence(fields, role)
    if of is ByteLevel and role == "normalizer":
        for name, _value in fields.items():
            message = f"{name!r} is no field of the normalizer ByteLevel"
            raise Fault(message, kind="unknown", path=f".{name}")
        return ByteLevel()
    if of is Metaspace:
        fields = without_older_fields(fields)
    if of in (BertProcessing, RobertaProcessing):
        of = by_fields(of, fields)
    return read_fields(of, fields)


def class_of(json: dict[str, Any], role: str) -> type[Component]:
    """The class that the `type` of an object names, or that its fields fit."""
    if "type" in json:
        name = json["type"]
        for of, its_type in CLASSES[role].items():
            if name == its_type:
                return of
        if role == "normalizer" and name == "Bert":
            return BertNormalizer
        if not isinstance(name, str):
            raise wrong_type(name, "a string").under(".type")
        names = ", ".join(CLASSES[role].values())
        fault = not_among(name, f"one of {names}").under(".type")
        fault.kind = "unknown"
        raise fault
    for of in UNTYPED[role]:
        required = {PARTS[role]} if of is Sequence else required_fields(of)
        if required <= json.keys():
            return of
    raise Fault("`type` is missing")


def read_sequence(fields: dict[str, Any], role: str) -> Sequence:
    """The parts of a sequence."""
    field = PARTS[role]
    for name in fields:
        if name != field:
            message = f"{name!r} is no field of Sequence here"
            raise Fault(message, kind="unknown", path=f".{name}")
    if field not in fields:
        raise Fault(f"`{field}` is missing")
    parts = []
    try:
        for place, part in enumerate(elements(fields[field], "a list")):
            try:
                parts.append(read_component(part, role))
            except Fault as fault:
                raise fault.under(f"[{place}]") from None
    except Fault as fault:
        raise fault.under(f".{field}") from None
    return Sequence(parts)


def without_older_fields(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of a Metaspace without `add_prefix_space` and `str_rep`.

    The first may only repeat what `prepend_scheme` says, whose default is "always".
    """
    fields = dict(fields)
    if (spelled := fields.pop("str_rep", None)) is not None:
        try:
            TextKind().take(spelled)
        except Fault as fault:
            raise fault.under(".str_rep") from None
    add = fields.pop("add_prefix_space", None)
    if add is not None and not isinstance(add, bool):
        raise wrong_type(add, "true or false").under(".add_prefix_space")
    if add is False and fields.get("prepend_scheme", "always") != "never":
        expected = 'possible unless `prepend_scheme` is "never"'
        raise not_among(add, expected).under(".add_prefix_space")
    return fields


def by_fields(of: type[Component], fields: dict[str, Any]) -> type[Component]:
    """Of BertProcessing and RobertaProcessing the one whose fields are there, whatever the `type`."""
    further = {"trim_offsets", "add_prefix_space"} & fields.keys()
    if len(further) == 2:
        return RobertaProcessing
    return of if further else BertProcessing
