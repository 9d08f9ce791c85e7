"""Texts that the page offers to begin with, each with a sample of its kind and one of another.

Languages are from the Declaration; the code is the page's own.
"""

from pathlib import Path
from typing import NamedTuple

from ._languages import languages

__all__ = ["Corpus", "corpora"]

CORPUS_CHARS = 6000
SAMPLE_CHARS = 90
STATIC = Path(__file__).with_name("static")


class Corpus(NamedTuple):
    """A text to train on, a sample like it, and one that is not like it."""

    name: str
    text: str
    sample: str
    elsewhere: str


def corpora() -> list[Corpus]:
    """English, code, Japanese and Thai."""
    by_name = {one.name: one.text for one in languages()}
    english, japanese, thai = (by_name[name] for name in ("English", "Japanese", "Thai"))
    code = (STATIC / "pane.js").read_text(encoding="utf-8")
    return [
        _corpus("English", english, japanese),
        _corpus("Code", code, english),
        _corpus("Japanese", japanese, english),
        _corpus("Thai", thai, english),
    ]


def _corpus(name: str, text: str, other: str) -> Corpus:
    """The sample is from behind what is trained on, so that it is new but alike."""
    corpus = text[:CORPUS_CHARS] if len(text) > CORPUS_CHARS else text[: len(text) * 2 // 3]
    return Corpus(name, corpus, _excerpt(text[len(corpus) :]), _excerpt(other[len(other) // 2 :]))


def _excerpt(text: str) -> str:
    """The beginning of the first whole line, cut at a space if there is one near the end."""
    lines = [line.strip() for line in text.split("\n")[1:]]
    line = next(line for line in lines if len(line) > SAMPLE_CHARS // 2)
    most = SAMPLE_CHARS if line.isascii() else SAMPLE_CHARS // 2
    if len(line) <= most:
        return line
    cut = line[:most]
    return cut[: cut.rfind(" ")] if cut.rfind(" ") > most // 2 else cut
