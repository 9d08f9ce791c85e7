"""Character classes, read from the range files in `ranges/`.

A range file has one range a line, `start..end value`, both ends included, in hexadecimal, ascending;
`#` starts a comment. A class is the set of ranges whose value is one of some names; a character is
in the class if the range with the greatest start not above it reaches it.

Each part of a tokenizer has its own idea of a letter, a number or white space, from the Unicode
version it was built with, so the files were swept out of the libraries themselves and Python's
`str.isalpha`, `str.isspace` and `re` are no substitutes: they differ at thousands of characters.

Cost: one bisection a character, remembered for characters seen before.
Source: Hugging Face tokenizers 0.23.3, all 1,112,064 scalar values.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache, lru_cache
from importlib import resources

LETTER = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo"})
NUMBER = frozenset({"Nd", "Nl", "No"})
YES = frozenset({"yes"})

Ranges = tuple[list[int], list[int]]  # starts and ends, both ascending


@cache
def load_ranges(file_name: str, values: frozenset[str]) -> Ranges:
    """Return starts and ends of the ranges in `ranges/<file_name>` that have one of the values."""
    starts: list[int] = []
    ends: list[int] = []
    text = (resources.files(__package__) / "ranges" / file_name).read_text(encoding="ascii")
    for line in text.splitlines():
        fields = line.partition("#")[0].split()
        if fields and fields[1] in values:
            start, _, end = fields[0].partition("..")
            starts.append(int(start, 16))
            ends.append(int(end, 16))
    return starts, ends


@cache
def load_mapping(file_name: str) -> dict[str, str]:
    """Return a mapping file: what each character of a range becomes, code points joined by `+`."""
    mapping: dict[str, str] = {}
    text = (resources.files(__package__) / "ranges" / file_name).read_text(encoding="ascii")
    for line in text.splitlines():
        fields = line.partition("#")[0].split()
        if fields:
            start, _, end = fields[0].partition("..")
            becomes = "".join(chr(int(code, 16)) for code in fields[1].split("+"))
            mapping.update(
                dict.fromkeys(map(chr, range(int(start, 16), int(end, 16) + 1)), becomes)
            )
    return mapping


def _contains(ranges: Ranges, char: str) -> bool:
    starts, ends = ranges
    at = bisect_right(starts, ord(char)) - 1
    return at >= 0 and ord(char) <= ends[at]


@lru_cache(maxsize=65536)
def is_letter(char: str) -> bool:
    """Tell whether the split's `\\p{L}` matches: general categories Lu Ll Lt Lm Lo.

    >>> is_letter("é"), is_letter("語"), is_letter("\\u093f")  # a Devanagari vowel sign is a mark
    (True, True, False)
    """
    return _contains(load_ranges("onig_category.txt", LETTER), char)


@lru_cache(maxsize=65536)
def is_number(char: str) -> bool:
    """Tell whether the split's `\\p{N}` matches: general categories Nd Nl No.

    >>> is_number("7"), is_number("½"), is_number("Ⅷ"), is_number("七")
    (True, True, True, False)
    """
    return _contains(load_ranges("onig_category.txt", NUMBER), char)


@lru_cache(maxsize=65536)
def is_space(char: str) -> bool:
    """Tell whether the split's `\\s` matches: 25 characters.

    >>> is_space("\\u3000"), is_space("\\x1f")  # Python's str.isspace says yes to both
    (True, False)
    """
    return _contains(load_ranges("onig_space.txt", YES), char)


@lru_cache(maxsize=65536)
def is_numeric(char: str) -> bool:
    """Tell whether the pre-tokenizer Digits calls a character a number."""
    return _contains(load_ranges("rust_numeric.txt", YES), char)


@lru_cache(maxsize=65536)
def is_strip_space(char: str) -> bool:
    """Tell whether an added token's `lstrip` and `rstrip` take a character in."""
    return _contains(load_ranges("strip_space.txt", YES), char)


@lru_cache(maxsize=65536)
def is_whitespace(char: str) -> bool:
    """Tell whether WhitespaceSplit and the normalizer Strip remove a character."""
    return _contains(load_ranges("rust_whitespace.txt", YES), char)


def lowercase(char: str) -> str:
    """Return a character in lower case, as the normalizer Lowercase has it.

    >>> lowercase("É"), lowercase("Σ"), lowercase("İ"), lowercase("3")
    ('é', 'σ', 'i̇', '3')
    """
    return load_mapping("lowercase.txt").get(char, char)


@lru_cache(maxsize=65536)
def is_word(char: str) -> bool:
    """Tell whether a character beside a `single_word` added token keeps it from matching."""
    return _contains(load_ranges("word_boundary.txt", YES), char)
