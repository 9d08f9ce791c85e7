"""Makes a case in which fretsaw and the oracle differ smaller, and prints it.

`python tests/exact/shrink_pipelines.py SEED START STOP [SECONDS]` compares random pipelines, prints each
kind of difference as one line of JSON, and what it counted.
"""

from __future__ import annotations

import copy
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from compare_pipelines import FAILED, FLAGS, Counts, Difference, differences, general, silence
from random_components import Json
from random_pipelines import Case, Request, make_case


def smaller_values(json_: Any) -> Iterator[Any]:
    """Components that are a little simpler."""
    if isinstance(json_, dict):
        for key in ("normalizers", "pretokenizers", "processors", "decoders"):
            for at, part in enumerate(json_.get(key, ())):
                yield part
                yield {**json_, key: json_[key][:at] + json_[key][at + 1 :]}
                for smaller in smaller_values(part):
                    yield {**json_, key: [*json_[key][:at], smaller, *json_[key][at + 1 :]]}
        for key in ("single", "special_tokens"):
            if isinstance(json_.get(key), list):
                for at in range(len(json_[key])):
                    yield {**json_, key: json_[key][:at] + json_[key][at + 1 :]}
        for key, value in json_.items():
            if value is True:
                yield {**json_, key: False}


def with_vocab(document: Json, vocab: Any) -> Json:
    """The same with other tokens, numbered anew; added tokens get their ids too."""
    document = copy.deepcopy(document)
    model = document["model"]
    if isinstance(vocab, dict):
        in_order = sorted(vocab, key=vocab.__getitem__)
        dense = sorted(vocab.values()) == list(range(len(vocab)))
        model["vocab"] = {word: at for at, word in enumerate(in_order)} if dense else vocab
    else:
        model["vocab"] = vocab
    ids = model["vocab"] if isinstance(vocab, dict) else {w: at for at, (w, _) in enumerate(vocab)}
    known, next_id = dict(ids), len(vocab)
    for token in document["added_tokens"]:
        if token["content"] not in known:
            known[token["content"]] = next_id
            next_id += 1
        token["id"] = known[token["content"]]
    return document


def smaller_documents(document: Json) -> Iterator[Json]:
    for key in (
        "truncation",
        "padding",
        "normalizer",
        "pre_tokenizer",
        "post_processor",
        "decoder",
    ):
        if document[key] is not None:
            yield {**document, key: None}
    for key in ("normalizer", "pre_tokenizer", "post_processor", "decoder"):
        for smaller in smaller_values(document[key]):
            yield {**document, key: smaller}
    model, added = document["model"], document["added_tokens"]
    for at in range(len(added)):
        smaller = {**document, "added_tokens": added[:at] + added[at + 1 :]}
        yield with_vocab(smaller, model["vocab"])
    for at, token in enumerate(added):
        for name in FLAGS:
            if token[name]:
                yield {
                    **document,
                    "added_tokens": [*added[:at], {**token, name: False}, *added[at + 1 :]],
                }
    merges = model.get("merges", [])
    for size in (len(merges), 4, 1):
        for at in range(0, len(merges), size or 1):
            yield {
                **document,
                "model": {**model, "merges": merges[:at] + merges[at + (size or 1) :]},
            }
    for key in (
        "dropout",
        "unk_token",
        "continuing_subword_prefix",
        "end_of_word_suffix",
        "unk_id",
    ):
        if model.get(key) is not None and model["type"] in ("BPE", "Unigram"):
            yield {**document, "model": {**model, key: None}}
    for key in ("fuse_unk", "byte_fallback", "ignore_merges"):
        if model.get(key):
            yield {**document, "model": {**model, key: False}}
    vocab = model["vocab"]
    words = list(vocab)
    for size in (32, 8, 1):
        for at in range(0, len(words), size):
            kept = words[:at] + words[at + size :]
            yield with_vocab(
                document, {w: vocab[w] for w in kept} if isinstance(vocab, dict) else kept
            )


def smaller_cases(case: Case) -> Iterator[Case]:
    if len(case.texts) > 1:
        yield from (replace(case, texts=[text]) for text in case.texts)
        half = len(case.texts) // 2
        yield from (replace(case, texts=part) for part in (case.texts[:half], case.texts[half:]))
    if len(case.ids) > 1:
        yield replace(case, ids=[])
        yield from (replace(case, ids=[ids]) for ids in case.ids)
    if case.requests:
        yield replace(case, requests=[])
        if len(case.requests) > 1:
            yield from (replace(case, requests=[request]) for request in case.requests)
    if case.texts and case.requests:
        yield replace(case, texts=[])
    for at, later in enumerate(case.later):
        yield replace(case, later=case.later[:at] + case.later[at + 1 :])
        for place in range(len(later.tokens)):
            fewer = replace(later, tokens=later.tokens[:place] + later.tokens[place + 1 :])
            yield replace(case, later=[*case.later[:at], fewer, *case.later[at + 1 :]])
    yield from (replace(case, document=document) for document in smaller_documents(case.document))
    if len(case.texts) == 1:
        [text] = case.texts
        for size in (8, 3, 1):
            for at in range(len(text) - size + 1):
                yield replace(case, texts=[text[:at] + text[at + size :]])
    if len(case.ids) == 1:
        [ids] = case.ids
        yield from (replace(case, ids=[ids[:at] + ids[at + 1 :]]) for at in range(len(ids)))

    if len(case.requests) == 1:
        [request] = case.requests
        yield from (replace(case, requests=[smaller]) for smaller in smaller_requests(request))


def smaller_requests(request: Request) -> Iterator[Request]:
    """Requests with a shorter text or a word less."""
    if request.second is not None and not isinstance(request.first, str):
        yield Request(request.first)
    for name in ("first", "second"):
        words = getattr(request, name)
        for at in range(len(words or ())):
            yield replace(request, **{name: words[:at] + words[at + 1 :]})
            if isinstance(words, list):
                for place in range(len(words[at])):
                    shorter = words[at][:place] + words[at][place + 1 :]
                    yield replace(request, **{name: [*words[:at], shorter, *words[at + 1 :]]})


def kind(difference: Difference) -> tuple[Any, ...]:
    """What has to stay the same while a case gets smaller."""
    loads = general(str(difference.ours))[:40] if difference.stage == "load" else ""
    return difference.stage, difference.hf == FAILED, difference.ours == FAILED, loads


def shrink(case: Case, difference: Difference, seconds: float = 10) -> tuple[Case, Difference]:
    """A smaller case with a difference of the same kind."""
    end = time.monotonic() + seconds
    found = True
    while found and time.monotonic() < end:
        found = False
        for smaller in smaller_cases(case):
            try:
                with silence():
                    all_found = list(differences(smaller, Counts()))
            except Exception:
                continue
            same = [other for other in all_found if kind(other) == kind(difference)]
            if same:
                case, difference, found = smaller, same[0], True
                break
            if time.monotonic() > end:
                break
    return case, difference


def main() -> None:
    seed, start, stop = map(int, sys.argv[1:4])
    limit = float(sys.argv[4]) if len(sys.argv) > 4 else 240.0
    counts, kinds, begin = Counts(), Counter[tuple[Any, ...]](), time.monotonic()
    for index in range(start, stop):
        if time.monotonic() - begin > limit:
            stop = index
            break
        case = make_case(seed, index)
        with silence():
            found = list(differences(case, counts))
        for name in dict.fromkeys(map(kind, found)):
            kinds[name] += 1
            if kinds[name] == 1:
                first = next(difference for difference in found if kind(difference) == name)
                small, difference = shrink(case, first)
                print(f"# {seed}/{index}")
                print(difference.line(small), flush=True)
    print(f"# {seed}/{start} to {seed}/{stop}, {time.monotonic() - begin:.0f} s: {counts}")
    for name, count in kinds.most_common():
        print("#", count, name)


if __name__ == "__main__":
    main()
