"""Runs the tokenizers of transformers 5 on fretsaw.

After `patch()` every fast tokenizer that transformers makes, by `AutoTokenizer` or by its class, holds
a `Backend` where it had a `tokenizers.Tokenizer`: the same interface, the same results. Tokenizers
that were there before stay as they are. What fretsaw can't serve runs on tokenizers, with one warning
that names the reason.

>>> from fretsaw.integrations import transformers
>>> transformers.patch()
>>> from transformers import PreTrainedTokenizerFast
>>> from tokenizers import Tokenizer, models
>>> words = Tokenizer(models.WordLevel({"a": 0, "b": 1}, unk_token="a"))
>>> PreTrainedTokenizerFast(tokenizer_object=words)("b")["input_ids"]
[1]
>>> transformers.unpatch()
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

from tokenizers import Tokenizer as Original

from ._backend import Backend
from ._calls import SHORTCUTS, fits

__all__ = ["patch", "unpatch"]

_MODULE = "transformers.tokenization_utils_tokenizers"
_undo: list[Callable[[], None]] = []
"""What `unpatch` does, last first."""


class _Slot:
    """The attribute `_tokenizer`: what is put there becomes a `Backend`."""

    def __get__(self, instance: Any, owner: type) -> Any:
        return None if instance is None else instance.__dict__.get("_tokenizer")

    def __set__(self, instance: Any, value: Any) -> None:
        made = Backend(value) if isinstance(value, Original) else value
        instance.__dict__["_tokenizer"] = made


def patch() -> None:
    """Makes tokenizers that are made from now on run on fretsaw; does nothing the second time.

    Imports transformers. Raises `ImportError` where that is not installed, or older than 5.

    >>> from fretsaw.integrations.transformers import patch, unpatch
    >>> patch()
    >>> unpatch()
    """
    if _undo:
        return
    try:
        module = importlib.import_module(_MODULE)
    except ModuleNotFoundError as error:
        message = "needs transformers 5: pip install 'fretsaw[transformers]'"
        raise ImportError(message) from error
    kind = module.TokenizersBackend
    _replace(module, "TokenizerFast", Backend)
    _replace(kind, "_tokenizer", _Slot())
    _replace(kind, "__init__", _forgetting(kind.__init__))
    _replace(kind, "_post_init", _forgetting(kind._post_init))
    if fits():
        for name, make in SHORTCUTS.items():
            _replace(kind, name, make(module, getattr(kind, name)))


def unpatch() -> None:
    """Undoes `patch`. Tokenizers that were made meanwhile go on running on fretsaw.

    >>> from fretsaw.integrations.transformers import unpatch
    >>> unpatch()
    """
    while _undo:
        _undo.pop()()


def _replace(owner: Any, name: str, value: Any) -> None:
    before = vars(owner)[name]
    _undo.append(lambda: setattr(owner, name, before))
    setattr(owner, name, value)


def _forgetting(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method of transformers that looks at components and keeps none of them."""

    @functools.wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = method(self, *args, **kwargs)
        if isinstance(self._tokenizer, Backend):
            self._tokenizer.forget_parts()
        return result

    return call
