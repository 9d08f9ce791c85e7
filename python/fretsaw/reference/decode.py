"""Decoders: from token strings back to text.

A decoder is a list of steps; each takes a list of strings and gives a list of strings, the last list
is joined. `Metaspace` (metaspace.py) is a step, too. Without any decoder the tokens are joined with
spaces between them.

Cost: O(characters) a step.
Source: Hugging Face tokenizers 0.23.3, `decoders/`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .byte_map import token_to_bytes
from .metaspace import Metaspace
from .utf8 import REPLACEMENT, decode_with_replacement

BYTE_TOKEN = re.compile(r"<0x([0-9A-Fa-f]{2}|\+[0-9A-Fa-f])>")
"""A byte's name. A plus sign may stand for the first digit: Rust's `from_str_radix` takes one."""

# What WordPiece's clean-up replaces, in this order, in each token on its own.
CLEANUP = ((" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"),
           (" 'm", "'m"), (" do not", " don't"), (" 's", "'s"), (" 've", "'ve"), (" 're", "'re"))  # fmt: skip


@dataclass(frozen=True)
class ByteLevelDecoder:
    """Tokens in the byte alphabet; all become one string."""

    def decode(self, tokens: Sequence[str]) -> list[str]:
        """Join the bytes of the tokens and decode them."""
        return [decode_with_replacement(b"".join(map(token_to_bytes, tokens)))]


@dataclass(frozen=True)
class WordPieceDecoder:
    """A token without the prefix begins a word.

    >>> WordPieceDecoder().decode(["un", "##able", "to", ".", "do", "n't"])
    ['un', 'able', ' to', '.', ' do', "n't"]
    """

    prefix: str = "##"
    cleanup: bool = True

    def decode(self, tokens: Sequence[str]) -> list[str]:
        """Put spaces before words, and tidy up spaces before punctuation."""
        decoded = []
        for place, token in enumerate(tokens):
            if place > 0:
                continues = token.startswith(self.prefix)
                token = token.removeprefix(self.prefix) if continues else " " + token
            for old, new in CLEANUP if self.cleanup else ():
                token = token.replace(old, new)
            decoded.append(token)
        return decoded


@dataclass(frozen=True)
class BPEDecoder:
    """A suffix ends a word.

    >>> BPEDecoder().decode(["hel", "lo</w>", "you</w>"])
    ['hel', 'lo ', 'you']
    """

    suffix: str = "</w>"

    def decode(self, tokens: Sequence[str]) -> list[str]:
        """Write a space for the suffix, nothing for the last token's."""
        spaces = [" "] * (len(tokens) - 1) + [""]
        return [token.replace(self.suffix, space) for token, space in zip(tokens, spaces)]  # noqa: B905


@dataclass(frozen=True)
class ByteFallback:
    """Tokens that name bytes: a run of them is its text, or, if ill-formed, one U+FFFD a byte.

    >>> ByteFallback().decode(["a", "<0xC3>", "<0xA9>", "<0xC3>", "b", "<0xC3>"])
    ['a', '\ufffd', '\ufffd', '\ufffd', 'b', '\ufffd']
    """

    def decode(self, tokens: Sequence[str]) -> list[str]:
        """Decode each run of byte tokens."""
        decoded: list[str] = []
        run: list[int] = []
        for token in [*tokens, None]:
            named = BYTE_TOKEN.fullmatch(token) if token is not None else None
            if named:
                run.append(int(named[1], 16))
                continue
            decoded.extend(_text_of_run(bytes(run)))
            run = []
            if token is not None:
                decoded.append(token)
        return decoded


def _text_of_run(run: bytes) -> list[str]:
    try:
        return [run.decode("utf-8")] if run else []
    except UnicodeDecodeError:
        return [REPLACEMENT] * len(run)


@dataclass(frozen=True)
class Fuse:
    """All tokens become one string."""

    def decode(self, tokens: Sequence[str]) -> list[str]:
        """Join the tokens."""
        return ["".join(tokens)]


@dataclass(frozen=True)
class StripDecoder:
    """A character goes from the ends of each token, so often at most.

    >>> StripDecoder(" ", start=1).decode(["  a", "b "])
    [' a', 'b ']
    """

    content: str
    start: int = 0
    stop: int = 0

    def decode(self, tokens: Sequence[str]) -> list[str]:
        """Strip each token; raises ValueError where Hugging Face panics: too little is left."""
        return [self._strip(token) for token in tokens]

    def _strip(self, token: str) -> str:
        start = 0
        while start < min(self.start, len(token)) and token[start] == self.content:
            start += 1
        end = len(token)
        for _ in range(self.stop):
            if end == 0:
                raise ValueError(f"decoder: {token!r} is too short to strip {self.stop} at its end")
            if token[end - 1] != self.content:
                break
            end -= 1
        if start > end:
            raise ValueError(f"decoder: {token!r} is too short to strip at both ends")
        return token[start:end]


@dataclass(frozen=True)
class ReplaceDecoder:
    """One literal text for another, in each token on its own."""

    pattern: str
    content: str

    def decode(self, tokens: Sequence[str]) -> list[str]:
        """Replace every occurrence."""
        return [token.replace(self.pattern, self.content) for token in tokens]


Decoder = (
    BPEDecoder | ByteFallback | ByteLevelDecoder | Fuse | Metaspace
    | ReplaceDecoder | StripDecoder | WordPieceDecoder
)  # fmt: skip


def decode_tokens(tokens: Sequence[str], steps: Sequence[Decoder] | None) -> str:
    """Return the text of tokens; `None` is no decoder, which is not the same as no steps.

    >>> decode_tokens(["▁a", "<0x0A>"], [ByteFallback(), Metaspace()]), decode_tokens(["a", "b"], None)
    ('a\\n', 'a b')
    """
    if steps is None:
        return " ".join(tokens)
    for step in steps:
        tokens = step.decode(tokens)
    return "".join(tokens)
