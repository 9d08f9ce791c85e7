"""Special tokens and ill-formed text as tiktoken 0.14.0 treats them before it encodes."""

import functools
import re
from collections.abc import Set as AbstractSet
from typing import NoReturn

__all__ = ["after_last", "pair_surrogates", "refuse"]


@functools.lru_cache(maxsize=128)
def _any_of(tokens: frozenset[str]) -> re.Pattern[str]:
    longest_first = sorted(tokens, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)))


def refuse(text: str, disallowed: frozenset[str]) -> None:
    """Raises `ValueError` for the first of these tokens that stands in the text.

    >>> refuse("plain text", frozenset({"<|endoftext|>"}))
    """
    if disallowed and (match := _any_of(disallowed).search(text)):
        _raise_disallowed(match.group())


def _raise_disallowed(token: str) -> NoReturn:
    raise ValueError(
        f"Encountered text corresponding to disallowed special token {token!r}.\n"
        "If you want this text to be encoded as a special token, "
        f"pass it to `allowed_special`, e.g. `allowed_special={{{token!r}, ...}}`.\n"
        f"If you want this text to be encoded as normal text, disable the check for this token "
        f"by passing `disallowed_special=(enc.special_tokens_set - {{{token!r}}})`.\n"
        "To disable this check for all special tokens, pass `disallowed_special=()`.\n"
    )


def after_last(text: str, tokens: AbstractSet[str]) -> str:
    """What follows the last of these tokens; the whole text where there is none.

    >>> after_last("a<|endoftext|>b", {"<|endoftext|>"})
    'b'
    """
    end = 0
    if tokens:
        for match in _any_of(frozenset(tokens)).finditer(text):
            end = match.end()
    return text[end:]


def pair_surrogates(text: str) -> str:
    """The text with surrogate pairs joined, and U+FFFD for each surrogate without its other half.

    >>> pair_surrogates("\\ud83d\\ude00 \\ud83d") == "\\U0001f600 \\ufffd"
    True
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
