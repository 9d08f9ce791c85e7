"""Training byte-level BPE: from texts to a vocabulary and merge rules.

Count the pre-tokens of the texts and write each as its bytes. Then, until the vocabulary is full:
take the pair of neighbouring symbols with the highest count, the smallest pair of ids among equals;
make it a rule and its bytes a token; merge it left to right in every pre-token that has it.

Counts are kept, not recounted: merging tells which pairs vanish and which appear. A queue holds each
pair with the count it had and the words it appeared in; one whose count has changed since goes back
in. To equal the oracle byte for byte two of its habits are kept: in a run such as "aaa" the merged
pair keeps some of its count, and where two rules spell one token, so that its pairs appear twice,
each appearance is queued with its own words and the last rank of a repeated rule stands.

Cost: O(total pre-token length) to start, O(words that have the pair) a merge, O(log n) a queue step.
Source: Sennrich, Haddow, Birch 2016 (arXiv:1508.07909); Hugging Face tokenizers 0.23.3, BpeTrainer.
"""

from __future__ import annotations

import heapq
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from .added_tokens import AddedToken
from .byte_map import BYTE_TO_CHAR, to_alphabet
from .pre_tokenize import ByteLevel, Step, pre_tokenize
from .tokenizer import Tokenizer

Pair = tuple[int, int]


def train(
    texts: Iterable[str],
    vocab_size: int,
    min_frequency: int = 0,
    special_tokens: Sequence[str] = (),
    steps: Sequence[Step] = (ByteLevel(),),
) -> Tokenizer:
    """Train a tokenizer on texts.

    `vocab_size` counts special tokens (the first ids), the 256 bytes (the next, by code point of
    their characters) and merges; a pair rarer than `min_frequency` is not merged.

    >>> tok = train(["hug hugs pug pugs hugging"], vocab_size=259)
    >>> tok.model.merges(), tok.encode("hugs")
    ([('u', 'g'), ('h', 'ug'), ('p', 'ug')], [257, 82])
    """
    words: Counter[str] = Counter()
    for text in texts:
        words.update(to_alphabet(piece.encode("utf-8")) for piece in pre_tokenize(text, steps))
    vocab: dict[str, int] = {}
    for token in [*special_tokens, *sorted(BYTE_TO_CHAR.values())]:
        vocab.setdefault(token, len(vocab))
    merges = learn_merges(words, vocab, vocab_size, min_frequency)
    added = [AddedToken(content, normalized=False, special=True) for content in special_tokens]
    return Tokenizer(vocab, merges, added, steps)


def learn_merges(
    words: Mapping[str, int], vocab: dict[str, int], vocab_size: int, min_frequency: int = 0
) -> list[tuple[str, str]]:
    """Return merge rules in rank order and add their tokens to `vocab`, which has the alphabet.

    `words` maps pre-tokens in the byte alphabet to their counts.
    """
    symbols = [[vocab[char] for char in word] for word in words]
    return merge_symbols(symbols, list(words.values()), vocab, vocab_size, min_frequency)


def merge_symbols(
    symbols: list[list[int]],
    frequency: Sequence[int],
    vocab: dict[str, int],
    vocab_size: int,
    min_frequency: int = 0,
    prefix: str = "",
) -> list[tuple[str, str]]:
    """The same for words that are spelled in ids already, which are merged in place.

    A token leaves out the `prefix` of its second part.
    """
    tokens = {token_id: token for token, token_id in vocab.items()}
    counts: Counter[Pair] = Counter()
    places: dict[Pair, set[int]] = {}
    for at, word in enumerate(symbols):
        for pair in itertools.pairwise(word):
            counts[pair] += frequency[at]
            places.setdefault(pair, set()).add(at)
    queue: list[tuple[int, Pair, set[int]]] = []
    _enqueue(queue, counts, places)
    rules: dict[Pair, None] = {}
    while len(vocab) < vocab_size and queue:
        negative_count, pair, at_words = heapq.heappop(queue)
        if -negative_count != counts[pair]:
            heapq.heappush(queue, (-counts[pair], pair, at_words))
            continue
        if counts[pair] < max(1, min_frequency):
            break
        merged = tokens[pair[0]] + tokens[pair[1]].removeprefix(prefix)
        merged_id = vocab.setdefault(merged, len(vocab))
        tokens[merged_id] = merged
        rules.pop(pair, None)
        rules[pair] = None
        places = {}
        for at in at_words:
            for changed, change in _merge(symbols[at], pair, merged_id):
                counts[changed] += change * frequency[at]
                if change > 0:
                    places.setdefault(changed, set()).add(at)
        _enqueue(queue, counts, places)
    return [(tokens[left], tokens[right]) for left, right in rules]


def _enqueue(
    queue: list[tuple[int, Pair, set[int]]],
    counts: Mapping[Pair, int],
    places: Mapping[Pair, set[int]],
) -> None:
    """Queue the pairs that appeared, highest count first, then smallest pair."""
    for pair, at_words in places.items():
        if counts[pair] > 0:
            heapq.heappush(queue, (-counts[pair], pair, at_words))


def _merge(word: list[int], pair: Pair, merged_id: int) -> Iterator[tuple[Pair, int]]:
    """Merge a pair in a word, in place, yielding each pair that vanishes (-1) or appears (+1)."""
    at = 0
    while at + 1 < len(word):
        if (word[at], word[at + 1]) == pair:
            word[at : at + 2] = [merged_id]
            if at > 0:
                yield (word[at - 1], pair[0]), -1
                yield (word[at - 1], merged_id), +1
            if at + 1 < len(word):
                yield (pair[1], word[at + 1]), -1
                yield (merged_id, word[at + 1]), +1
        at += 1
