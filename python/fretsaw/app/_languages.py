"""The Universal Declaration of Human Rights in 30 languages, and how many tokens each takes.

The texts are package data, packed (xz), under 300 KB; `declaration/README.md` says where they are from.
Cost: 30 texts of some 11,000 characters, about 20 ms for a vocabulary.
"""

import functools
import json
import lzma
from importlib.resources import files
from typing import NamedTuple

__all__ = ["Language", "languages"]


class Language(NamedTuple):
    """A language and the Declaration in it."""

    code: str
    """ISO 639-1, with the script where there are two."""
    name: str
    text: str


@functools.cache
def languages() -> tuple[Language, ...]:
    """All languages, by their English names.

    >>> len(languages()), languages()[6].name, languages()[6].text[:21]
    (30, 'English', 'Universal Declaration')
    """
    packed = files(__package__).joinpath("declaration", "texts.json.xz").read_bytes()
    return tuple(Language(**entry) for entry in json.loads(lzma.decompress(packed)))
