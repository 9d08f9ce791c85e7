"""Added tokens: strings that are cut out of the text before anything else and have ids of their own.

The text is searched twice: for the tokens that are not `normalized`, then, in each stretch that is
left, for those that are. Between the two the stretches are normalized, and so are the strings that
the second search looks for. (With no normalizer the two differ only in who goes first.) A search
takes the leftmost token, the longest of several, and goes on behind it. Of what it takes, a
`single_word` token beside a word character is dropped again, its characters stay plain and hide what
overlaps them; `lstrip` and `rstrip` widen the match over the white space beside it.

An id comes from the content, not from the file's list: the model's, if its vocabulary has the
string, else the next free one, counting from the size of the vocabulary.

Cost: O(text x tokens that share a first character).
Source: Hugging Face tokenizers 0.23.3, `added_vocabulary.rs` (behaviour).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .classes import is_strip_space, is_word
from .match_policy import MatchPolicy
from .normalize import Normalizer, normalize
from .piece import Piece


@dataclass(frozen=True)
class AddedToken:
    """One added token, with the names and defaults of tokenizer.json's writers."""

    content: str
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = True
    special: bool = False


class Segment(NamedTuple):
    """Characters start..end of the text: an added token's, or, if `id` is None, plain text."""

    id: int | None
    start: int
    end: int


class AddedVocabulary:
    """The added tokens of one tokenizer, with their ids.

    >>> added = AddedVocabulary([AddedToken("<end>", special=True, lstrip=True)], vocab={"a": 0})
    >>> added.split("a <end>a", MatchPolicy())
    [Segment(id=None, start=0, end=1), Segment(id=1, start=1, end=7), Segment(id=None, start=7, end=8)]
    """

    def __init__(
        self,
        tokens: Iterable[AddedToken],
        vocab: Mapping[str, int],
        normalizer: Sequence[Normalizer] = (),
    ) -> None:
        """Raises ValueError for tokens that normalization makes equal or empty."""
        self.normalizer = normalizer
        self.by_id: dict[int, AddedToken] = {}
        self.special_contents: set[str] = set()
        ids: dict[str, int] = {}
        next_id = len(vocab)
        for token in tokens:
            if not token.content:
                continue
            token_id = ids.get(token.content, vocab.get(token.content))
            if token_id is None:
                token_id = next_id
                next_id += 1
            ids[token.content] = token_id
            self.by_id[token_id] = token
            if token.special:
                self.special_contents.add(token.content)
        # What is searched for before and after normalization.
        self.searched: tuple[dict[str, int], dict[str, int]] = ({}, {})
        for token_id, token in self.by_id.items():
            searched = token.content
            if token.normalized:
                searched = normalize(Piece(searched, 1), normalizer).text
            if not searched or searched in self.searched[token.normalized]:
                raise ValueError(f"added_tokens: {token.content!r} is normalized to {searched!r}")
            self.searched[token.normalized][searched] = token_id

    def split(self, text: str, policy: MatchPolicy) -> list[Segment]:
        """Cut a text into added tokens and what is between them, in order.

        Raises ValueError if the policy forbids a match, or where a token of white space stands in
        white space that an `rstrip` before it took in (Hugging Face panics there).
        """
        segments = [Segment(None, 0, len(text))]
        for contents in self.searched:
            segments = [
                part
                for segment in segments
                for part in (
                    self._cut(text, segment, contents, policy) if segment.id is None else [segment]
                )
            ]
        return segments

    def pieces(self, text: str, policy: MatchPolicy) -> list[int | Piece]:
        """Cut and normalize a text: ids of added tokens, and the plain text between them.

        Raises ValueError as `split` does.
        """
        if not self.normalizer:
            return [
                Piece(text[start:end], int(start == 0)) if token_id is None else token_id
                for token_id, start, end in self.split(text, policy)
            ]
        found: list[int | Piece] = []
        before, behind = self.searched
        for token_id, start, end in self._cut(text, Segment(None, 0, len(text)), before, policy):
            if token_id is not None:
                found.append(token_id)
                continue
            piece = normalize(Piece(text[start:end], int(start == 0)), self.normalizer)
            whole = Segment(None, 0, len(piece.text))
            for inner in self._cut(piece.text, whole, behind, policy):
                found.append(piece.part(*inner[1:]) if inner.id is None else inner.id)
        return found

    def _cut(
        self, text: str, segment: Segment, contents: Mapping[str, int], policy: MatchPolicy
    ) -> list[Segment]:
        """Cut one stretch of plain text; nothing outside it is looked at."""
        parts: list[Segment] = []
        done = segment.start
        for found, start in self._search(text, segment, contents, policy):
            token_id = contents[found]
            token = self.by_id[token_id]
            end = start + len(found)
            if token.single_word and _touches_word(text, segment, start, end):
                continue
            policy.check(token.content, start)
            if token.lstrip:
                while start > segment.start and is_strip_space(text[start - 1]):
                    start -= 1
                start = max(start, done)
            if token.rstrip:
                while end < segment.end and is_strip_space(text[end]):
                    end += 1
            if start > end:
                raise ValueError(
                    f"added token {token.content!r} ends at character {end}, inside white space"
                    " that the added token before it took in; drop its lstrip or the other's rstrip"
                )
            parts.append(Segment(None, done, start))
            parts.append(Segment(token_id, start, end))
            done = end
        parts.append(Segment(None, done, segment.end))
        return [part for part in parts if part.start < part.end]

    def _search(
        self, text: str, segment: Segment, contents: Mapping[str, int], policy: MatchPolicy
    ) -> Iterator[tuple[str, int]]:
        """Yield string and start of the leftmost-longest matches that the policy allows."""
        by_first_char: dict[str, list[str]] = {}
        for content in sorted(contents, key=len, reverse=True):
            by_first_char.setdefault(content[0], []).append(content)
        start = segment.start
        while start < segment.end:
            for content in by_first_char.get(text[start], ()):
                inside = start + len(content) <= segment.end
                name = self.by_id[contents[content]].content
                if inside and text.startswith(content, start) and policy.allows(name, start):
                    yield content, start
                    start += len(content)
                    break
            else:
                start += 1


def _touches_word(text: str, segment: Segment, start: int, end: int) -> bool:
    """Tell whether a word character of the segment stands right before `start` or at `end`."""
    before = start > segment.start and is_word(text[start - 1])
    return before or (end < segment.end and is_word(text[end]))
