"""Training byte-pair encoding for several languages at once, by the book.

At each merge one language is chosen, the one whose text is the longest in tokens, and its most frequent
pair (of equals the one whose strings are the greatest) becomes a rule and is merged in all languages.

- *Text* to measure is `dev` if it is given, best the same sentences in every language, else what is
  trained on. A dev word with a character that is no token is left out.
- With `ratio` the language is chosen whose compression, divided by its ratio, is the least.
- With `window` = (size, alpha), a language that has more than alpha / (number of languages) of the last
  `size` choices is passed over; if all are, the last one that was is chosen.
- The first `global_merges` pairs are those most frequent in all languages together.
- A language whose best pair is too rare is out; the first language stands in where no other may be
  chosen. Training ends when all are out, or when no choice can help any more.

Everything is counted anew for each merge: O(merges x text). Pairs overlap when they are counted ("aaa"
has two), and are merged from left to right.

Source: Foroutan et al. 2025 (arXiv:2508.04796); Hugging Face tokenizers 0.23.3, ParityBpeTrainer.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, deque
from collections.abc import Mapping, Sequence

Word = list[str]
Words = list[tuple[Word, int]]
Pair = tuple[str, str]


def learn_parity_merges(
    languages: Sequence[Mapping[str, int]],
    num_merges: int,
    *,
    dev: Sequence[Mapping[str, int]] | None = None,
    ratio: Sequence[float] | None = None,
    window: tuple[int, float] | None = None,
    global_merges: int = 0,
    min_frequency: int = 0,
) -> list[Pair]:
    """Return merges in the order in which they are found; a repeated one stands twice.

    `languages` and `dev` have for each language its words with their counts.

    >>> learn_parity_merges([{"ab": 9, "ad": 9}, {"xy": 5}], 3)
    [('a', 'd'), ('a', 'b'), ('x', 'y')]
    >>> learn_parity_merges([{"ab": 9}, {"xy": 5}], 1, ratio=[1, 2])
    [('x', 'y')]
    """
    chars = {char for words in [*languages, *(dev or ())] for word in words for char in word}
    texts = [_spelled(words, chars) for words in languages]
    measured = [_spelled(words, chars) for words in dev] if dev is not None else texts
    start = [_length(text) for text in texts]
    choice = _Choice(len(texts), window)
    merges: list[Pair] = []
    while len(merges) < num_merges and not choice.is_over():
        language = None
        if len(merges) >= global_merges:
            lengths = [_length(text) for text in measured]
            needs: list[float] = [*lengths]
            if dev is None and ratio is not None:
                needs = [-_rate(*one) for one in zip(start, lengths, ratio, strict=True)]
            language = choice.next(needs)
        counted = texts if language is None else [texts[language]]
        best = _best(counted)
        if best is None or best[0] < min_frequency:
            if language is None:
                break
            choice.failed(language)
            continue
        choice.in_vain = 0
        merges.append(best[1])
        for text in {id(text): text for text in [*texts, *measured]}.values():
            for word, _ in text:
                _merge(word, best[1])
    return merges


class _Choice:
    """Which language is next, what was chosen of late, and which languages are out."""

    def __init__(self, languages: int, window: tuple[int, float] | None):
        self.size, self.alpha = window or (0, 0.0)
        self.chosen: deque[int] = deque(maxlen=self.size)
        self.out = [False] * languages
        self.in_vain = 0

    def next(self, needs: Sequence[float]) -> int:
        passed: set[int] = set()
        while True:
            may = [at for at in range(len(needs)) if not self.out[at] and at not in passed]
            may = [at for at in may if needs[at] > -math.inf]
            best = max(may, key=lambda at: (needs[at], -at), default=0)
            few = self.alpha / len(needs)
            if not self.size:
                return best
            share = self.chosen.count(best) / self.size
            is_last = best in passed or len(passed | {best}) == len(needs)
            if share <= few or is_last:
                self.chosen.append(best)
                return best
            passed.add(best)

    def failed(self, language: int) -> None:
        self.in_vain += self.out[language]
        self.out[language] = True

    def is_over(self) -> bool:
        patience = self.size + len(self.out) if self.size else 0
        return all(self.out) or self.in_vain > patience


def _spelled(words: Mapping[str, int], chars: set[str]) -> Words:
    return [(list(word), count) for word, count in words.items() if chars.issuperset(word)]


def _length(text: Words) -> int:
    return sum(len(word) * count for word, count in text)


def _rate(start: int, length: int, ratio: float) -> float:
    """Compression in proportion to what it is to be; without text there is none."""
    return start / length / ratio if length else math.nan


def _best(texts: Sequence[Words]) -> tuple[int, Pair] | None:
    """The most frequent pair with its count; of equals the one whose strings are the greatest."""
    counts: Counter[Pair] = Counter()
    for word, count in itertools.chain(*texts):
        for pair in itertools.pairwise(word):
            counts[pair] += count
    return max(((count, pair) for pair, count in counts.items()), default=None)


def _merge(word: Word, pair: Pair) -> None:
    at = 0
    while at + 1 < len(word):
        if (word[at], word[at + 1]) == pair:
            word[at : at + 2] = ["".join(pair)]
        at += 1
