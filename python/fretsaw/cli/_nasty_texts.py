"""Texts that tokenizers trip over: what `fretsaw verify` tries besides the user's own.

The groups that depend on the tokenizer (its added tokens, joined tokens) are made with a random
generator of fixed seed, so that two runs try the same.
"""

import itertools
import random
from collections.abc import Iterator, Sequence

import fretsaw

__all__ = ["nasty_texts"]

SPACES = [chr(code) for code in (
    *range(0x09, 0x0E), 0x1C, 0x1D, 0x1E, 0x1F, 0x20, 0x85, 0xA0, 0x1680, 0x180E, *range(0x2000, 0x2010),
    0x2028, 0x2029, 0x202F, 0x205F, 0x2060, 0x3000, 0xFEFF,
)]  # fmt: skip
"""White space by anyone's idea of it."""

MARKS = [
    "e\u0301", "\u0301", "\u0301a", "a\u0301\u0327\u0323b", "\u1e9b\u0323", "A\u030a \u212b \u00c5",
    "각 \u1100\u1161\u11a8 \u1100\u1161", "की क्षि हिन्दी", "\u0e33 กำ ที่", "\u05e9\u05c1\u05bc",
    "q\u0307\u0323 q\u0323\u0307", "\u0344 \u0958 \ufb2c", "ﬁ ﬀ ㎏ ① ½ ² ｱｶﾞ ﷺ", "o" + "\u0300" * 60,
]  # fmt: skip

EMOJI = [
    "😀", "👍🏽", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪🇫", "1️⃣ #️⃣", "❤️ ❤", "\u200d", "\ufe0f", "a\u200db",
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "😀" * 20,
]  # fmt: skip

CONTROLS = [
    "\x00", "a\x00b", "".join(map(chr, range(0x20))), "\x7f\x80\x9f", "\u200b\u200e\u202e\u2066x\u2069",
    "\ufffd\ufffe\uffff", "\U0010ffff\U0001fffe", "\ue000\U000f0000", "\xad soft\xadhyphen", "\x1b[0m",
]  # fmt: skip

HALF_MARKERS = [
    "<|", "|>", "<|endoftext", "endoftext|>", "<s", "</s", "<0x0A>", "<0x", "0x41>", "<0xC3><0xA9>", "[CLS",
    "##", "##a", "a##b", "</w>", "a</w>", "▁", "▁▁a", " ▁ ", "a▁b", "Ġ", "ĠaĊ", "Â", "[UNK]", "<unk>",
    "<pad>", "<mask>",
]  # fmt: skip

SCRIPTS = [
    "The quick brown fox, it's THE FOX's.", "Straße ẞ İstanbul ıI ſ ΑΣ ΑΣΑ Ὀδυσσεύς", "Съешь ещё этих",
    "你好，世界。漢字かなカナ々〆", "안녕하세요 세계", "مَرْحَبًا ١٢٣ ‏", "שָׁלוֹם עולם", "नमस्ते १२३",
    "สวัสดีชาวโลก", "გამარჯობა ᲒᲐ",
    "ሰላም", "ᏣᎳᎩ ꭰ", "𝔘𝔫𝔦 𝟙𝟚 𐐀𐐨 𒀀", "١٢٣ ௧௨ Ⅷ ④ ㊿ 〇 ½ 一二", "l'été d’été 'twas", "ǅ ŉ ǰ",
]  # fmt: skip

SHAPES = [
    "", " ", "  ", "\n", "\r\n", "\n\n\n", " \n \n ", "a", " a", "a ", "  a  b  ", "a\tb", "\ta",
    "a\r\nb\rc\n",
    "a\n  b\n    c", "'s 'S 'll 'LL 'ſ", "don't DON'T don’t", "1234567 12 3.14 1,000 0x1F", "a1b2 a_b a-b",
    "https://ex.org/?q=%20&x=1#y", "if (x) { return; }\n\treturn a != b;\n", "...!?!?---___", "$1.00€ £ ¥",
    "camelCaseXMLHttp SCREAMING_snake", "def f(x):\n    return x\n", "a.b ,c ;d 'e' \"f\" n't do not",
]  # fmt: skip

RUNS = [
    "a" * 300, " " * 300, "\n" * 130, "ab" * 200, "é" * 150, "猫" * 150, "1" * 100, "!" * 200, "\t" * 50,
    " a" * 200, "x" + " " * 100 + "y", "A" * 101, "=" * 129, "aaaab" * 40, "\u3000" * 40,
]  # fmt: skip

MOST_ADDED_TOKENS = 100
JOINED_TEXTS = 300
JOINED_TOKENS = 12


def nasty_texts(tokenizer: fretsaw.Tokenizer) -> Iterator[tuple[str, str]]:
    """Texts, each with the name of its group."""
    groups: dict[str, Sequence[str]] = {
        "shapes": SHAPES,
        "white space": [text for space in SPACES for text in around(space)],
        "combining marks": MARKS,
        "emoji": EMOJI,
        "controls": CONTROLS,
        "half markers": [text for marker in HALF_MARKERS for text in around(marker)],
        "scripts": SCRIPTS,
        "long runs": RUNS,
        "lone surrogate": ["a\ud800b"],
        "added tokens": list(_added_token_texts(tokenizer)),
        "joined tokens": list(_joined_tokens(tokenizer)),
    }
    for group, texts in groups.items():
        for text in texts:
            yield group, text


def around(text: str) -> list[str]:
    """A text alone, twice, and between other texts.

    >>> around("-")
    ['-', '--', 'a-b', ' - ', 'a -', '- a', '1-']
    """
    return [form.replace("-", text) for form in ("-", "--", "a-b", " - ", "a -", "- a", "1-")]


def _added_token_texts(tokenizer: fretsaw.Tokenizer) -> Iterator[str]:
    """The tokenizer's added tokens: whole, halved, in other cases, among each other."""
    contents = [token.content for token in tokenizer.get_added_tokens_decoder().values()]
    some = contents
    if len(contents) > MOST_ADDED_TOKENS:
        half = MOST_ADDED_TOKENS // 2
        some = contents[:half] + contents[-half:]
    for content in some:
        yield from around(content)
        yield from (content[:-1], content[1:], content.upper(), f"\n{content}\n", f"  {content}  x")
    for left, right in itertools.pairwise(some):
        yield left + right
        yield f"{left} {right[:-1]} a"
    yield " ".join(some)


def _joined_tokens(tokenizer: fretsaw.Tokenizer) -> Iterator[str]:
    """Tokens of the vocabulary in random order, as they decode and as they are spelled."""
    source = random.Random(1)
    vocab = sorted(tokenizer.get_vocab().items(), key=lambda entry: entry[1])
    for place in range(JOINED_TEXTS if vocab else 0):
        chosen = [source.choice(vocab) for _ in range(source.randrange(1, JOINED_TOKENS))]
        if place % 3:
            ids = [token_id for _, token_id in chosen]
            yield tokenizer.decode(ids, skip_special_tokens=False)
        else:
            yield "".join(token for token, _ in chosen)
