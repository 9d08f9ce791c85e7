"""Ask Hugging Face's normalizers what each of the 1,112,064 scalar values becomes; keep the answers.

Nothing here comes from a Unicode data file: each normalizer carries tables of a version of its own.
Decompositions are read off the oracle directly. The order of combining classes follows from how two
marks behind a letter are ordered, compositions from which pairs become one character, and the
grapheme classes of `Precompiled` from what a character map, which replaces a grapheme as a whole,
leaves of a letter and its neighbour. docs/unicode.md tells what came out.

    python scripts/probe_normalization.py            write the range files
    python scripts/probe_normalization.py --check    compare them with a fresh sweep
    python scripts/probe_normalization.py lowercase  only these

A value that is a text is written as its code points with `+` between them, an empty one as `-`.
Needs the `tokenizers` package; takes a minute or two.
"""

from __future__ import annotations

import argparse
import functools
import struct
import sys
from collections.abc import Callable, Iterator

from tokenizers import Tokenizer, models, normalizers

from probe_unicode import RANGES, SCALARS, Probe, SurpriseError, Values, render, yes

HANGUL = range(0xAC00, 0xD7A4)
LAST_CLASS = "\u0345"
"""The one mark of the highest combining class: every other mark is moved before it."""
FIRST_CLASS = "\u0334"
"""A mark of the lowest class: it is moved before every mark of another."""


@functools.cache
def normalize(name: str) -> Callable[[str], str]:
    """The function of a normalizer of the oracle."""
    made = {
        "accents": normalizers.StripAccents(),
        "bert_accents": bert(strip_accents=True),
        "bert_clean": bert(clean_text=True),
        "bert_chinese": bert(handle_chinese_chars=True),
        "lowercase": normalizers.Lowercase(),
        "nmt": normalizers.Nmt(),
        "nfc": normalizers.NFC(),
        "nfd": normalizers.NFD(),
        "nfkc": normalizers.NFKC(),
        "nfkd": normalizers.NFKD(),
    }
    return made[name].normalize_str


def bert(
    clean_text: bool = False, handle_chinese_chars: bool = False, strip_accents: bool = False
) -> normalizers.Normalizer:
    """A BertNormalizer with one of its parts switched on."""
    return normalizers.BertNormalizer(clean_text, handle_chinese_chars, strip_accents, False)


def spelled(text: str) -> str:
    """A text as a value of a range file."""
    return "+".join(f"{ord(c):04X}" for c in text) or "-"


def mapping(name: str) -> Values:
    """What a normalizer makes of each character alone, where it changes it."""
    function = normalize(name)
    texts = ((point, function(chr(point))) for point in SCALARS)
    return {point: spelled(text) for point, text in texts if text != chr(point)}


def members(name: str, becomes: Callable[[str], str]) -> Values:
    """The characters that a normalizer changes, all of which must become what `becomes` says."""
    values = mapping(name)
    for point, value in values.items():
        if value != spelled(becomes(chr(point))):
            raise SurpriseError(f"{name}: U+{point:04X} becomes {value}")
    return yes(values)


def hangul_parts(point: int) -> str:
    """The decomposition of a Hangul syllable, which is arithmetic."""
    first, rest = divmod(point - HANGUL[0], 21 * 28)
    second, third = divmod(rest, 28)
    parts = chr(0x1100 + first) + chr(0x1161 + second)
    return parts + chr(0x11A7 + third) if third else parts


def decompositions(name: str) -> Values:
    """What NFD or NFKD make of each character, without the Hangul syllables."""
    values = mapping(name)
    for point in HANGUL:
        if values.pop(point, "") != spelled(hangul_parts(point)):
            raise SurpriseError(f"{name}: the Hangul syllable U+{point:04X} is irregular")
    return values


def compatibility() -> Values:
    """What NFKD makes of a character, where NFD does not do the same."""
    canonical = decompositions("nfd")
    compatible = decompositions("nfkd")
    if missing := canonical.keys() - compatible.keys():
        raise SurpriseError(f"NFKD leaves U+{min(missing):04X}, NFD does not")
    return {point: v for point, v in compatible.items() if canonical.get(point) != v}


def swaps(first: str, second: str) -> bool:
    """Whether two marks behind a letter are put in the other order."""
    text = normalize("nfd")("a" + first + second)
    if text not in ("a" + first + second, "a" + second + first):
        raise SurpriseError(f"NFD of a, {spelled(first)}, {spelled(second)} is {spelled(text)}")
    return text != "a" + first + second


def combining_order() -> Values:
    """Combining classes but for 0, numbered from 1 in their order; their own numbers never matter."""
    decomposed = mapping("nfd")
    marks = [
        chr(point)
        for point in SCALARS
        if point not in decomposed
        and (swaps(chr(point), FIRST_CLASS) or swaps(LAST_CLASS, chr(point)))
    ]
    marks.append(LAST_CLASS)
    groups: list[list[str]] = []
    for mark in dict.fromkeys(marks):
        low, high = 0, len(groups)
        while low < high:
            middle = (low + high) // 2
            if swaps(mark, groups[middle][0]):
                low = middle + 1
            else:
                high = middle
        if low < len(groups) and not swaps(groups[low][0], mark):
            groups[low].append(mark)
        else:
            groups.insert(low, [mark])
    return {ord(m): str(number) for number, group in enumerate(groups, 1) for m in group}


def compositions() -> Values:
    """`second+composed` for each first character that composes; several are joined by commas.

    Without Hangul, which is arithmetic. Candidates are all characters that stand in a canonical
    decomposition and all that NFC makes of one.
    """
    nfc = normalize("nfc")
    parts = ["".join(chr(int(c, 16)) for c in v.split("+")) for v in decompositions("nfd").values()]
    firsts = {nfc(part[:size]) for part in parts for size in range(1, len(part) + 1)}
    seconds = {c for part in parts for c in part[1:]} | {nfc(c) for part in parts for c in part[1:]}
    values: Values = {}
    for first in sorted(firsts):
        if len(first) == 1:
            pairs = [(second, nfc(first + second)) for second in sorted(seconds)]
            found = [f"{spelled(s + one)}" for s, one in pairs if len(one) == 1 and len(s) == 1]
            if found:
                values[ord(first)] = ",".join(found)
    check_hangul_composition(nfc)
    check_forms()
    return values


def check_hangul_composition(nfc: Callable[[str], str]) -> None:
    """Hangul composes by arithmetic: a leading consonant and a vowel, then a trailing consonant."""
    for point in HANGUL:
        parts = hangul_parts(point)
        syllable = chr(point - (point - HANGUL[0]) % 28) + parts[2:]
        if nfc(parts) != chr(point) or nfc(syllable) != chr(point):
            raise SurpriseError(f"the Hangul syllable U+{point:04X} does not compose")
    for outside in "\u1113\u115f\u1160\u1176\u11a7\u11c3":
        for text in ("\u1100" + outside, "\uac00" + outside, outside + "\u1161"):
            if nfc(text) != text:
                raise SurpriseError(f"{spelled(text)} composes")


def check_forms() -> None:
    """NFC and NFKC of a character alone must follow from its decomposition."""
    for name, decompose in (("nfc", "nfd"), ("nfkc", "nfkd")):
        compose, parts = normalize(name), normalize(decompose)
        for point in SCALARS:
            if compose(chr(point)) != compose(parts(chr(point))):
                raise SurpriseError(f"{name}: U+{point:04X} is not made from its decomposition")


def one_letter_map(spared: int) -> normalizers.Normalizer:
    """A character map that makes X of every text; a text that starts with `spared` stays.

    It looks at the first byte alone, so it makes one X of each grapheme of up to five bytes, and
    one of each character of a longer one.
    """
    units = [0] * 768
    units[0] = 256 << 10
    for byte in range(1, 256):
        if byte != spared:
            units[256 + byte] = (512 ^ (256 + byte)) << 10 | 1 << 8 | byte
    charsmap = struct.pack("<I768I", 4 * len(units), *units) + b"X\0"
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Precompiled(charsmap)
    return tokenizer.normalizer


def pieces(before: str, after: str) -> dict[int, int]:
    """For each character how many X become of `before + character + after`."""
    function = one_letter_map(spared=ord("\n")).normalize_str
    counts: dict[int, int] = {}
    for first in range(0, len(SCALARS), 512):
        block = [c for c in SCALARS[first : first + 512] if chr(c) not in "\r\n"]
        lines = function("\n".join(before + chr(c) + after for c in block)).split("\n")
        counts |= {c: len(line) for c, line in zip(block, lines, strict=True)}
    return counts


def with_pieces(before: str, after: str, count: int) -> set[int]:
    return {c for c, found in pieces(before, after).items() if found == count}


MARK = "\u0300"
"""A mark of two bytes: with a character of three it makes a grapheme that is still mapped whole."""


def graphemes() -> Values:
    """The classes by which Precompiled cuts a text in graphemes, as far as they matter there.

    That regional indicators go in pairs does not, for two of them are eight bytes. CR and LF are
    Control here.
    """
    attached = with_pieces("a", "", 1)
    control = with_pieces("", MARK * 2, 2) | {0x0A, 0x0D}
    prepend = with_pieces("", "a", 1)
    hangul = set(range(0x800, 0x10000)) - attached - control - prepend  # of three bytes
    members = {
        "Control": control,
        "Attached": attached,
        "Prepend": prepend,
        "Pictograph": with_pieces("", "\u200d\u00a9" + MARK, 4),
        "Consonant": with_pieces("", "\u094d\u0915" + MARK, 4),
        "Zwj": attached & with_pieces("\u00a9", "\u00a9" + MARK, 4),
        "EmojiExtend": attached & with_pieces("\u00a9", "\u200d\u00a9" + MARK, 5),
        "Linker": attached & with_pieces("\u0915", "\u0915" + MARK, 4),
        "ConjunctExtend": attached & with_pieces("\u0915\u094d", "\u0915" + MARK, 5),
        "AfterL": hangul & with_pieces("\u1100", MARK, 3),
        "AfterV": hangul & with_pieces("\u1161", MARK, 3),
        "AfterT": hangul & with_pieces("\u11a8", MARK, 3),
        "BeforeV": hangul & with_pieces("", "\u1161" + MARK, 3),
        "BeforeT": hangul & with_pieces("", "\u11a8" + MARK, 3),
    }
    return name_graphemes(members)


NAMES = {
    "Control": "Control",
    "Attached": "SpacingMark",
    "Attached EmojiExtend": "Extend",
    "Attached EmojiExtend ConjunctExtend": "ConjunctExtend",
    "Attached EmojiExtend Linker ConjunctExtend": "Linker",
    "Attached Zwj ConjunctExtend": "Zwj",
    "Prepend": "Prepend",
    "Pictograph": "Pictograph",
    "Consonant": "Consonant",
    "AfterL BeforeV": "L",
    "AfterL AfterV BeforeV BeforeT": "V",
    "AfterV AfterT BeforeT": "T",
    "AfterL BeforeV BeforeT": "LV",
    "AfterL BeforeT": "LVT",
}
"""The class of characters by what they do, which must be all of it."""


def name_graphemes(members: dict[str, set[int]]) -> Values:
    values: Values = {}
    for point in set[int]().union(*members.values()):
        done = " ".join(what for what, points in members.items() if point in points)
        if done not in NAMES:
            raise SurpriseError(f"graphemes: U+{point:04X} is {done}")
        values[point] = NAMES[done]
    return values


def probe(name: str, title: str, ask: Callable[[], Values]) -> Probe:
    return Probe(name, title, "tokenizers", ask)


def accents() -> Values:
    return members("accents", lambda _: "")


def bert_accents() -> Values:
    """What BertNormalizer takes away as an accent, of what NFD leaves alone."""
    decomposed = mapping("nfd")
    values = {p: v for p, v in mapping("bert_accents").items() if p not in decomposed}
    if set(values.values()) != {"-"}:
        raise SurpriseError("strip_accents of BertNormalizer does more than take away")
    return yes(values)


PROBES = [
    probe(
        "canonical_decomposition",
        "what NFD makes of a character; Hangul syllables left out",
        lambda: decompositions("nfd"),
    ),
    probe(
        "compatibility_decomposition",
        "what NFKD makes of a character where NFD differs; Hangul syllables left out",
        compatibility,
    ),
    probe("combining_order", "combining classes above 0, numbered in order", combining_order),
    probe(
        "composition",
        "second+composed of the pairs that NFC composes; Hangul left out",
        compositions,
    ),
    probe("lowercase", "what Lowercase makes of a character", lambda: mapping("lowercase")),
    probe("accents", "what StripAccents takes away", accents),
    probe("bert_accents", "what BertNormalizer's strip_accents takes away after NFD", bert_accents),
    probe(
        "bert_clean", "what BertNormalizer's clean_text makes of it", lambda: mapping("bert_clean")
    ),
    probe(
        "bert_chinese",
        "what BertNormalizer sets between spaces",
        lambda: members("bert_chinese", lambda c: f" {c} "),
    ),
    probe("graphemes", "grapheme classes, as far as Precompiled tells", graphemes),
    probe("nmt", "what Nmt makes of a character", lambda: mapping("nmt")),
]


def stale(names: list[str], check: bool) -> Iterator[str]:
    """Makes the range files of these probes; with `check`, only names those that differ."""
    known = {probe.name: probe for probe in PROBES}
    for name in names or known:
        path = RANGES / f"{name}.txt"
        text = render(known[name]).replace("probe_unicode.py", "probe_normalization.py", 1)
        if not check:
            path.write_text(text, encoding="ascii")
        elif not path.exists() or path.read_text(encoding="ascii") != text:
            yield path.name
        print(f"{name}: {text.splitlines()[2][2:].partition(';')[0]}")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="name", help="range files; all if none given")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - {probe.name for probe in PROBES}:
        parser.error(f"no such probe: {', '.join(sorted(unknown))}")
    names = list(stale(arguments.names, arguments.check))
    for name in names:
        print(f"{name} differs from the oracle", file=sys.stderr)
    return 1 if names else 0


if __name__ == "__main__":
    sys.exit(main())
