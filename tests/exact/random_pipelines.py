"""Random small pipelines: a tokenizer.json, texts for it and tokens to add, from a seed and an index.

Every normalizer, pre-tokenizer, model, post-processor and decoder of the format comes up, with random
fields, nested and in odd orders. Alphabets and vocabularies are small, so that what is in a text is
mostly in the vocabulary too.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from random_components import SPECIAL, Components, Json
from small_tokenizers import CHAR_OF_BYTE

TEXTS: Final = 20
"""How many texts a pipeline has."""

REQUESTS: Final = 8
MOST_CHARS: Final = 24
"""How many pairs and lists of words it has, and how long each text of them is at the most."""

CHARACTERS: Final = (
    *("a", "b", "c", "a", "b", "A", "B", "s", "t", "1", "2", "0"),
    *(" ", " ", " ", "\n", "\t", "\r", "\u00a0", "\u3000", "\u200b", "\u200d", "\u0085", "\x00"),
    *("'", ".", ",", "!", "-", "_", "#", "<", ">", "/", "@", "$", "|"),
    *("▁", "▁", "Ġ", "Ċ", "é", "e", "\u0301", "\u0300", "\u0327"),
    *("ﬁ", "²", "½", "İ", "ß", "Σ", "ς"),
    *("中", "文", "カ", "が", "ー", "한", "ᄒ", "ᅡ", "я", "ب", "ا", "٣", "ก", "ำ"),
    *("🙂", "🏽", "👍", "\ufe0f", "\ufffd", "\u00ad", "\ufeff", "ü", "Å", "\u2028", "ſ", "𝔞"),
)


@dataclass(frozen=True)
class Later:
    """Tokens that are added after loading: strings, or the fields of an added token."""

    special: bool
    tokens: list[str | Json]


Words = str | list[str]


@dataclass(frozen=True)
class Request:
    """A pair of texts, or words, alone or with others."""

    first: Words
    second: Words | None = None


@dataclass(frozen=True)
class Case:
    """A file, texts for it, lists of ids to decode, tokens to add, and more to encode."""

    document: Json
    texts: list[str]
    ids: list[list[int]]
    later: list[Later]
    requests: list[Request]


def make_case(seed: int, index: int) -> Case:
    """The same case for the same numbers, always."""
    return _Maker(random.Random(f"{seed}/{index}")).case()


class _Maker(Components):
    """Makes one case; what it has chosen so far steers what it chooses next."""

    def __init__(self, source: random.Random) -> None:
        super().__init__(source)
        count = self.pick((3, 5, 8, 12))
        self.alphabet = [" ", *source.sample(CHARACTERS, count)]
        if self.often(0.7):
            self.alphabet += ["a", "b"]
        spelled = "".join(map(self.spell, self.alphabet))
        self.symbols = list(dict.fromkeys(spelled))
        if self.often(0.2):
            self.symbols.append(self.pick("▁Ġ#"))
        self.vocab: dict[str, int] = {}
        self.size = 0

    def spell(self, text: str) -> str:
        """A text as the vocabulary is likely to have it."""
        if self.style == "bytes":
            return "".join(CHAR_OF_BYTE[byte] for byte in text.encode())
        return text.replace(" ", "▁") if self.style == "marks" else text

    def case(self) -> Case:
        model = self.model()
        added = self.added_tokens()
        document = {
            "version": "1.0",
            "truncation": self.truncation() if self.often(0.12) else None,
            "padding": self.padding() if self.often(0.12) else None,
            "added_tokens": added,
            "normalizer": self.normalizer() if self.often(0.5) else None,
            "pre_tokenizer": self.pre_tokenizer() if self.often(0.8) else None,
            "post_processor": self.post_processor() if self.often(0.4) else None,
            "decoder": self.decoder() if self.often(0.8) else None,
            "model": model,
        }
        contents = [token["content"] for token in added]
        texts = ["", *(self.text(contents) for _ in range(TEXTS - 1))]
        highest = max(self.ids.values(), default=0) + 3
        ids = [[self.upto(highest) for _ in range(self.upto(8))] for _ in range(6)]
        later = [self.later() for _ in range(self.pick((1, 1, 2)))]
        return Case(document, texts, ids, later, [self.request(texts) for _ in range(REQUESTS)])

    def request(self, texts: Sequence[str]) -> Request:
        first, second = self.pick(texts)[:MOST_CHARS], self.pick(texts)[:MOST_CHARS]
        if self.often(0.4):
            return Request(first, second)
        return Request(self.cut(first), self.cut(second) if self.often(0.4) else None)

    def cut(self, text: str) -> list[str]:
        """The words of a text, cut at spaces or anywhere, some of them empty."""
        if self.often(0.5):
            return text.split(" ")
        places = sorted(self.upto(len(text)) for _ in range(self.upto(4)))
        return [text[i:j] for i, j in zip([0, *places], [*places, len(text)], strict=True)]

    def text(self, contents: Sequence[str]) -> str:
        length = self.upto(60) if self.often(0.06) else self.upto(9)
        words = [*contents, *contents[-1:]]
        parts = []
        for _ in range(length):
            kind = self.random.random()
            if kind < 0.2 and words:
                parts.append(self.pick(words))
            elif kind < 0.25:
                parts.append(self.pick(CHARACTERS))
            elif kind < 0.3 and self.vocab:
                parts.append(self.pick(list(self.vocab)))
            else:
                parts.append(self.pick(self.alphabet))
        return "".join(parts)

    def words(self, prefix: str = "", suffix: str = "") -> tuple[list[str], list[tuple[str, str]]]:
        """Tokens, and pairs of tokens that are merged into others."""
        words = [symbol for symbol in self.symbols if self.often(0.9)]
        if prefix:
            words += [prefix + symbol for symbol in self.symbols if self.often(0.8)]
        if suffix:
            words += [word + suffix for word in words if self.often(0.8)]
        self.random.shuffle(words)
        words = list(dict.fromkeys(words)) or ["a"]
        merges = []
        for _ in range(self.upto(24)):
            left, right = self.pick(words), self.pick(words)
            if self.often(0.3):
                left = words[-1]
            if prefix and not right.startswith(prefix) and self.often(0.95):
                continue
            if suffix and left.endswith(suffix):
                continue
            rest = right.encode()[len(prefix.encode()) :]
            try:
                word = left + rest.decode()
            except UnicodeDecodeError:
                continue  # Where a merge cuts into a character the oracle ends the process.
            merges.append((left, right))
            if word not in words:
                words.append(word)
        return words, merges

    def number(self, words: list[str]) -> dict[str, int]:
        """Ids in order, sometimes with gaps, sometimes shuffled."""
        numbers = list(range(len(words)))
        if self.often(0.08):
            numbers = sorted(self.random.sample(range(2 * len(words) + 1), len(words)))
        if self.often(0.15):
            self.random.shuffle(numbers)
        self.vocab = dict(zip(words, numbers, strict=True))
        self.ids, self.size = dict(self.vocab), len(words)
        return self.vocab

    def bytes_of_fallback(self) -> list[str]:
        needed = sorted(set("".join(self.alphabet).encode()))
        chosen = self.pick((range(256), needed, [byte for byte in needed if self.often(0.7)]))
        return [f"<0x{byte:02X}>" for byte in chosen]

    def model(self) -> Json:
        kind = self.random.random()
        if kind < 0.55:
            return self.bpe()
        if kind < 0.75:
            return self.unigram()
        return self.word_piece() if kind < 0.88 else self.word_level()

    def bpe(self) -> Json:
        odd = self.often(0.4)
        prefix = self.pick((None, "", "##", "#", "▁", "é")) if odd and self.flag() else None
        suffix = self.pick((None, "", "</w>", "_", "a")) if odd and self.flag() else None
        words, merges = self.words(prefix or "", suffix or "")
        byte_fallback = self.often(0.25)
        if byte_fallback or self.often(0.05):
            words += self.bytes_of_fallback()
        unknown = self.pick(("<unk>", "[UNK]", "a")) if self.often(0.4) else None
        if unknown and self.often(0.9):
            words.insert(self.upto(len(words)), unknown)
        words = list(dict.fromkeys(words))
        if self.often(0.02):
            merges.append(("zz", "a"))
        if self.often(0.1):
            self.random.shuffle(merges)
        as_strings = self.often(0.2) and not any(" " in left + right for left, right in merges)
        return {
            "type": "BPE",
            "dropout": 0.0 if self.often(0.03) else None,
            "unk_token": unknown,
            "continuing_subword_prefix": prefix,
            "end_of_word_suffix": suffix,
            "fuse_unk": self.flag() if unknown else self.often(0.1),
            "byte_fallback": byte_fallback,
            "ignore_merges": self.often(0.2),
            "vocab": self.number(words),
            "merges": [" ".join(pair) if as_strings else list(pair) for pair in merges],
        }

    def unigram(self) -> Json:
        words, _ = self.words()
        byte_fallback = self.often(0.3)
        if byte_fallback or self.often(0.05):
            words += self.bytes_of_fallback()
        unk_id = None
        if self.often(0.8):
            unk_id = self.pick((0, self.upto(len(words) - 1)))
            if self.often(0.8):
                words.insert(unk_id, "<unk>")
        if self.often(0.2):
            words += [self.pick(words) for _ in range(2)]
        scores = self.pick(
            ((-1.0,), (-1.0, -2.0), (-0.5, -1.5, -2.25, -3.125, -7.7), (0.0, 0.5, -1.0))
        )
        self.vocab = {word: at for at, word in enumerate(words)}
        self.ids, self.size = dict(self.vocab), len(words)
        return {
            "type": "Unigram",
            "unk_id": unk_id,
            "vocab": [[word, self.pick(scores)] for word in words],
            "byte_fallback": byte_fallback,
        }

    def word_piece(self) -> Json:
        prefix = self.pick(("##", "##", "", "▁", "a", "é", "Ġ", "#"))
        words, _ = self.words(prefix)
        unknown = self.pick(("[UNK]", "a", "<unk>"))
        if self.often(0.9):
            words.append(unknown)
        return {
            "type": "WordPiece",
            "unk_token": unknown,
            "continuing_subword_prefix": prefix,
            "max_input_chars_per_word": self.pick((0, 1, 2, 3, 5, 8, 100, 100)),
            "vocab": self.number(list(dict.fromkeys(words))),
        }

    def word_level(self) -> Json:
        words, _ = self.words()
        unknown = self.pick(("[UNK]", "a", "<unk>"))
        if self.often(0.9):
            words.append(unknown)
        words += [" ", "ab"]
        return {
            "type": "WordLevel",
            "vocab": self.number(list(dict.fromkeys(words))),
            "unk_token": unknown,
        }

    def content(self) -> str:
        kind = self.random.random()
        if kind < 0.35:
            return self.pick(SPECIAL)
        if kind < 0.55 and self.vocab:
            return self.pick(list(self.vocab))
        if kind < 0.65:
            return self.pick((" ", "  ", "\n", "▁", " a", "a ", "<s", "s>", "é", "\u0301", "A", ""))
        return "".join(self.pick(self.alphabet) for _ in range(1 + self.upto(2)))

    def fields(self, content: str) -> Json:
        rare = self.pick((0.1, 0.5))
        special = self.often(0.45)
        return {
            "content": content,
            "single_word": self.often(rare),
            "lstrip": self.often(rare),
            "rstrip": self.often(rare),
            "normalized": not special if self.flag() else self.flag(),
            "special": special,
        }

    def added_tokens(self) -> list[Json]:
        """Added tokens with the ids that the oracle gives them, or in some files others."""
        wrong, added = self.often(0.05), []
        next_id = self.size
        contents = dict.fromkeys(self.content() for _ in range(self.pick((0, 1, 2, 3, 5, 8))))
        for content in contents:
            known = self.ids.get(content)
            if known is None:
                known = next_id
                next_id += 1
                self.ids[content] = known
            added.append({"id": self.upto(50) if wrong else known, **self.fields(content)})
        return added

    def later(self) -> Later:
        tokens: list[str | Json] = []
        for _ in range(1 + self.upto(3)):
            known = list(self.ids)
            content = self.pick(known) if known and self.often(0.3) else self.content()
            tokens.append(content if self.often(0.4) else self.fields(content))
        return Later(self.flag(), tokens)
