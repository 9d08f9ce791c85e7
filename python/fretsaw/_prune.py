"""Smaller vocabularies: a tokenizer with some of its tokens, and where each came from.

Ids are given anew in the old order. What a text's ids were stays what they are, under their new
numbers, wherever all of them are kept: with byte-pair encoding that takes every token that a kept one
is merged of, by any of its rules, so these are kept too, and so are tokens that no text should be
without: single characters, bytes, the unknown token, added tokens and those of the post-processor.
Texts that had other tokens get smaller ones instead.

Cost: linear in the vocabulary and the merges.
"""

import json
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from ._errors import TrainError
from ._sources import Errors, Reading, Source
from ._tokenizer import Tokenizer

__all__ = ["prune"]


def prune(
    tok: Tokenizer,
    *,
    keep: Iterable[int | str] | None = None,
    unused_on: Source | None = None,
    by: str = "line",
    field: str = "text",
    column: str = "text",
    errors: Errors = "strict",
) -> tuple[Tokenizer, list[int]]:
    """Make a tokenizer with fewer tokens; return it and the old id of each new one.

    `keep` are ids or token strings; or `unused_on` is a source, as for `train`, and the tokens that
    it uses are kept. Tokens that these are made of, single characters, bytes, and special tokens
    stay. A text all of whose tokens stay has the same tokens as before. The old ids, in the order of
    the new ones, are the rows of an embedding table to keep: `table[old_ids]`.

    Raises `TrainError` where `keep` names no token, `UnsupportedError` where the tokenizer can't be
    a tokenizer.json, and what reading a source raises.

    >>> import fretsaw
    >>> small, old_ids = fretsaw.prune(fretsaw.get("gpt2"), keep=["ĠWorld", "Hello"])
    >>> small.get_vocab_size(), [old_ids[id] for id in small.encode("Hello World").ids]
    (266, [15496, 2159])
    """
    if (keep is None) == (unused_on is None):
        raise TrainError("give the tokens to keep, or a source that uses them; one of the two")
    file = json.loads(tok.to_str())
    if unused_on is not None:
        reading = Reading(by=by, field=field, column=column, errors=errors)
        wanted = _used(tok, reading.texts(unused_on))
    else:
        wanted = {_id_of(tok, token) for token in keep or ()}
    model = file["model"]
    tokens = _tokens(model)
    by_name = {token: id_ for id_, token in tokens}
    added = {token["content"]: tok.token_to_id(token["content"]) for token in file["added_tokens"]}
    wanted |= {id_ for id_, token in tokens if _is_basic(token, model)}
    wanted |= {by_name[name] for name in (*added, *_special_names(file)) if name in by_name}
    if model["type"] == "BPE":
        _close(wanted, model, by_name)
    kept = [(id_, token) for id_, token in tokens if id_ in wanted]
    _cut(model, {id_ for id_, _ in kept})
    new_ids = {id_: place for place, (id_, _) in enumerate(kept)}
    behind = [id_ for name, id_ in sorted(added.items(), key=_by_id) if name not in by_name]
    for id_ in behind:
        if id_ is not None:
            new_ids.setdefault(id_, len(new_ids))
    _renumber(file, new_ids, added)
    small = Tokenizer.from_str(json.dumps(file, ensure_ascii=False))
    return small, list(new_ids)


def _by_id(item: tuple[str, int | None]) -> int:
    return -1 if item[1] is None else item[1]


def _id_of(tok: Tokenizer, token: int | str) -> int:
    found = tok.token_to_id(token) if isinstance(token, str) else token
    if found is None or tok.id_to_token(found) is None:
        raise TrainError(f"there is no token {token!r} to keep")
    return found


def _used(tok: Tokenizer, batches: Iterator[list[str]]) -> set[int]:
    used: set[int] = set()
    for batch in batches:
        ids, _ = tok.encode_batch_flat(batch)
        used.update(ids.tolist())
    return used


def _tokens(model: dict[str, Any]) -> list[tuple[int, str]]:
    """Ids and tokens of a model, sorted."""
    if model["type"] == "Unigram":
        return [(place, token) for place, (token, _) in enumerate(model["vocab"])]
    return sorted((id_, token) for token, id_ in model["vocab"].items())


def _is_basic(token: str, model: dict[str, Any]) -> bool:
    """Whether a token is a character, with or without a prefix or suffix, or a byte."""
    if model["type"] == "WordLevel":
        return False
    if len(token) == 6 and token.startswith("<0x") and token.endswith(">"):
        return True
    prefix = model.get("continuing_subword_prefix") or ""
    suffix = model.get("end_of_word_suffix") or ""
    return len(token.removeprefix(prefix).removesuffix(suffix) or token) == 1


def _special_names(file: dict[str, Any]) -> Iterator[str]:
    """Tokens that model and post-processor name."""
    model = file["model"]
    if model.get("unk_token") is not None:
        yield model["unk_token"]
    if model["type"] == "Unigram" and model["vocab"]:
        if model.get("unk_id") is not None:
            yield model["vocab"][model["unk_id"]][0]
        # What is unknown scores less than this one by a fixed amount.
        yield min(model["vocab"], key=lambda entry: entry[1])[0]
    for processor in _processors(file["post_processor"]):
        for special in processor.get("special_tokens", {}).values():
            yield from special["tokens"]
        for name in ("sep", "cls"):
            if name in processor:
                yield processor[name][0]


def _processors(processor: dict[str, Any] | None) -> Iterator[dict[str, Any]]:
    if processor is None:
        return
    if processor["type"] == "Sequence":
        for part in processor["processors"]:
            yield from _processors(part)
    else:
        yield processor


def _close(wanted: set[int], model: dict[str, Any], by_name: dict[str, int]) -> None:
    """Adds the tokens that wanted ones are merged of."""
    # Parts may come behind what they make in files that were not trained, so this goes by need.
    parts: dict[int, list[int]] = {}
    prefix = model.get("continuing_subword_prefix") or ""
    for left, right in model["merges"]:
        merged = by_name.get(left + right.removeprefix(prefix))
        if merged is not None:
            parts.setdefault(merged, []).extend((by_name[left], by_name[right]))
    left_to_do = list(wanted)
    while left_to_do:
        for part in parts.get(left_to_do.pop(), ()):
            if part not in wanted:
                wanted.add(part)
                left_to_do.append(part)


def _cut(model: dict[str, Any], kept: Collection[int]) -> None:
    """Leaves kept tokens and their rules in a model, with new ids."""
    if model["type"] == "Unigram":
        places = [place for place in range(len(model["vocab"])) if place in kept]
        if model.get("unk_id") is not None:
            model["unk_id"] = places.index(model["unk_id"])
        model["vocab"] = [model["vocab"][place] for place in places]
        return
    tokens = sorted((id_, token) for token, id_ in model["vocab"].items() if id_ in kept)
    model["vocab"] = {token: place for place, (_, token) in enumerate(tokens)}
    if model["type"] == "BPE":
        names = model["vocab"]
        prefix = model.get("continuing_subword_prefix") or ""
        model["merges"] = [
            [left, right]
            for left, right in model["merges"]
            if left + right.removeprefix(prefix) in names and left in names and right in names
        ]


def _renumber(file: dict[str, Any], new_ids: dict[int, int], added: dict[str, Any]) -> None:
    """Gives added tokens, post-processors and padding their new ids."""
    for token in file["added_tokens"]:
        token["id"] = new_ids[added[token["content"]]]
    for processor in _processors(file["post_processor"]):
        for special in processor.get("special_tokens", {}).values():
            special["ids"] = [new_ids[id_] for id_ in special["ids"]]
        for name in ("sep", "cls"):
            if name in processor:
                token, id_ = processor[name]
                processor[name] = [token, new_ids[id_]]
    if file["padding"] is not None:
        file["padding"]["pad_id"] = new_ids.get(file["padding"]["pad_id"], 0)
