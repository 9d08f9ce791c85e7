"""Random regular expressions of the kinds that tokenizers use, and texts that they find things in.

Pattern i depends on the seed and i alone. The grammar is that of published `Split` patterns and
their neighbours: classes, sets with `&&` and negation, groups with flags, look-around, anchors,
and greedy, lazy and possessive quantifiers. Most are valid in Oniguruma's Ruby dialect; the
oracle says which.

Run as a script, it writes the frozen sample `tests/golden/regex_splits.jsonl.gz`. Needs
`tokenizers`.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from oracle.random_strings import SplitMix64, random_string

GOLDEN: Final = Path(__file__).resolve().parents[2] / "tests" / "golden" / "regex_splits.jsonl.gz"
SEED: Final = 97_531
SAMPLE: Final = 600

_LITERALS: Final[tuple[str, ...]] = (
    *"abestzA0 1'-._", "\\.", "\\'", "'s", "'re", "the", "ing", "\u2581", "\u0120", "\u00e9",
    "\u4e00", "\u3042", "\\r", "\\n", "\\t", "\\/", " ", " ", "\u00df", "st", "\\u00e9", "\\x41",
    "\\x{3042}",
)  # fmt: skip
_CLASSES: Final[tuple[str, ...]] = (
    "\\s", "\\S", "\\w", "\\W", "\\d", "\\D", "\\h", "\\p{L}", "\\p{N}", "\\p{P}", "\\p{S}",
    "\\p{M}", "\\p{Lu}", "\\p{Ll}", "\\p{Lt}", "\\p{Lm}", "\\p{Lo}", "\\p{Nd}", "\\p{Han}",
    "\\p{Hiragana}", "\\p{Katakana}", "\\p{Cyrillic}", "\\p{Latin}", "\\p{Z}", "\\p{Sc}",
    "\\P{L}", "\\P{N}", "\\p{^L}", "\\p{Alpha}", "\\p{Punct}", "\\p{LC}", "\\X", "\\R", ".",
)  # fmt: skip
_IN_SETS: Final[tuple[str, ...]] = (
    *_CLASSES[:31], "a-z", "A-Z", "0-9", "a-zA-Z", "\\r\\n", "\\-", "_", "'", " ", ".", ",",
    "\u4e00-\u9fff", "\u3040-\u309f", "\u00c0-\u024f", "[:alpha:]", "[:punct:]", "[:space:]",
    "[:^alnum:]", "\\u0900-\\u097F", "!-\\/:-@", "\\p{L}\\p{M}", "\\s\\p{L}\\p{N}",
)  # fmt: skip
_QUANTIFIERS: Final = (
    "?", "*", "+", "+", "+", "{1,3}", "{2}", "{2,}", "{,2}", "??", "*?", "+?", "{1,2}?", "?+",
    "*+", "++", "{1,3}+",
)  # fmt: skip
_GROUPS: Final = (
    "(?:", "(?:", "(?:", "(", "(?i:", "(?i:", "(?>", "(?m:", "(?x:", "(?-i:", "(?<n>",
)  # fmt: skip
_LOOKS: Final = ("(?=", "(?!", "(?!", "(?<=", "(?<!")
_ANCHORS: Final = ("^", "$", "\\b", "\\B", "\\A", "\\z", "\\Z", "\\G", "\\b", "(?i)", "\\K")
_WHOLE: Final = (
    "\\s+(?!\\S)|\\s+",
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}"
    "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+"
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+"
    "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\\p{N}{1,3}"
    "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
    "\\p{N}{1,3}", "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+", " ?[^(\\s|[.,!?\u2026\u3002])]+",
    "(?:\\r?\\n)+(?!\\r?\\n)", "\\d{1,3}(?=(?:\\d{3})*\\b)", "(\\p{L}+|\\p{N}+|\\s+)", "",
    "[\\p{L}&&[^\\p{Han}]]+",
)  # fmt: skip
BEHAVIORS: Final = (
    "removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous",
)  # fmt: skip


def _set(rng: SplitMix64, depth: int) -> str:
    body = "".join(rng.pick(_IN_SETS) for _ in range(rng.between(1, 3)))
    if rng.below(4) == 0:
        body += "&&" + (_set(rng, depth - 1) if depth and rng.below(2) else rng.pick(_IN_SETS))
    elif depth and rng.below(8) == 0:
        body += _set(rng, depth - 1)
    return f"[{'^' if rng.below(3) == 0 else ''}{body}]"


def _atom(rng: SplitMix64, depth: int) -> str:
    kind = rng.below(20)
    if kind < 5:
        return rng.pick(_LITERALS)
    if kind < 10:
        return rng.pick(_CLASSES)
    if kind < 15 or not depth:
        return _set(rng, 1)
    return f"{rng.pick(_GROUPS)}{_alternatives(rng, depth - 1)})"


def _item(rng: SplitMix64, depth: int) -> str:
    kind = rng.below(12)
    if kind == 0 and depth:
        # Oniguruma takes look-behind of any kind but sets limits to what stands in it.
        return f"{rng.pick(_LOOKS)}{_alternatives(rng, 0)})"
    if kind == 1 and rng.below(2):
        return rng.pick(_ANCHORS)
    return _atom(rng, depth) + (rng.pick(_QUANTIFIERS) if rng.below(2) else "")


def _alternatives(rng: SplitMix64, depth: int) -> str:
    branches = 1 + (rng.below(2) if depth < 2 else rng.below(4))
    return "|".join(
        "".join(_item(rng, depth) for _ in range(rng.between(1, 3))) for _ in range(branches)
    )


def random_pattern(index: int, seed: int = SEED) -> str:
    """Pattern number `index` of a seed."""
    rng = SplitMix64(SplitMix64(seed).next() ^ SplitMix64(index).next())
    if rng.below(20) == 0:
        pattern = rng.pick(_WHOLE)
        return pattern if rng.below(3) else f"{pattern}|{_alternatives(rng, 1)}"
    return _alternatives(rng, 2)


_WORDS: Final[tuple[str, ...]] = (
    "the", "Strasse", "stra\u00dfe", "\ufb06op", "it's", "WE'RE", "1234567", "\u00bd\u00b2", " ",
    "  ", "\n", "\r\n", "\t", "\n\n ", "\u3000", "...", "!?", "-_-", "\u2581", "\u2581Hello", "\u0120",
    "\u0120world", "na\u00efve", "e\u0301", "\u4e00\u4e8c", "\u3042\u30a2\u30fc", "\u043f\u0440\u0438",
    "\u0905\u0928\u0941", "\U0001f600", "\U0001f468\u200d\U0001f469", "$9.99", "a", "I", "s", "\u017f",
    "\u212a", "foo_bar", "x=[1,2]", "\u00a0", "\u0085", "caf\u00e9", "\u0663\u0664",
)  # fmt: skip


def random_text(index: int, seed: int = SEED) -> str:
    """Text number `index` of a seed: short, with much that patterns look for."""
    if index % 4 == 3:
        return random_string(seed, index, 5)[:60]
    rng = SplitMix64(SplitMix64(seed + 1).next() ^ SplitMix64(index).next())
    return "".join(rng.pick(_WORDS) for _ in range(rng.between(0, 9)))


def sample() -> Iterator[dict[str, object]]:
    """Patterns that the oracle accepts, each with a behavior, a text and the pieces."""
    from tokenizers import Regex
    from tokenizers.pre_tokenizers import Split

    index = found = 0
    while found < SAMPLE:
        index += 1
        pattern, text = random_pattern(index), random_text(index)
        behavior, invert = BEHAVIORS[index % 5], index % 7 == 0
        try:
            split = Split(Regex(pattern), behavior, invert)
            pieces = [piece for piece, _ in split.pre_tokenize_str(text)]
        except BaseException as error:  # a panic of the oracle is no Exception
            if isinstance(error, KeyboardInterrupt):
                raise
            continue
        if not text or (len(pieces) < 2 and index % 8):
            continue  # patterns that find nothing say little
        found += 1
        yield {
            "pattern": pattern,
            "behavior": behavior,
            "invert": invert,
            "text": text,
            "pieces": pieces,
        }


def main() -> None:
    """Writes the frozen sample, the same bytes each time."""
    lines = "".join(json.dumps(row) + "\n" for row in sample())
    with GOLDEN.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
        file.write(lines.encode("ascii"))


if __name__ == "__main__":
    main()
