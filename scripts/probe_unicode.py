"""Ask the oracles what each of the 1,112,064 scalar values is, and keep the answers as range files.

Every answer comes from running an oracle over text that holds all scalar values, never from a
Unicode data file: each part of an oracle has a Unicode version of its own. A probe is one property
of one part; docs/unicode.md tells what came out.

    python scripts/probe_unicode.py            write python/fretsaw/reference/ranges/*.txt
    python scripts/probe_unicode.py --check    compare these files with a fresh sweep
    python scripts/probe_unicode.py onig_category onig_space     only these

Needs the `tokenizers` and `tiktoken` packages; takes one to two minutes.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import tiktoken
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers

RANGES = Path(__file__).resolve().parent.parent / "python" / "fretsaw" / "reference" / "ranges"
SCALARS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
TEXT = "".join(map(chr, SCALARS))
BLOCK = 512
"""Code points per text where the time grows with the square of its length."""

MAJOR_CLASSES = {
    "L": "ultmo",
    "M": "nce",
    "N": "dlo",
    "P": "cdseifo",
    "S": "mcko",
    "Z": "slp",
    "C": "cfson",
}
CATEGORIES = [major + minor for major, minors in MAJOR_CLASSES.items() for minor in minors]

Values = dict[int, str]
"""Code point -> value; a code point that is absent does not have the property."""


class SurpriseError(Exception):
    """An oracle contradicts itself or an assumption of this script."""


# How to ask each oracle.


def onig_members(pattern: str, inverse: str = "") -> set[int]:
    """The code points that a one-character pattern of Oniguruma matches, and its inverse does not.

    The inverse is the negated bracket class if none is given.
    """
    inverse = inverse or f"[^{pattern}]"
    without = normalizers.Replace(Regex(f"(?:{pattern})+"), "").normalize_str(TEXT)
    only = normalizers.Replace(Regex(f"(?:{inverse})+"), "").normalize_str(TEXT)
    if len(only) + len(without) != len(TEXT) or not set(only).isdisjoint(without):
        raise SurpriseError(f"Oniguruma: {inverse} is not the complement of {pattern}")
    return set(map(ord, only))


def tiktoken_members(pattern: str) -> set[int]:
    """The code points that a one-character pattern of tiktoken matches: it drops all other text."""
    encoding = tiktoken.Encoding(
        "probe",
        pat_str=pattern,
        mergeable_ranks={bytes([byte]): byte for byte in range(256)},
        special_tokens={},
    )
    return set(map(ord, bytes(encoding.encode_ordinary(TEXT)).decode()))


def alone_and_removed(splitter: pre_tokenizers.PreTokenizer) -> tuple[set[int], set[int]]:
    """The code points that `splitter` makes a piece of their own, and those it drops.

    Each stands between two letters `a`, so what is neither stays in one piece with them.
    """
    framed = "a" + "a".join(TEXT) + "a"
    alone: set[int] = set()
    kept: set[int] = set()
    for piece, (start, end) in splitter.pre_tokenize_str(framed):
        kept.update(map(ord, piece))
        if end - start == 1:
            alone.add(ord(piece))
    alone.discard(ord("a"))
    return alone, set(SCALARS) - kept


@functools.cache
def whitespace_pieces() -> tuple[set[int], set[int]]:
    """The code points that the pre-tokenizer Whitespace (`\\w+|[^\\w\\s]+`) isolates and drops."""
    return alone_and_removed(pre_tokenizers.Whitespace())


MARK = "<|t|>"


def added_token_spans(before: str, after: str, **flags: bool) -> Iterator[tuple[int, int, int]]:
    """Each code point with the start and end, seen from its own place, of an added token beside it.

    The text is `before + code point + after`, where one of the two is the added token. Code points
    whose neighbour was not matched are left out.
    """
    tokenizer = Tokenizer(models.WordLevel({"other": 0}, unk_token="other"))
    tokenizer.add_tokens([AddedToken(MARK, normalized=False, **flags)])
    mark = tokenizer.token_to_id(MARK)
    stride = len(before) + 1 + len(after)
    for first in range(0, len(SCALARS), BLOCK):
        block = SCALARS[first : first + BLOCK]
        encoding = tokenizer.encode("".join(f"{before}{chr(c)}{after}" for c in block))
        for token, (start, end) in zip(encoding.ids, encoding.offsets, strict=True):
            if token == mark:
                frame = start // stride
                place = frame * stride + len(before)
                yield block[frame], start - place, end - place


# The probes.


def yes(members: Iterable[int]) -> Values:
    """The values of a property that a code point has or has not."""
    return dict.fromkeys(members, "yes")


def agreed(what: str, first: set[int], *others: set[int]) -> Values:
    """The members that several ways of asking give, or an error if they don't give the same."""
    for other in others:
        if first != other:
            odd = " ".join(f"{c:04X}" for c in sorted(first ^ other)[:8])
            raise SurpriseError(f"{what}: two ways of asking differ at {odd}")
    return yes(first)


def categories(members: Callable[[str], set[int]]) -> Values:
    """The general category of every code point, checked to be a partition that fits L, M, N, ..."""
    by_category = {category: members(rf"\p{{{category}}}") for category in CATEGORIES}
    values: Values = {}
    for category, points in by_category.items():
        if overlap := points & values.keys():
            raise SurpriseError(f"{category}: U+{min(overlap):04X} is {values[min(overlap)]} too")
        values.update(dict.fromkeys(points, category))
    if missing := set(SCALARS) - values.keys():
        raise SurpriseError(f"U+{min(missing):04X} is in no category")
    for major in MAJOR_CLASSES:
        union = set[int]().union(*(by_category[c] for c in CATEGORIES if c[0] == major))
        agreed(rf"\p{{{major}}}", union, members(rf"\p{{{major}}}"))
    return values


def single_word() -> Values:
    """The neighbours that keep an added token with single_word=True from matching."""
    left = {c for c, _, _ in added_token_spans("!", MARK + "!", single_word=True)}
    right = {c for c, _, _ in added_token_spans("!" + MARK, "!", single_word=True)}
    alone, removed = whitespace_pieces()
    whole = set(SCALARS)
    return agreed("single_word", whole - left, whole - right, whole - alone - removed)


def stripped() -> Values:
    """The neighbours that an added token with lstrip or rstrip takes in."""
    left = {c for c, start, _ in added_token_spans("!", MARK + "!", lstrip=True) if start == 0}
    right = {c for c, _, end in added_token_spans("!" + MARK, "!", rstrip=True) if end == 1}
    return agreed("lstrip, rstrip", left, right, whitespace_pieces()[1])


def script_runs() -> list[list[int]]:
    """Code points in order, cut where UnicodeScripts cuts; without those that never cause a cut."""
    splitter = pre_tokenizers.UnicodeScripts()
    has_script: set[int] = set()
    for neighbour in "a\u3042":
        framed = neighbour + neighbour.join(TEXT) + neighbour
        for _, (start, _) in splitter.pre_tokenize_str(framed):
            if start % 2:
                has_script.add(SCALARS[start // 2])
    scripted = "".join(map(chr, sorted(has_script)))
    return [list(map(ord, piece)) for piece, _ in splitter.pre_tokenize_str(scripted)]


def scripts() -> Values:
    """The classes between which UnicodeScripts cuts, each named after its first code point.

    The oracle says only whether two neighbours are of one class, so one code point of each run of
    neighbours is set beside the first code point of each class found so far.
    """
    splitter = pre_tokenizers.UnicodeScripts()
    firsts: list[int] = []
    values: Values = {}
    for run in script_runs():
        pairs = "".join(chr(run[0]) + chr(first) for first in firsts) + chr(run[0])
        cuts = {start for _, (start, _) in splitter.pre_tokenize_str(pairs)}
        same = [first for i, first in enumerate(firsts) if 2 * i + 1 not in cuts]
        if len(same) > 1:
            raise SurpriseError(f"U+{run[0]:04X} is in two classes of UnicodeScripts")
        if not same:
            firsts.append(run[0])
        values.update(dict.fromkeys(run, f"{(same or [run[0]])[0]:04X}"))
    return values


@dataclass(frozen=True)
class Probe:
    """One range file: its name, what it says, the package that was asked, and how."""

    name: str
    title: str
    oracle: str
    ask: Callable[[], Values]


def hugging_face(name: str, title: str, ask: Callable[[], Values]) -> Probe:
    return Probe(name, title, "tokenizers", ask)


def openai(name: str, title: str, ask: Callable[[], Values]) -> Probe:
    return Probe(name, title, "tiktoken", ask)


def onig(name: str, pattern: str, inverse: str) -> Probe:
    """A probe of a one-character pattern in Oniguruma."""
    title = f"{pattern} in Oniguruma"
    return hugging_face(name, title, lambda: yes(onig_members(pattern, inverse)))


def regex(name: str, pattern: str) -> Probe:
    """A probe of a one-character pattern in tiktoken's engine."""
    return openai(name, f"{pattern} in fancy-regex", lambda: yes(tiktoken_members(pattern)))


def dropped_by(splitter: pre_tokenizers.PreTokenizer) -> Values:
    return yes(alone_and_removed(splitter)[1])


def isolated_by(splitter: pre_tokenizers.PreTokenizer) -> Values:
    return yes(alone_and_removed(splitter)[0])


PROBES = [
    hugging_face(
        "onig_category", r"\p{..} in Oniguruma", functools.partial(categories, onig_members)
    ),
    onig("onig_space", r"\s", r"[^\s]"),
    onig("onig_word", r"\w", r"\W"),
    onig("onig_word_in_brackets", r"[\w]", r"[^\w]"),
    onig("onig_digit", r"\d", r"[^\d]"),
    onig("onig_han", r"\p{Han}", r"[^\p{Han}]"),
    openai(
        "regex_category", r"\p{..} in fancy-regex", functools.partial(categories, tiktoken_members)
    ),
    regex("regex_space", r"\s"),
    regex("regex_word", r"\w"),
    regex("regex_digit", r"\d"),
    regex("regex_han", r"\p{Han}"),
    hugging_face(
        "rust_numeric",
        "char::is_numeric, as the pre-tokenizer Digits has it",
        lambda: isolated_by(pre_tokenizers.Digits(individual_digits=True)),
    ),
    hugging_face(
        "rust_whitespace",
        "char::is_whitespace, as WhitespaceSplit has it",
        lambda: dropped_by(pre_tokenizers.WhitespaceSplit()),
    ),
    hugging_face("word_boundary", "word characters, as single_word has them", single_word),
    hugging_face("strip_space", "white space that lstrip and rstrip take in", stripped),
    hugging_face(
        "punctuation",
        "what the pre-tokenizer Punctuation isolates",
        lambda: isolated_by(pre_tokenizers.Punctuation("isolated")),
    ),
    hugging_face(
        "bert_punctuation",
        "what BertPreTokenizer isolates",
        lambda: isolated_by(pre_tokenizers.BertPreTokenizer()),
    ),
    hugging_face("scripts", "classes of UnicodeScripts, named by their first code point", scripts),
]


# Range files.


def as_ranges(values: Values) -> Iterator[tuple[int, int, str]]:
    """Runs of neighbouring code points with one value: (start, end inclusive, value)."""

    def run(item: tuple[int, int]) -> tuple[int, str]:
        position, point = item
        return point - position, values[point]

    for (_, value), group in itertools.groupby(enumerate(sorted(values)), run):
        points = [point for _, point in group]
        yield points[0], points[-1], value


def render(probe: Probe) -> str:
    """The whole range file of a probe."""
    values = probe.ask()
    lines = [
        f"# {probe.title}",
        f"# oracle: {probe.oracle} {version(probe.oracle)}; made by scripts/probe_unicode.py",
        f"# {len(values)} of {len(SCALARS)} scalar values; both ends of a range belong to it",
    ]
    lines += [f"{start:04X}..{end:04X} {value}" for start, end, value in as_ranges(values)]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="name", help="range files; all if none given")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    arguments = parser.parse_args()
    known = {probe.name: probe for probe in PROBES}
    if unknown := set(arguments.names) - known.keys():
        parser.error(f"no such probe: {', '.join(sorted(unknown))}")
    stale = 0
    for name in arguments.names or known:
        path = RANGES / f"{name}.txt"
        text = render(known[name])
        if not arguments.check:
            path.write_text(text, encoding="ascii")
        elif not path.exists() or path.read_text(encoding="ascii") != text:
            stale += 1
            print(f"{path.name} differs from the oracle", file=sys.stderr)
        print(f"{name}: {text.splitlines()[2][2:].partition(';')[0]}")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
