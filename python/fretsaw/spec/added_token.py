"""Tokens that are matched in the text before the model sees it."""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated

from ._component import Component
from ._fields import Flag, IdKind, Kind, Text

__all__ = ["AddedToken"]


class GivenIdKind(Kind):
    """An id, or None in Python only."""

    def take(self, value: object) -> object:
        return None if value is None else IdKind().take(value)

    def read(self, json: object) -> object:
        return IdKind().take(json)


@dataclass(frozen=True, repr=False)
class AddedToken(Component):
    """A token that is matched in the text before the model sees it.

    `id` is what a file says. It is only for show: a token has its id in the model's vocabulary,
    or else the next one behind it, and that is written where `id` is None.

    >>> from fretsaw.spec import AddedToken
    >>> AddedToken("<s>", special=True) == AddedToken("<s>")
    False
    """

    content: Text
    _: KW_ONLY
    single_word: Flag = False
    lstrip: Flag = False
    rstrip: Flag = False
    normalized: Flag = True
    special: Flag = False
    id: Annotated[int | None, GivenIdKind()] = None
