"""Decimal numbers as the readers of tokenizer.json read them: not always the nearest float.

They take the digits as a whole number, as many as fit in 64 bits, round it to a float, multiply or
divide it by a power of ten and round again. The result may be a neighbour of the nearest float,
and two scores that differ by one bit decide a tie.

Cost: O(digits).
Source: serde_json without its feature `float_roundtrip`, as Hugging Face tokenizers 0.23.3 has it.
"""

from __future__ import annotations

import math

LAST = 2**64 - 1


def read_decimal(text: str) -> float:
    """Return the float for a decimal of a JSON file; raises ValueError if it is too large.

    >>> read_decimal("-8.25"), read_decimal("1e2")
    (-8.25, 100.0)
    """
    number, _, power = text.lower().partition("e")
    whole, _, fraction = number.removeprefix("-").partition(".")
    exponent = int(power or 0)
    digits = 0
    for place, digit in enumerate(whole):
        if digits * 10 + int(digit) > LAST:
            exponent += len(whole) - place
            break
        digits = digits * 10 + int(digit)
    for digit in fraction:
        if digits * 10 + int(digit) > LAST:
            break
        digits = digits * 10 + int(digit)
        exponent -= 1
    value = _scaled(float(digits), exponent)
    return -value if number.startswith("-") else value


def _scaled(value: float, exponent: int) -> float:
    """Multiply by a power of ten, the way that rounds as they round."""
    while exponent < -308 and value != 0.0:
        value /= 1e308
        exponent += 308
    if value == 0.0:
        return 0.0
    if exponent < 0:
        return value / float(f"1e{-exponent}")
    value *= float(f"1e{exponent}")
    if math.isinf(value):
        raise ValueError("a number is too large")
    return value
