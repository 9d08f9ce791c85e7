"""Random strings that are the same everywhere: string i depends on the seed and i alone.

A string is a few segments; a segment is a word of one script, marks on letters, white space,
digits, a contraction, an emoji, a marker, a long run, a control character or any scalar value.
SplitMix64 (Steele, Lea, Flood 2014) supplies the numbers, so no Python version can change a
string.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar

from oracle import alphabets

_MASK: Final = (1 << 64) - 1
_Item = TypeVar("_Item")

DIGEST_SEED: Final = 20_240_601
"""Seed of the strings behind the frozen digests."""


class SplitMix64:
    """A 64-bit generator; `below(n)` is the high part of a product, free of rejection."""

    def __init__(self, seed: int) -> None:
        """Starts at a seed, of which the low 64 bits count."""
        self._state = seed & _MASK

    def next(self) -> int:
        """The next 64 random bits."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        value = self._state
        value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
        return value ^ (value >> 31)

    def below(self, limit: int) -> int:
        """A number in 0..limit."""
        return (self.next() * limit) >> 64

    def between(self, first: int, last: int) -> int:
        """A number in first..=last."""
        return first + self.below(last - first + 1)

    def pick(self, items: Sequence[_Item]) -> _Item:
        """One item of a sequence."""
        return items[self.below(len(items))]


_SCRIPT_LETTERS: Final = tuple(alphabets.expand(ranges) for ranges in alphabets.SCRIPTS.values())
_MARKS: Final = alphabets.expand(alphabets.MARKS)
_PUNCTUATION: Final = alphabets.expand(alphabets.PUNCTUATION)
_OTHER_NUMBERS: Final = alphabets.expand(alphabets.OTHER_NUMBERS)
_ODD: Final = (
    *alphabets.CONTROLS,
    *alphabets.NONCHARACTERS,
    *alphabets.NEARLY_SPACE,
    *alphabets.EDGES,
)
_ASCII_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_WORDS: Final = (
    "the", "of", "and", "to", "in", "is", "that", "for", "was", "with", "return", "self", "def",
    "function", "const", "import", "Hello", "World", "token", "tokenizer", "encode", "HTTP", "API",
    "iPhone", "New", "York", "2024", "international", "understanding", "xkcd", "e", "I", "a",
)  # fmt: skip


def _word(rng: SplitMix64) -> str:
    word = rng.pick(_WORDS)
    style = rng.below(6)
    if style == 0:
        word = word.upper()
    elif style == 1:
        word = word.capitalize()
    return word if rng.below(4) == 0 else " " + word


def _letters(rng: SplitMix64) -> str:
    word = "".join(rng.pick(_ASCII_LETTERS) for _ in range(rng.between(1, 14)))
    style = rng.below(5)
    if style == 0:
        word = word.upper()
    elif style == 1:
        word = "".join(c.upper() if rng.below(2) else c for c in word)
    return word


def _script(rng: SplitMix64) -> str:
    letters = rng.pick(_SCRIPT_LETTERS)
    word = "".join(chr(rng.pick(letters)) for _ in range(rng.between(1, 9)))
    return word if rng.below(2) else " " + word


def _marked(rng: SplitMix64) -> str:
    letters = rng.pick(_SCRIPT_LETTERS)
    parts: list[str] = []
    for _ in range(rng.between(1, 4)):
        parts.append(chr(rng.pick(letters)))
        parts.extend(chr(rng.pick(_MARKS)) for _ in range(rng.below(3)))
    return "".join(parts)


def _space(rng: SplitMix64) -> str:
    style = rng.below(4)
    if style == 0:
        return " " * rng.between(1, 9)
    if style == 1:
        return "".join(rng.pick(" \t\n\r") for _ in range(rng.between(1, 6)))
    if style == 2:
        return rng.pick(("\n", "\r\n", "\n\n", "\n    ", "\t\t", "\r"))
    return "".join(chr(rng.pick(alphabets.WHITE_SPACE)) for _ in range(rng.between(1, 4)))


def _digits(rng: SplitMix64) -> str:
    style = rng.below(4)
    if style == 0:
        return "".join(chr(rng.pick(_OTHER_NUMBERS)) for _ in range(rng.between(1, 4)))
    zero = rng.pick(alphabets.DECIMAL_ZEROS) if style == 1 else 0x30
    number = "".join(chr(zero + rng.below(10)) for _ in range(rng.between(1, 9)))
    return rng.pick(("", "", " ", "-", "$")) + number


def _punctuation(rng: SplitMix64) -> str:
    if rng.below(3):
        return rng.pick(
            (". ", ", ", "; ", "...", " - ", "()", "{}", "[]", '"', "==", "->", "//", "\\n", "!")
        )
    return "".join(chr(rng.pick(_PUNCTUATION)) for _ in range(rng.between(1, 5)))


def _contraction(rng: SplitMix64) -> str:
    apostrophe = rng.pick(alphabets.APOSTROPHES) if rng.below(3) == 0 else "'"
    tail = rng.pick(alphabets.CONTRACTIONS)
    if rng.below(3) == 0:
        tail = tail.upper()
    return (
        rng.pick(("it", "we", " I", "", "don", " THEY"))
        + apostrophe * (1 + (rng.below(8) == 0))
        + tail
    )


def _emoji(rng: SplitMix64) -> str:
    return "".join(rng.pick(alphabets.EMOJI) for _ in range(rng.between(1, 3)))


def _marker(rng: SplitMix64) -> str:
    marker = rng.pick(alphabets.CHAT_MARKERS if rng.below(2) else alphabets.OTHER_MARKERS)
    style = rng.below(8)
    if style == 0:
        return marker[: rng.below(len(marker))]
    if style == 1:
        return marker.swapcase()
    return " " + marker + " " if style == 2 else marker


def _run(rng: SplitMix64) -> str:
    unit = rng.pick(
        (
            " ",
            "a",
            "A",
            "0",
            "-",
            "=",
            "\n",
            "\t",
            "'",
            "\u00a0",
            "\u4e00",
            "\u0301",
            "\u3042",
            "ab",
            "!",
        )
    )
    return unit * rng.between(1, 1 << rng.between(1, 8))


def _odd(rng: SplitMix64) -> str:
    return "".join(chr(rng.pick(_ODD)) for _ in range(rng.between(1, 2)))


def scalar(rng: SplitMix64) -> str:
    """Any Unicode scalar value, each equally likely."""
    point = rng.below(0x110000 - 0x800)
    return chr(point if point < 0xD800 else point + 0x800)


def _scalars(rng: SplitMix64) -> str:
    return "".join(scalar(rng) for _ in range(rng.between(1, 4)))


_SEGMENTS: Final[tuple[Callable[[SplitMix64], str], ...]] = (
    *[_word] * 8, *[_letters] * 3, *[_script] * 5, *[_marked] * 2, *[_space] * 4, *[_digits] * 3,
    *[_punctuation] * 3, *[_contraction] * 2, *[_emoji] * 2, *[_marker] * 2, _run, _odd, _scalars,
)  # fmt: skip


def random_string(seed: int, index: int, most_segments: int = 12) -> str:
    """String number `index` of a seed: 1 to `most_segments` segments, of any kinds."""
    rng = SplitMix64(SplitMix64(seed).next() ^ SplitMix64(index).next())
    return "".join(rng.pick(_SEGMENTS)(rng) for _ in range(rng.between(1, most_segments)))


def random_strings(seed: int, start: int, stop: int, most_segments: int = 12) -> Iterator[str]:
    """Strings start..stop of a seed."""
    return (random_string(seed, index, most_segments) for index in range(start, stop))
