"""Decimals as the readers of tokenizer.json read them.

They round the digits to a float, then divide by a power of ten and round again (serde_json without
`float_roundtrip`), so that the result may be a neighbour of the nearest float. What stands in a file
means what they make of it, and what is written must be read by them as the number that it stands
for.
"""

import itertools
import math
from collections.abc import Iterator

__all__ = ["read_decimal", "write_decimal"]

LAST = 2**64 - 1


def read_decimal(text: str) -> float:
    """The float that the readers of tokenizer.json make of a decimal.

    >>> read_decimal("-8.25")
    -8.25
    """
    number, _, power = text.lower().partition("e")
    whole, _, fraction = number.removeprefix("-").partition(".")
    significand, exponent = int(whole + fraction), -len(fraction)
    if significand > LAST:
        significand, exponent = cut(whole, fraction)
    value = scaled(float(significand), exponent + int(power or 0))
    return -value if number.startswith("-") else value


def cut(whole: str, fraction: str) -> tuple[int, int]:
    """As many digits as 64 bits hold, and the power of ten they are to be multiplied with."""
    significand = exponent = 0
    for place, digit in enumerate(whole):
        if significand * 10 + int(digit) > LAST:
            exponent = len(whole) - place
            break
        significand = significand * 10 + int(digit)
    for digit in fraction:
        if significand * 10 + int(digit) > LAST:
            break
        significand = significand * 10 + int(digit)
        exponent -= 1
    return significand, exponent


def scaled(value: float, exponent: int) -> float:
    """A float times ten to the `exponent`."""
    while exponent < -308 and value != 0.0:
        value /= 1e308
        exponent += 308
    if value == 0.0:
        return 0.0
    if exponent < 0:
        return value / float(f"1e{-exponent}")
    result = value * float(f"1e{exponent}")
    if math.isinf(result):
        raise ValueError("a number is too large")
    return result


def write_decimal(value: float) -> str:
    """A decimal that is read as `value`; the shortest one for the few that have none.

    >>> write_decimal(-8.25)
    '-8.25'
    """
    shortest = repr(value)
    if reads_back(shortest, value):
        return shortest
    return next((text for text in candidates(value) if reads_back(text, value)), shortest)


def reads_back(text: str, value: float) -> bool:
    """Whether a decimal is read as `value`."""
    try:
        return read_decimal(text) == value
    except ValueError:
        return False


def candidates(value: float) -> Iterator[str]:
    """Decimals very near to `value`."""
    sign = "-" if value < 0 else ""
    for places in itertools.chain([16, 17, 18, 15, 19], range(14, -1, -1)):
        scientific, _, power = f"{abs(value):.{places}e}".partition("e")
        digits = int(scientific.replace(".", ""))
        # Only digits that differ as floats can make a difference.
        step = 1 << (digits >> 53).bit_length()
        for far in (0, 1, -1, 2, -2):
            moved = digits + far * step
            if 0 < moved <= LAST:
                yield f"{sign}{rendered(moved, places - int(power))}"


def rendered(digits: int, behind: int) -> str:
    """Digits of which so many stand behind the point."""
    if not 1 <= behind <= 24:
        return f"{digits}e{-behind}"
    padded = str(digits).rjust(behind + 1, "0")
    return f"{padded[:-behind]}.{padded[-behind:]}"
