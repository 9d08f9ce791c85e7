"""What a `TemplateProcessing` is made of, and the short way to write it."""

import re
from dataclasses import dataclass
from typing import Annotated, Literal

from ._component import Component
from ._fields import Choice, Id, IdsKind, Text, TextsKind

__all__ = [
    "SequencePiece",
    "SpecialToken",
    "SpecialTokenPiece",
    "TemplatePiece",
    "parse_piece",
    "parse_template",
]


@dataclass(frozen=True, repr=False)
class SequencePiece(Component):
    """One of the texts that are encoded: `"A"`, the first, or `"B"`, the second.

    >>> from fretsaw.spec import SequencePiece
    >>> SequencePiece("B", type_id=1)
    SequencePiece(id='B', type_id=1)
    """

    id: Annotated[Literal["A", "B"], Choice("A", "B")] = "A"
    type_id: Id = 0


@dataclass(frozen=True, repr=False)
class SpecialTokenPiece(Component):
    """A special token, by its name in `TemplateProcessing.special_tokens`.

    >>> from fretsaw.spec import SpecialTokenPiece
    >>> SpecialTokenPiece("[SEP]")
    SpecialTokenPiece(id='[SEP]', type_id=0)
    """

    id: Text
    type_id: Id = 0


TemplatePiece = SequencePiece | SpecialTokenPiece


@dataclass(frozen=True, repr=False)
class SpecialToken(Component):
    """What a name in a template stands for: ids and their tokens.

    >>> from fretsaw.spec import SpecialToken
    >>> SpecialToken("[CLS]", (1,), ("[CLS]",))
    SpecialToken(id='[CLS]', ids=(1,), tokens=('[CLS]',))
    """

    id: Text
    ids: Annotated[tuple[int, ...], IdsKind()]
    tokens: Annotated[tuple[str, ...], TextsKind()]


def parse_template(template: object) -> object:
    """The pieces of a template in the short form; anything else comes back as it is."""
    if isinstance(template, str):
        return [parse_piece(text) for text in template.split(" ")]
    if isinstance(template, list | tuple):
        return [parse_piece(piece) if isinstance(piece, str) else piece for piece in template]
    return template


def parse_piece(text: str) -> TemplatePiece:
    """`$A`, `$B:1`, `$0`, `[CLS]` or `[SEP]:1`, as Hugging Face tokenizers reads it."""
    name, *rest = text.split(":")
    types = [int(number) for number in rest if re.fullmatch(r"\+?[0-9]+", number)]
    if len(rest) > 1 or len(types) != len(rest) or any(number >= 2**32 for number in types):
        raise ValueError(f"{text!r} is no piece of a template")
    if not name.startswith("$"):
        return SpecialTokenPiece(name, *types)
    if name[1:] in ("", "A", "a"):
        return SequencePiece("A", *types)
    if name[1:] in ("B", "b"):
        return SequencePiece("B", *types)
    if re.fullmatch(r"\+?[0-9]+", name[1:]) and int(name[1:]) < 2**32:
        return SequencePiece("A", *(types or [int(name[1:])]))
    raise ValueError(f"{text!r} is no piece of a template")
