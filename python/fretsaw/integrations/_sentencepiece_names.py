"""The many names of SentencePieceProcessor's methods: one for each form of a result, in both spellings."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any


def _form(method: str, **fixed: Any) -> Callable[..., Any]:
    """A method that is another one with some arguments given."""

    def call(self: Any, input: Any, *args: Any, **kwargs: Any) -> Any:
        names = ("nbest_size", "alpha")
        return getattr(self, method)(
            input, **dict(zip(names, args, strict=False)), **fixed, **kwargs
        )

    return call


_FORMS: dict[str, Any] = {"Pieces": str, "Ids": int, "Numpy": "numpy", "Proto": "proto"}


def add_names(processor: type[Any]) -> None:
    """Gives a class with `Encode`, `NBestEncode` and `Decode` all other names of what they do."""
    methods: dict[str, Callable[..., Any]] = {
        "EncodeAsOffsetMapping": _form("Encode", return_type="offset_mapping"),
        "DecodePieces": processor.Decode,
        "DecodePiecesAsProto": _form("Decode", return_type="proto"),
        "DecodeIds": processor.Decode,
        "DecodeIdsAsProto": _form("Decode", return_type="proto"),
        "Tokenize": processor.Encode,
        "Detokenize": processor.Decode,
    }
    for name, kind in _FORMS.items():
        sampled = _form("Encode", enable_sampling=True, return_type=kind)
        methods[f"EncodeAs{name}"] = _form("Encode", return_type=kind)
        methods[f"SampleEncodeAs{name}"] = sampled
        methods[f"NBestEncodeAs{name}"] = _form("NBestEncode", return_type=kind)
    for name, method in methods.items():
        setattr(processor, name, method)
    for name in dir(processor):
        if re.match("[A-Z]", name):
            snake = re.sub("(?<!^)(?=[A-Z])", "_", name).lower().replace("n_best", "nbest")
            setattr(processor, snake, getattr(processor, name))
