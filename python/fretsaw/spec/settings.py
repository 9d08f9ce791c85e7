"""Truncation and padding that a file asks for."""

from dataclasses import dataclass
from typing import Annotated, Literal

from ._component import Component
from ._faults import Fault, wrong_type
from ._fields import Choice, Id, IdKind, Kind, LeftOut, OptionalSize, Size, Text

__all__ = ["Padding", "Truncation"]

Direction = Annotated[Literal["Left", "Right"], Choice("Left", "Right")]
Strategy = Annotated[
    Literal["LongestFirst", "OnlyFirst", "OnlySecond"],
    Choice("LongestFirst", "OnlyFirst", "OnlySecond"),
]


@dataclass(frozen=True, repr=False)
class Truncation(Component):
    """Truncation to `max_length` ids.

    >>> from fretsaw.spec import Truncation
    >>> Truncation(128)
    Truncation(max_length=128, stride=0, strategy='LongestFirst', direction='Right')
    """

    max_length: Size = 512
    stride: Size = 0
    strategy: Strategy = "LongestFirst"
    direction: Annotated[Direction, LeftOut.MISSING] = "Right"


class PadStrategyKind(Kind):
    """`"BatchLongest"` or a length; in a file `{"Fixed": length}`."""

    def take(self, value: object) -> object:
        if isinstance(value, str):
            return Choice("BatchLongest").take(value)
        if not isinstance(value, int) or isinstance(value, bool):
            raise wrong_type(value, '"BatchLongest" or a length')
        return IdKind(64).take(value)

    def read(self, json: object) -> object:
        if isinstance(json, dict) and list(json) == ["Fixed"]:
            try:
                return IdKind(64).take(json["Fixed"])
            except Fault as fault:
                raise fault.under(".Fixed") from None
        if not isinstance(json, str):
            raise wrong_type(json, '"BatchLongest" or {"Fixed": length}')
        return json

    def write(self, value: object) -> object:
        return value if isinstance(value, str) else {"Fixed": value}


@dataclass(frozen=True, repr=False)
class Padding(Component):
    """Padding to the longest of a batch, or to a fixed length.

    >>> from fretsaw.spec import Padding
    >>> Padding(192, pad_token="<pad>").strategy
    192
    """

    strategy: Annotated[Literal["BatchLongest"] | int, PadStrategyKind()] = "BatchLongest"
    direction: Direction = "Right"
    pad_to_multiple_of: OptionalSize = None
    pad_id: Id = 0
    pad_type_id: Id = 0
    pad_token: Text = "[PAD]"
