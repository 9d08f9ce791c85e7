"""Random components of a tokenizer.json: all but the model and the added tokens."""

from __future__ import annotations

import base64
import random
import struct
from collections.abc import Callable, Sequence
from typing import Any, Final

Json = dict[str, Any]

LITERALS: Final = (
    *("", " ", "a", "ab", "▁", "Ġ", "é", "\n", "  ", "'", ".", "e\u0301", "<s>", "$0", "\\"),
)
REGEXES: Final = (
    *(r"\s+", r"\s", r"\d", r"\d{1,2}", "[a-c]", ".", r"\p{L}+", r"\p{N}", "a*", "x?", "▁"),
    *(r"\w+|[^\w\s]+", "(?=a)", "(?<=a)", "^a", "^", "$", r"\b", "(a)(b)?", r"[^\s]", "b+?"),
    *(
        r" ?\p{L}+|\s+(?!\S)|\s+",
        "(?i:'s|'t)|a",
        "(a|ab)(c|bcd)?",
        r"(.)\1",
        r"\X",
        r"\A.",
        "(?!a)",
    ),
    *("(", "[", "*", r"\p{Han}|\p{M}", r"(?m)^.", "(?s:.)", "a{2}", "[^a]+", r"\h", "a|", r"\R"),
    *(r".\z", "[[:punct:]]"),
)
REPLACEMENTS: Final = ("▁", "_", "Ġ", " ", "a", "é", "🙂", "\u0301", "<")
BEHAVIORS: Final = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
SCHEMES: Final = ("first", "never", "always")
SPECIAL: Final = ("<s>", "</s>", "<unk>", "[UNK]", "[PAD]", "[MASK]", "<|end|>", "[CLS]", "[SEP]")


def charsmap(pairs: Sequence[tuple[str, str]]) -> str:
    """A precompiled map of SentencePiece in Base64: a double array, then the replacements."""
    blob, values = bytearray(), {}
    for source, target in sorted(pairs):
        values[source.encode()] = len(blob)
        blob += target.encode() + b"\0"
    units, taken = [0] * 256, {0}
    nodes = [(b"", 0)]
    while nodes:
        prefix, place = nodes.pop()
        keys = {key for key in values if key.startswith(prefix)}
        labels = sorted({key[len(prefix)] for key in keys if len(key) > len(prefix)})
        base = 0
        while any(base ^ label in taken for label in (0, *labels)):
            base += 1
        units += [0] * (base + 256 - base % 256 - len(units))
        taken.update(base ^ label for label in (0, *labels))
        units[place] |= (place ^ base) << 10
        if prefix in values:
            units[place] |= 1 << 8
            units[base] = values[prefix] | 1 << 31
        for label in labels:
            units[base ^ label] = label
            nodes.append((prefix + bytes([label]), base ^ label))
    data = struct.pack("<I", 4 * len(units)) + struct.pack(f"<{len(units)}I", *units)
    return base64.b64encode(data + bytes(blob)).decode("ascii")


class Components:
    """Makes components; the alphabet and the ids that there are steer it."""

    def __init__(self, source: random.Random) -> None:
        self.random = source
        self.pick = source.choice
        self.style = self.pick(("bytes", "bytes", "marks", "marks", "plain", "plain"))
        self.alphabet = [" "]
        self.ids: dict[str, int] = {}
        self.template_made = False
        self.replacements = 0
        self.byte_levels = 0
        self.depth = 0

    def often(self, share: float) -> bool:
        return self.random.random() < share

    def flag(self) -> bool:
        return self.often(0.5)

    def upto(self, most: int) -> int:
        return self.random.randint(0, most)

    def pattern(self) -> Json:
        if self.flag():
            return {"String": self.pick((*LITERALS, self.pick(self.alphabet)))}
        return {"Regex": self.pick(REGEXES)}

    def sequence(self, key: str, make: Callable[[], Json]) -> Json:
        self.depth += 1
        parts = [make() for _ in range(self.pick((0, 1, 2, 2, 3, 4)))]
        self.depth -= 1
        return {"type": "Sequence", key: parts}

    def normalizer(self) -> Json:
        if self.depth < 3 and self.often(0.25):
            return self.sequence("normalizers", self.normalizer)
        kinds: list[Json] = [
            *(
                {"type": kind}
                for kind in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents")
            ),
            {"type": "Nmt"},
            {"type": "ByteLevel"},
            {"type": "Strip", "strip_left": self.flag(), "strip_right": self.flag()},
            {"type": "Replace"},
            {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
            {"type": "Prepend", "prepend": self.pick(("▁", "▁", *LITERALS))},
            {
                "type": "BertNormalizer",
                "clean_text": self.flag(),
                "handle_chinese_chars": self.flag(),
                "strip_accents": self.pick((None, False, True)),
                "lowercase": self.flag(),
            },
        ]
        if self.often(0.1):
            sources = self.random.sample(self.alphabet, 2)
            pairs = {"ﬁ": "fi", "e\u0301": "é", **{text: self.pick(LITERALS) for text in sources}}
            pairs.pop("\x00", None)
            return {"type": "Precompiled", "precompiled_charsmap": charsmap([*pairs.items()])}
        return self.filled(self.pick(kinds))

    def filled(self, component: Json) -> Json:
        """The component, with fields if it is a Replace that has none.

        There are few of them, since each one that matches where nothing is can double a text.
        """
        if component != {"type": "Replace"}:
            return component
        self.replacements += 1
        if self.replacements > 3:
            return {"type": "Replace", "pattern": {"String": "a"}, "content": "b"}
        return {"type": "Replace", "pattern": self.pattern(), "content": self.pick(LITERALS)}

    def byte_level(self) -> Json:
        return {
            "type": "ByteLevel",
            "add_prefix_space": self.flag(),
            "trim_offsets": self.flag(),
            "use_regex": self.flag(),
        }

    def spelling(self) -> Json:
        """A ByteLevel in a pre-tokenizer: few of them, since each one can double a text."""
        self.byte_levels += 1
        return self.byte_level() if self.byte_levels <= 3 else {"type": "Whitespace"}

    def metaspace(self) -> Json:
        return {
            "type": "Metaspace",
            "replacement": "▁" if self.often(0.8) else self.pick(REPLACEMENTS),
            "prepend_scheme": self.pick(SCHEMES),
            "split": self.flag(),
        }

    def pre_tokenizer(self) -> Json:
        if self.depth < 3 and self.often(0.3):
            return self.sequence("pretokenizers", self.pre_tokenizer)
        if self.often(0.45) and self.style != "plain":
            return self.spelling() if self.style == "bytes" else self.metaspace()
        return self.pick(
            [
                *({"type": kind} for kind in ("BertPreTokenizer", "UnicodeScripts", "Whitespace")),
                {"type": "WhitespaceSplit"},
                {"type": "CharDelimiterSplit", "delimiter": self.pick(self.alphabet)},
                {"type": "Digits", "individual_digits": self.flag()},
                {
                    "type": "FixedLength",
                    "length": self.upto(5) if self.often(0.2) else 1 + self.upto(4),
                },
                {"type": "Punctuation", "behavior": self.pick(BEHAVIORS)},
                self.byte_level(),
                self.metaspace(),
                *(self.split() for _ in range(3)),
            ]
        )

    def split(self) -> Json:
        return {
            "type": "Split",
            "pattern": self.pattern(),
            "behavior": self.pick(BEHAVIORS),
            "invert": self.flag(),
        }

    def token(self) -> tuple[str, int]:
        known = list(self.ids.items()) or [("a", 0)]
        content, id_ = self.pick(known)
        return (self.pick(SPECIAL), self.upto(30)) if self.often(0.1) else (content, id_)

    def post_processor(self) -> Json:
        if self.depth < 3 and self.often(0.25):
            return self.sequence("processors", self.post_processor)
        kind = self.pick(
            ("BertProcessing", "RobertaProcessing", "ByteLevel", "Template", "Template")
        )
        if kind == "ByteLevel":
            return self.byte_level()
        if kind == "Template":
            if self.template_made and self.often(0.9):
                return self.byte_level()  # A template behind another one is refused.
            self.template_made = True
            return self.template()
        processor: Json = {"type": kind, "sep": list(self.token()), "cls": list(self.token())}
        if kind == "RobertaProcessing":
            processor |= {"trim_offsets": self.flag(), "add_prefix_space": self.flag()}
        return processor

    def template(self) -> Json:
        names = ["[CLS]", "[SEP]", "x"]

        def piece(name: str) -> Json:
            kind = "Sequence" if name in "AB" else "SpecialToken"
            return {kind: {"id": name, "type_id": self.upto(1)}}

        single = ["A", *(self.pick(names) for _ in range(self.upto(3)))]
        if self.often(0.05):
            single.append(self.pick("AAB"))
        if self.often(0.1):
            single.remove("A")
        self.random.shuffle(single)
        special: dict[str, Json] = {}
        for name in names:
            tokens = [self.token() for _ in range(self.pick((0, 1, 1, 1, 1, 2)))]
            ids = [id_ for _, id_ in tokens]
            special[name] = {"id": name, "ids": ids, "tokens": [content for content, _ in tokens]}
        if self.often(0.01):
            special.popitem()
        return {
            "type": "TemplateProcessing",
            "single": [piece(name) for name in single],
            "pair": [piece(name) for name in ("A", "[SEP]", "B")],
            "special_tokens": special,
        }

    def decoder(self) -> Json:
        if self.depth < 3 and self.often(0.3):
            return self.sequence("decoders", self.decoder)
        if self.often(0.4) and self.style != "plain":
            return self.byte_level() if self.style == "bytes" else self.metaspace()
        ctc = {"type": "CTC", "pad_token": self.pick((*SPECIAL, "a")), "cleanup": self.flag()}
        return self.filled(
            self.pick(
                [
                    {"type": "BPEDecoder", "suffix": self.pick(("</w>", "_", "", "a", " "))},
                    {"type": "ByteFallback"},
                    {"type": "Fuse"},
                    {
                        "type": "WordPiece",
                        "prefix": self.pick(("##", "", "a", "▁")),
                        "cleanup": self.flag(),
                    },
                    {"type": "Replace"},
                    {
                        "type": "Strip",
                        "content": self.pick((" ", "a", "▁", self.pick(self.alphabet))),
                        "start": self.upto(2),
                        "stop": self.upto(2),
                    },
                    ctc | {"word_delimiter_token": self.pick(("|", "a", "▁", ""))},
                    self.byte_level(),
                    self.metaspace(),
                ]
            )
        )

    def truncation(self) -> Json:
        return {
            "direction": self.pick(("Left", "Right")),
            "max_length": self.upto(6),
            "strategy": self.pick(("LongestFirst", "LongestFirst", "OnlyFirst", "OnlySecond")),
            "stride": self.pick((0, 0, 1, 2)),
        }

    def padding(self) -> Json:
        content, id_ = self.token()
        return {
            "strategy": self.pick(("BatchLongest", {"Fixed": self.upto(8)})),
            "direction": self.pick(("Left", "Right")),
            "pad_to_multiple_of": self.pick((None, None, 0, 1, 4)),
            "pad_id": id_,
            "pad_type_id": self.upto(1),
            "pad_token": content,
        }
