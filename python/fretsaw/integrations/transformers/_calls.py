"""Shorter ways through methods of transformers, with the same results.

A call of a tokenizer spends more time in transformers than in fretsaw. The ways here are taken for
texts, pairs and batches of them where nothing unusual is asked for; everything else goes the usual
way. They are used only under versions of transformers whose methods they were compared with.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

from ._backend import Backend

__all__ = ["SHORTCUTS", "fits"]

_VERSIONS = ("5.24.",)


def fits() -> bool:
    """Whether the shortcuts are those of the installed transformers."""
    version: str = importlib.import_module("transformers").__version__
    return version.startswith(_VERSIONS)


def _encode_plus(module: Any, usual: Callable[..., Any]) -> Callable[..., Any]:
    """`_encode_plus`, which every call that encodes comes to."""
    do_not_pad = module.PaddingStrategy.DO_NOT_PAD
    do_not_truncate = module.TruncationStrategy.DO_NOT_TRUNCATE
    make = _batch_encoding(module.BatchEncoding)
    kind = module.TokenizersBackend
    used = (
        "set_truncation_and_padding",
        "_convert_encoding",
        "_eventual_warn_about_too_long_sequence",
    )
    usual_methods = {name: getattr(kind, name) for name in used}

    known: dict[type, bool] = {}

    def is_usual(kind: type) -> bool:
        """Whether a class leaves the methods alone that are passed over here."""
        if kind not in known:
            known[kind] = all(getattr(kind, name) is usual_methods[name] for name in used)
        return known[kind]

    @functools.wraps(usual)
    def encode_plus(
        self: Any,
        text: Any,
        text_pair: Any = None,
        add_special_tokens: bool = True,
        padding_strategy: Any = do_not_pad,
        truncation_strategy: Any = do_not_truncate,
        max_length: int | None = None,
        stride: int = 0,
        is_split_into_words: bool = False,
        pad_to_multiple_of: int | None = None,
        padding_side: str | None = None,
        return_tensors: Any = None,
        return_token_type_ids: bool | None = None,
        return_attention_mask: bool | None = None,
        return_overflowing_tokens: bool = False,
        return_special_tokens_mask: bool = False,
        return_offsets_mapping: bool = False,
        return_length: bool = False,
        verbose: bool = True,
        split_special_tokens: bool | None = None,
        **kwargs: Any,
    ) -> Any:
        backend = self._tokenizer
        is_batch = isinstance(text, list)
        if (
            not isinstance(backend, Backend)
            or is_split_into_words
            or return_overflowing_tokens
            or kwargs.get("sanitize_control_tokens")
            or not is_usual(type(self))
            or not (_is_batch(text, text_pair) if is_batch else _is_single(text, text_pair))
        ):
            return usual(
                self,
                text,
                text_pair,
                add_special_tokens,
                padding_strategy,
                truncation_strategy,
                max_length,
                stride,
                is_split_into_words,
                pad_to_multiple_of,
                padding_side,
                return_tensors,
                return_token_type_ids,
                return_attention_mask,
                return_overflowing_tokens,
                return_special_tokens_mask,
                return_offsets_mapping,
                return_length,
                verbose,
                split_special_tokens,
                **kwargs,
            )
        if (
            padding_strategy is not do_not_pad
            or truncation_strategy is not do_not_truncate
            or backend.padding is not None
            or backend.truncation is not None
        ):
            self.set_truncation_and_padding(
                padding_strategy=padding_strategy,
                truncation_strategy=truncation_strategy,
                max_length=max_length,
                stride=stride,
                pad_to_multiple_of=pad_to_multiple_of,
                padding_side=padding_side,
            )
        if split_special_tokens is None:
            split_special_tokens = self.split_special_tokens
        if backend.encode_special_tokens != split_special_tokens:
            backend.encode_special_tokens = split_special_tokens

        if is_batch:
            texts = text if text_pair is None else list(zip(text, text_pair, strict=True))
            encodings = backend.encode_batch(texts, False, add_special_tokens)
        else:
            encodings = backend.encode_one(text, text_pair or None, add_special_tokens)

        names = self.model_input_names
        data: dict[str, Any] = {"input_ids": [encoding.ids for encoding in encodings]}
        if "token_type_ids" in names if return_token_type_ids is None else return_token_type_ids:
            data["token_type_ids"] = [encoding.type_ids for encoding in encodings]
        if "attention_mask" in names if return_attention_mask is None else return_attention_mask:
            # Only padding is not attended to.
            data["attention_mask"] = (
                [[1] * len(ids) for ids in data["input_ids"]]
                if padding_strategy is do_not_pad
                else [encoding.attention_mask for encoding in encodings]
            )
        if return_special_tokens_mask:
            data["special_tokens_mask"] = [encoding.special_tokens_mask for encoding in encodings]
        if return_offsets_mapping:
            data["offset_mapping"] = [encoding.offsets for encoding in encodings]
        if return_length:
            data["length"] = [len(ids) for ids in data["input_ids"]]

        if max_length is None and verbose:
            longest = self.model_max_length
            for ids in data["input_ids"]:
                if len(ids) > longest:
                    self._eventual_warn_about_too_long_sequence(ids, max_length, verbose)
        if not is_batch and return_tensors is None:
            data = {
                name: value[0] if isinstance(value[0], list) else value
                for name, value in data.items()
            }
        sequences = 1 if text_pair is None else encodings[0].n_sequences
        made = make(data, encodings, sequences)
        return made if return_tensors is None else made.convert_to_tensors(return_tensors)

    return encode_plus


def _is_single(text: Any, pair: Any) -> bool:
    return isinstance(text, str) and (pair is None or isinstance(pair, str))


def _is_batch(texts: Any, pairs: Any) -> bool:
    if not texts or not isinstance(texts[0], str):
        return False
    if pairs is None:
        return True
    is_list = isinstance(pairs, list) and len(pairs) == len(texts)
    return is_list and isinstance(pairs[0], str)


def _batch_encoding(kind: Any) -> Callable[[dict[str, Any], list[Any], int], Any]:
    """Makes a `BatchEncoding` of a dict of its own, without copying it item by item."""
    new = kind.__new__

    def make(data: dict[str, Any], encodings: list[Any], sequences: int) -> Any:
        made = new(kind)
        made.data = data
        made._encodings = encodings
        made._n_sequences = sequences
        return made

    return make


def _decode(module: Any, usual: Callable[..., Any]) -> Callable[..., Any]:
    """`_decode`, without making the model's object to see its name."""

    @functools.wraps(usual)
    def decode(
        self: Any,
        token_ids: Any,
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool | None = None,
        **kwargs: Any,
    ) -> Any:
        backend = self._tokenizer
        clean_up = clean_up_tokenization_spaces
        if clean_up is None:
            clean_up = self.clean_up_tokenization_spaces
        if not isinstance(backend, Backend) or not isinstance(token_ids, list) or clean_up:
            return usual(
                self, token_ids, skip_special_tokens, clean_up_tokenization_spaces, **kwargs
            )
        return backend.decode(token_ids, skip_special_tokens=skip_special_tokens)

    return decode


SHORTCUTS: dict[str, Callable[[Any, Callable[..., Any]], Callable[..., Any]]] = {
    "_encode_plus": _encode_plus,
    "_decode": _decode,
}
"""By the name of a method, what makes its shortcut from the module and the usual method."""
