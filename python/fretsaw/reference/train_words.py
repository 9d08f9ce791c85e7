"""Training models of words: symbols with a prefix or suffix, WordPiece, and whole words.

The alphabet is the characters that were seen or are wanted, in the order of their code points; with a
limit the rarest go, of equally rare ones those with the higher code points, and words are spelled
without them. A character that does not stand first in its word has the prefix, one that stands last
has the suffix; such symbols have the next ids, in the order of their UTF-8 (the oracle's order differs
from run to run). Then pairs are merged as in `train`. A WordPiece vocabulary is what that leaves.

Cost: that of `train`; whole words cost a sort. Source: Hugging Face tokenizers 0.23.3, `BpeTrainer`,
`WordPieceTrainer`, `WordLevelTrainer`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from .train import merge_symbols


def learn_word_pieces(
    words: Mapping[str, int],
    vocab_size: int,
    min_frequency: int = 0,
    special_tokens: Sequence[str] = (),
    initial_alphabet: Collection[str] = (),
    limit_alphabet: int | None = None,
    prefix: str = "##",
    suffix: str = "",
) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """Return the vocabulary of counted words and the merge rules behind it.

    >>> vocab, merges = learn_word_pieces({"hug": 2, "hugs": 1, "pug": 1}, vocab_size=9)
    >>> list(vocab)
    ['g', 'h', 'p', 's', 'u', '##g', '##s', '##u', '##ug']
    >>> merges
    [('##u', '##g')]
    """
    vocab: dict[str, int] = {}
    for token in [*special_tokens, *alphabet(words, initial_alphabet, limit_alphabet)]:
        vocab.setdefault(token, len(vocab))
    known = set(vocab)
    spelled = [
        [symbol for char, symbol in _symbols(word, prefix, suffix) if char in known]
        for word in words
    ]
    for symbol in sorted({symbol for word in spelled for symbol in word}, key=str.encode):
        vocab.setdefault(symbol, len(vocab))
    symbols = [[vocab[symbol] for symbol in word] for word in spelled]
    counts = list(words.values())
    merges = merge_symbols(symbols, counts, vocab, vocab_size, min_frequency, prefix)
    return vocab, merges


def alphabet(
    words: Mapping[str, int], initial: Collection[str] = (), limit: int | None = None
) -> list[str]:
    """Return the characters to keep, sorted.

    >>> alphabet({"cab": 1, "ba": 1}, initial=["x"], limit=3)
    ['a', 'b', 'x']
    """
    counts: Counter[str] = Counter()
    for word, count in words.items():
        for char in word:
            counts[char] += count
    wanted = set(initial)
    order = sorted(
        wanted | counts.keys(), key=lambda char: (char not in wanted, -counts[char], char)
    )
    return sorted(order[:limit])


def _symbols(word: str, prefix: str, suffix: str) -> Iterator[tuple[str, str]]:
    """Each character of a word with the symbol that it becomes."""
    for at, char in enumerate(word):
        before = prefix if at > 0 else ""
        behind = suffix if at == len(word) - 1 else ""
        yield char, before + char + behind


def learn_words(
    words: Mapping[str, int],
    vocab_size: int,
    min_frequency: int = 0,
    special_tokens: Sequence[str] = (),
) -> dict[str, int]:
    """Return the most frequent words with their ids, by their UTF-8 among equals.

    A word that is a special token as well has the later of its two places.

    >>> learn_words({"red": 2, "blue": 1, "are": 2}, vocab_size=3, special_tokens=["[UNK]"])
    {'[UNK]': 0, 'are': 1, 'red': 2}
    """
    kept = [word for word, count in words.items() if count >= min_frequency]
    kept.sort(key=lambda word: (-words[word], word.encode()))
    return {word: place for place, word in enumerate([*special_tokens, *kept][:vocab_size])}
