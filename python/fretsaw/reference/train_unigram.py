"""Training a unigram model: from counted words to pieces with scores.

Start from all strings that occur often. Then, round by round, learn how likely each piece is and take
out those that the text would miss least, until as many are left as are wanted. In the end all
characters come back and scores are learned once more.

Learning is expectation and maximization: how often is each piece to be expected, over all ways to cut
the words, each as likely as its pieces together; then a new score from that expectation c, the
logarithm of its share, but with exp(digamma(c)) for c, which is about c - 1/2: rare pieces fade. What
is expected less than half a time goes. Characters too; they are then unknown, and cost 10 more than
the least score. The loss of a piece is how much less likely the text becomes if each of its uses on
the best ways turns into the best way to cut the piece without it.

Decisions must not hang on the last bits of a sum: expectations and losses are compared as 32-bit
floats and scores are multiples of 2^-20. Order decides ties: characters, then longer pieces, those
with more occurrences times length first, then by code points.

Cost: O(characters of distinct words x longest piece) a step, and as much memory to begin with.
Source: Kudo 2018 (arXiv:1804.10959), with the rules of sentencepiece 0.2.3 and Hugging Face tokenizers
0.23.3 but for what `docs/exactness.md` says of Unigram training.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from .unigram_steps import UNKNOWN_PENALTY, cut, expected, maximize, rounded


def learn_unigram(
    words: Mapping[str, int],
    vocab_size: int,
    special_tokens: Sequence[str] = (),
    unk_token: str | None = None,
    shrinking_factor: float = 0.75,
    max_piece_length: int = 16,
    n_sub_iterations: int = 2,
    seed_size: int = 1_000_000,
    initial_alphabet: Iterable[str] = (),
    byte_fallback: bool = False,
    character_coverage: float = 1.0,
) -> list[tuple[str, float]]:
    """Return the tokens with their scores; a token's id is its place.

    Raises ValueError where `vocab_size` can't hold the special tokens and all characters.

    >>> pieces = learn_unigram({"hug": 10, "pug": 5, "hugs": 5}, vocab_size=7)
    >>> [piece for piece, _ in pieces]
    ['hug', 'pug', 's', 'g', 'u', 'h', 'p']
    """
    first = list(special_tokens)
    if unk_token is not None and unk_token not in first:
        first.insert(0, unk_token)
    first += [f"<0x{byte:02X}>" for byte in range(256)] if byte_fallback else []
    alphabet = covered(words, character_coverage)
    given = sorted(set(initial_alphabet) - set(alphabet))
    required = [char for char in [*alphabet, *given] if char not in first]
    room = vocab_size - len(first) - len(required)
    if room < 0:
        raise ValueError("vocab_size can't hold the special tokens and all characters")

    weights = {char: alphabet[char] for char in sorted(alphabet)}
    seeds = seed_pieces(words, alphabet, max_piece_length)
    weights |= dict(list(seeds.items())[: max(0, seed_size - len(alphabet))])
    total = sum(weights.values())
    logs = {piece: rounded(math.log(weight / total)) for piece, weight in weights.items()}
    scores = {piece: log for piece, log in logs.items() if len(piece) == 1 or piece not in first}
    enough = vocab_size + vocab_size // 10
    while True:
        for _ in range(n_sub_iterations):
            scores = maximize(scores, expected(words, scores), keep_all=False)
        if len(scores) <= enough:
            break
        pieces = max(int(len(scores) * shrinking_factor), enough)
        scores = cut(words, scores, pieces - sum(len(piece) == 1 for piece in scores))
    scores = cut(words, scores, room, keep_unused=True)
    unknown = min([0.0, *scores.values()]) - UNKNOWN_PENALTY
    scores = {char: scores.get(char, unknown) for char in sorted(alphabet)} | scores
    for _ in range(n_sub_iterations):
        scores = maximize(scores, expected(words, scores), keep_all=True)

    ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    missing = [char for char in required if char not in scores]
    least = min(scores.values(), default=0.0)
    return [
        *((token, 0.0) for token in first),
        *((piece, score) for piece, score in ranked if piece not in first),
        *((char, least - 0.0001 * at) for at, char in enumerate(missing, start=1)),
    ]


def covered(words: Mapping[str, int], coverage: float) -> dict[str, int]:
    """Return the commonest characters that make up so much of the text, and their counts."""
    counts: Counter[str] = Counter()
    for word, count in words.items():
        for char in word:
            counts[char] += count
    kept: dict[str, int] = {}
    reached = 0
    for char, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        if coverage < 1 and reached / counts.total() >= coverage:
            break
        reached += count
        kept[char] = count
    kept.pop("\0", None)
    return kept


def seed_pieces(words: Mapping[str, int], alphabet: Iterable[str], longest: int) -> dict[str, int]:
    """Return strings of 2 to `longest` covered characters with occurrences x length, in order.

    A string counts if it goes on in two ways (the end of a word is always another one) or is a word
    seen twice, and if what stands in front of it differs, or nothing does, or it is as long as may be.
    """
    known = set(alphabet)
    occurrences: Counter[str] = Counter()
    before: dict[str, set[object]] = {}
    behind: dict[str, set[object]] = {}
    for number, (word, count) in enumerate(words.items()):
        for start in range(len(word)):
            left = word[start - 1] if start and word[start - 1] in known else None
            for end in range(start + 1, min(len(word), start + longest) + 1):
                if word[end - 1] not in known:
                    break
                piece = word[start:end]
                goes_on = end < len(word) and word[end] in known
                occurrences[piece] += count
                before.setdefault(piece, set()).add(left)
                behind.setdefault(piece, set()).add(word[end] if goes_on else (number, end))
    weights = {
        piece: count * len(piece)
        for piece, count in occurrences.items()
        if len(piece) > 1
        and (len(behind[piece]) > 1 or words.get(piece, 0) > 1)
        and (len(before[piece]) > 1 or None in before[piece] or len(piece) == longest)
    }
    return dict(sorted(weights.items(), key=lambda item: (-item[1], item[0])))
