"""What reads the pickles of tokenizers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._errors import SpecError
from ._tokenizer import Tokenizer

__all__ = ["load", "restore"]


def load(path: str, fingerprint: str) -> Tokenizer:
    """The tokenizer of a path. Raises `SpecError` if it is not the one that was pickled."""
    tokenizer = Tokenizer.from_file(path)
    if tokenizer.fingerprint != fingerprint:
        raise SpecError(
            f"{path} has the fingerprint {tokenizer.fingerprint}, the tokenizer that was pickled "
            f"{fingerprint}: the file changed since; put the old one back, or pickle anew"
        )
    return tokenizer._found_at(path, True)


def restore(
    make: Callable[..., Tokenizer],
    args: tuple[Any, ...],
    chat: str | None,
    encode_special_tokens: bool,
) -> Tokenizer:
    """A tokenizer with what `make` does not know of it."""
    tokenizer = make(*args)
    if chat is not None:
        tokenizer = tokenizer._with_chat(chat)
    if encode_special_tokens:
        tokenizer.encode_special_tokens = True
    return tokenizer
