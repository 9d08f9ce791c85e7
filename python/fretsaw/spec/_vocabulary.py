"""Vocabularies, merges and scores."""

import json
import math
from collections.abc import Mapping

from ._decimals import write_decimal
from ._faults import Fault, not_among, wrong_type
from ._fields import IdKind, Kind, TextKind, elements

__all__ = ["AlphaKind", "DropoutKind", "MergesKind", "Raw", "ScoredKind", "VocabKind"]


class Raw(str):
    """A text that is JSON already."""

    __slots__ = ()


class VocabKind(Kind):
    """Tokens and ids."""

    def take(self, value: object) -> object:
        if not isinstance(value, Mapping):
            raise wrong_type(value, "a dictionary of tokens and ids")
        text, id = TextKind(), IdKind()
        for token, number in value.items():
            # The first line is for speed; the others know what is wrong.
            if not (type(token) is str and type(number) is int and 0 <= number <= id.last):
                name = text.take(token)
                try:
                    id.take(number)
                except Fault as fault:
                    raise fault.under(f".{name}") from None
        return dict(value)


class MergesKind(Kind):
    """Pairs of tokens; in older files, strings with a space between the two."""

    def take(self, value: object) -> object:
        merges = elements(value, "a list of pairs of tokens")
        taken = []
        for place, merge in enumerate(merges):
            if not (
                isinstance(merge, tuple | list)
                and len(merge) == 2
                and isinstance(merge[0], str)
                and isinstance(merge[1], str)
            ):
                raise wrong_type(merge, "a pair of tokens").under(f"[{place}]")
            taken.append((merge[0], merge[1]))
        return tuple(taken)

    def read(self, json: object) -> object:
        merges = elements(json, "a list of merges")
        if not merges or not isinstance(merges[0], str):
            return merges
        pairs = []
        for place, line in enumerate(merges):
            if not isinstance(line, str):
                raise wrong_type(line, "a string").under(f"[{place}]")
            if line.startswith("#version"):
                continue
            pair = line.split(" ")
            if len(pair) != 2:
                expected = "two tokens with one space between"
                raise not_among(line, expected).under(f"[{place}]")
            pairs.append(pair)
        return pairs

    def write(self, value: object) -> object:
        return list(elements(value, "a list of pairs of tokens"))


def finite(value: object) -> float:
    """A number as a float."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise wrong_type(value, "a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise not_among(value, "a finite number")
    return number


class ScoredKind(Kind):
    """Tokens with scores."""

    def take(self, value: object) -> object:
        taken = []
        for place, entry in enumerate(elements(value, "a list of tokens with scores")):
            try:
                token, score = elements(entry, "a token and its score", count=2)
                if type(token) is not str:
                    raise wrong_type(token, "a string").under("[0]")
                taken.append((token, finite(score)))
            except Fault as fault:
                raise fault.under(f"[{place}]") from None
        return tuple(taken)

    def write(self, value: object) -> object:
        assert isinstance(value, tuple)
        entries = (
            f"[{json.dumps(token, ensure_ascii=False)},{write_decimal(score)}]"
            for token, score in value
        )
        return Raw(f"[{','.join(entries)}]")


class AlphaKind(Kind):
    """A finite number from 0 on, or None."""

    def take(self, value: object) -> object:
        if value is None:
            return None
        number = finite(value)
        if number < 0.0:
            raise not_among(number, "a finite number from 0 on")
        return number


class DropoutKind(Kind):
    """A probability, or None."""

    def take(self, value: object) -> object:
        if value is None:
            return None
        number = finite(value)
        if not 0.0 <= number <= 1.0:
            raise not_among(number, "a probability from 0 to 1")
        return number

    def write(self, value: object) -> object:
        return Raw(write_decimal(value)) if isinstance(value, float) else None
