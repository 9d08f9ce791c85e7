"""Builds the 10,000 golden strings: by kind from the tables, then random mixes of all kinds.

Every generator yields strings in a fixed order and may repeat what another one yields; repeats are
dropped. A new kind goes last, so that the strings before it keep their lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from oracle import alphabets
from oracle.random_strings import SplitMix64, random_strings, scalar
from oracle.sentences import CODE, SENTENCES

COUNT: Final = 10_000
SEED: Final = 1_234_567


def white_space(_: SplitMix64) -> Iterator[str]:
    """Each white space in each place, all pairs, and runs up to 20."""
    for space in map(chr, (*alphabets.WHITE_SPACE, *alphabets.NEARLY_SPACE)):
        yield from (
            space,
            f"a{space}b",
            f"{space}a",
            f"a{space}",
            f" {space}a",
            f"a{space} b",
            f"a {space}",
        )
        yield from (space * 2, f"1{space}{space}!", f"{space}\n{space}x")
    for first in map(chr, alphabets.WHITE_SPACE):
        for second in map(chr, alphabets.WHITE_SPACE):
            yield f"x{first}{second}y"
    for unit in (" ", "\n", "\t", "\r\n", "\u00a0", "\u3000", " \n", "\n\t", "\u2028"):
        for length in (2, 3, 4, 5, 8, 17, 20):
            run = unit * length
            yield from (run, f"{run}a", f"a{run}", f"a{run}b", f"a{run}.", f"1{run}2")


def contractions(_: SplitMix64) -> Iterator[str]:
    """Every contraction with every apostrophe, in each case and after various hosts."""
    tails = [
        *alphabets.CONTRACTIONS,
        "\u017f",
        "l",
        "r",
        "v",
        "n",
        "cause",
        "st",
        "re's",
        "\u212a",
        "1",
        " s",
        "",
    ]
    for apostrophe in alphabets.APOSTROPHES:
        for tail in tails:
            for host in ("it", " IT", ""):
                yield f"{host}{apostrophe}{tail}"
    for tail in alphabets.CONTRACTIONS:
        for cased in (tail.upper(), tail.capitalize(), tail[:1] + tail[1:].upper()):
            for host in ("it", "IT", " ", "'", "9", "\u4e2d", "e\u0301"):
                yield from (f"{host}'{cased}", f"{host}'{cased}x", f"{host}''{cased} ")
        yield from (
            f"a'{tail}'{tail}",
            f"a '{tail}",
            f"\n'{tail}",
            f"'{tail}'",
            f"a' {tail}",
            f"a'\n{tail}",
        )


def digits(rng: SplitMix64) -> Iterator[str]:
    """Decimal digits of every script in runs, other numbers, and digits among letters and signs."""
    for zero in alphabets.DECIMAL_ZEROS:
        number = "".join(chr(zero + rng.below(10)) for _ in range(7))
        yield from (number[:1], f"a{number[:4]}b", f" {number}", f"1{number[:2]}2")
    others = alphabets.expand(alphabets.OTHER_NUMBERS)
    yield from (f"x{chr(point)}1" for point in others[::2])
    for length in range(1, 21):
        number = "1234567890" * 2
        yield from (
            number[:length],
            f" {number[:length]}",
            f"-{number[:length]}.{number[:2]}",
            f"x{number[:length]}y",
        )
    yield from (
        "1,234,567.89",
        "$1.00",
        "1e10",
        "0x1F",
        "3rd",
        "2nd's",
        "12:30",
        "1/2",
        "50%",
        "\u00b15",
        "v1.2.3-rc4",
    )


def scripts(rng: SplitMix64) -> Iterator[str]:
    """Random words of each script: alone, spaced, beside other scripts, digits and signs."""
    for ranges in alphabets.SCRIPTS.values():
        letters = alphabets.expand(ranges)

        def word(most: int, letters: tuple[int, ...] = letters) -> str:
            return "".join(chr(rng.pick(letters)) for _ in range(rng.between(1, most)))

        yield from (
            chr(letters[0]),
            chr(letters[-1]),
            word(3),
            word(6),
            f" {word(5)}",
            f"{word(4)} {word(6)}",
        )
        yield from (
            f"a{word(3)}b",
            f"{word(2)}1{word(2)}",
            f"{word(3)}, {word(3)}.",
            f"{word(3)}'s",
            f"{word(3)}\n\n{word(3)} ",
        )
        yield f"{word(2)}{chr(0x301)}{word(2)}"


def marks(rng: SplitMix64) -> Iterator[str]:
    """Combining marks on letters, digits, spaces and nothing, singly and stacked."""
    points = alphabets.expand(alphabets.MARKS)
    for index, point in enumerate(points[::2]):
        base = ("a", " ", "1", "!", "\u0915", "\u05d0", "\u4e00", "", "\U0001f600", "\n")[
            index % 10
        ]
        yield f"{base}{chr(point)}" if index % 3 else f"{base}{chr(point)}b"
    for base in (
        "e",
        "E",
        "A\u030a",
        "o\u0302",
        "\u0e01",
        "\u0915\u094d",
        "q",
        "\uac00",
        "\u1100\u1161",
    ):
        for length in (1, 2, 3, 5):
            stack = "".join(chr(rng.pick(points)) for _ in range(length))
            yield from (
                f"{base}{stack}",
                f" {base}{stack}{base}",
                f"{stack}{base}",
                f"{base} {stack}",
            )
    yield from (
        "\u00e9",
        "e\u0301",
        "\u212b",
        "A\u030a",
        "\u1e69",
        "s\u0323\u0307",
        "s\u0307\u0323",
        "\ufb01",
        "\u0344",
        "\u0958",
    )


def emoji(rng: SplitMix64) -> Iterator[str]:
    """Each sequence alone and in text, and random neighbours."""
    for sequence in alphabets.EMOJI:
        yield from (
            sequence,
            f"a{sequence}b",
            f" {sequence}",
            f"{sequence}{sequence}",
            f"{sequence} ok",
            f"it{sequence}'s",
        )
    for _ in range(150):
        yield "".join(rng.pick(alphabets.EMOJI) for _ in range(rng.between(2, 4)))


def long_runs(_: SplitMix64) -> Iterator[str]:
    """One unit repeated, at and around the lengths where buffers and look-ahead change."""
    units = (
        " ", "a", "A", "0", "-", "=", "_", ".", "\n", "\t", "'", "'s", "\u00a0", "\u0301",
        "\u4e00", "\u0e01", "\U0001f600", "\u200d", "\x00", "ab", " a", "a ", "<|", "1 ", "\u00e9",
        "ha", "\r\n", "<|endoftext|>", "<|im_end|>\n",
    )  # fmt: skip
    for unit in units:
        for length in (10, 31, 32, 33, 63, 64, 65, 127, 128, 255, 257, 513):
            yield unit * (length // len(unit) + 1)
        yield f"x{unit * 40}y"


def code(_: SplitMix64) -> Iterator[str]:
    """Snippets whole, with other line ends, indented, by line and cut short; sentences too."""
    for text in CODE:
        yield from (
            text,
            text.replace("\n", "\r\n"),
            text.rstrip("\n"),
            text.replace("\n", "\n    "),
            text.replace("    ", "\t"),
        )
        yield from text.splitlines(keepends=False)
    for text in SENTENCES:
        yield from (
            text,
            f" {text}",
            text[: len(text) // 2],
            text[len(text) // 3 :],
            text.replace(" ", "  "),
            f"{text}\n",
        )


def markers(rng: SplitMix64) -> Iterator[str]:
    """Chat markers in text, back to back, broken in every way, and of other families."""
    for marker in alphabets.CHAT_MARKERS:
        yield from (
            marker,
            f"a{marker}b",
            f" {marker} ",
            f"{marker}{marker}",
            f"{marker}\n",
            f"it's{marker}'s",
            f"a  {marker}  b",
        )
        yield from (
            marker[:-1],
            marker[1:],
            marker.upper(),
            f"{marker[:3]} {marker[3:]}",
            f"<{marker}>",
            f"{marker[:-1]}{marker}",
        )
        yield from (
            f"{marker[:5]}\u200b{marker[5:]}",
            f"1{marker}2",
            f"\u00e9{marker}\u0301",
            f"{marker}\u4e2d",
            marker.replace("_", ""),
        )
    for marker in ("<|endoftext|>", "<|im_start|>"):
        yield from (f"x{marker[:length]}" for length in range(1, len(marker)))
        yield from (f"{marker[length:]}x" for length in range(1, len(marker)))
    for marker in alphabets.OTHER_MARKERS:
        yield from (marker, f"a {marker} b", f"{marker}{marker}")
    for _ in range(150):
        yield "".join(
            rng.pick((*alphabets.CHAT_MARKERS, " ", "\n", "user", "a", "|>", "<|"))
            for _ in range(rng.between(2, 6))
        )
    for role in ("system", "user", "assistant", "tool"):
        yield f"<|im_start|>{role}\nYou're a helper.<|im_end|>\n<|im_start|>assistant\n"


def odd_points(_: SplitMix64) -> Iterator[str]:
    """Controls, noncharacters, private use, the edges of UTF-8 lengths, a grid over all planes."""
    for char in map(chr, alphabets.CONTROLS):
        yield from (char, f"a{char}b")
    for char in map(chr, alphabets.NONCHARACTERS):
        yield f"a{char}"
    for first, last in alphabets.PRIVATE_USE:
        for char in map(chr, (first, first + 1, (first + last) // 2, last)):
            yield from (char, f"a{char}b", f"{char}{char} ")
    for char in map(chr, alphabets.EDGES):
        yield from (char, f"a {char}z", f"{char * 3}", f"'{char}")
    yield from (
        "\x00\x00a",
        "a\x00",
        "\ufeffa",
        "a\ufeff",
        "\ufffd",
        "\ufffda\ufffd",
        "\ufffc",
        "\u2028\u2029",
    )
    for block in range(0, 0x3400, 0x40):
        yield f"a{chr(block + 0x21)}"
    for block in range(0x10000, 0x110000, 0x4000):
        yield f"{chr(block + 0x123)}1"


def punctuation(rng: SplitMix64) -> Iterator[str]:
    """ASCII printable pairs with a space, and runs of any signs."""
    for point in range(0x21, 0x7F):
        char = chr(point)
        yield from (char, f" {char}", f"a{char}b", f"{char}{char}{char}", f" {char}a")
    points = alphabets.expand(alphabets.PUNCTUATION)
    for _ in range(150):
        yield "".join(chr(rng.pick(points)) for _ in range(rng.between(1, 4)))


def random_points(rng: SplitMix64) -> Iterator[str]:
    """One to six scalar values, any of all."""
    for _ in range(400):
        yield "".join(scalar(rng) for _ in range(rng.between(1, 6)))


CATEGORIES: Final[tuple[Callable[[SplitMix64], Iterator[str]], ...]] = (
    white_space, contractions, digits, scripts, marks, emoji, long_runs, code, markers, odd_points,
    punctuation, random_points,
)  # fmt: skip


def golden_strings() -> list[str]:
    """The 10,000 distinct strings, the empty one first, then by category, then random mixes."""
    found: dict[str, None] = {"": None}
    for number, category in enumerate(CATEGORIES):
        found.update(dict.fromkeys(category(SplitMix64(SEED + number))))
    if len(found) > COUNT * 8 // 10:
        raise SystemExit(f"{len(found)} strings leave no room for random mixes")
    for text in random_strings(SEED, 0, 2 * COUNT, most_segments=8):
        if len(found) == COUNT:
            break
        found[text] = None
    return list(found)
