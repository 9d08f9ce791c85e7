"""What is put around the ids."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from ._component import Component
from ._fields import Flag, TokenWithId
from ._template_kinds import SpecialTokensKind, TemplateKind
from .templates import (
    SequencePiece,
    SpecialToken,
    SpecialTokenPiece,
    TemplatePiece,
    parse_template,
)

__all__ = ["BertProcessing", "RobertaProcessing", "TemplateProcessing"]


@dataclass(frozen=True, repr=False)
class BertProcessing(Component):
    """`[CLS] A [SEP] B [SEP]`.

    >>> from fretsaw.spec import BertProcessing
    >>> BertProcessing(sep=("[SEP]", 2), cls=("[CLS]", 1))
    BertProcessing(sep=('[SEP]', 2), cls=('[CLS]', 1))
    """

    sep: TokenWithId
    cls: TokenWithId


@dataclass(frozen=True, repr=False)
class RobertaProcessing(Component):
    """`<s> A </s> </s> B </s>`.

    >>> from fretsaw.spec import RobertaProcessing
    >>> RobertaProcessing(sep=("</s>", 2), cls=("<s>", 0)).trim_offsets
    True
    """

    sep: TokenWithId
    cls: TokenWithId
    trim_offsets: Flag = True
    add_prefix_space: Flag = True


@dataclass(frozen=True, repr=False, init=False)
class TemplateProcessing(Component):
    """What a template says, for one text and for a pair.

    A template is a list of pieces, or their short form: `"[CLS] $A [SEP]:1"`, where `:1` is a type
    id. A special token is a `SpecialToken`, or a token and its id. A template in the short form
    must name special tokens that are there, and for a pair it must have `$A` and `$B`.

    >>> from fretsaw.spec import TemplateProcessing
    >>> made = TemplateProcessing("[CLS] $A", special_tokens=[("[CLS]", 1)])
    >>> made.single
    (SpecialTokenPiece(id='[CLS]', type_id=0), SequencePiece(id='A', type_id=0))
    >>> made.special_tokens
    (SpecialToken(id='[CLS]', ids=(1,), tokens=('[CLS]',)),)
    """

    single: Annotated[tuple[TemplatePiece, ...], TemplateKind()]
    pair: Annotated[tuple[TemplatePiece, ...], TemplateKind()]
    special_tokens: Annotated[tuple[SpecialToken, ...], SpecialTokensKind()]

    def __init__(
        self,
        single: str | Sequence[TemplatePiece | str] = "$0",
        pair: str | Sequence[TemplatePiece | str] = "$A:0 $B:1",
        special_tokens: Sequence[SpecialToken | tuple[str, int] | tuple[int, str]] = (),
    ) -> None:
        object.__setattr__(self, "single", parse_template(single))
        object.__setattr__(self, "pair", parse_template(pair))
        object.__setattr__(self, "special_tokens", special_tokens)
        self.__post_init__()
        if is_short(single):
            self._check_names("single", self.single)
        if is_short(pair):
            self._check_names("pair", self.pair)
            if {piece.id for piece in self.pair if isinstance(piece, SequencePiece)} != {"A", "B"}:
                raise ValueError("TemplateProcessing.pair: must have both $A and $B")

    def _check_names(self, field: str, pieces: tuple[TemplatePiece, ...]) -> None:
        known = {token.id for token in self.special_tokens}
        for piece in pieces:
            if isinstance(piece, SpecialTokenPiece) and piece.id not in known:
                raise ValueError(f"TemplateProcessing.{field}: {piece.id!r} is no special token")


def is_short(template: str | Sequence[TemplatePiece | str]) -> bool:
    """Whether a template has anything in the short form."""
    return isinstance(template, str) or any(isinstance(piece, str) for piece in template)
