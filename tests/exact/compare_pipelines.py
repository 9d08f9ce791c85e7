"""Compares fretsaw with the oracle over a random pipeline, call by call."""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

import tokenizers
from random_components import Json
from random_pipelines import Case, Later, Request

import fretsaw
from fretsaw.spec import AddedToken
from oracle.encoding_fields import fields_of, look_ups

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

FAILED: Final = "an error"
Outcome = Any
"""What a call returned; `FAILED` where it raised."""

FLAGS: Final = ("single_word", "lstrip", "rstrip", "normalized", "special")


@dataclass(frozen=True)
class Difference:
    """A place where the two are not the same."""

    stage: str
    input: Any
    hf: Any
    ours: Any

    def line(self, case: Case) -> str:
        """One line of JSON."""
        fields = {
            "stage": self.stage,
            "tokenizer": case.document,
            "input": self.input,
            "hf": self.hf,
            "ours": self.ours,
        }
        if " after " in self.stage or self.stage.startswith("add_"):
            fields["added"] = [asdict(later) for later in case.later]
        return json.dumps(fields, default=repr)


@dataclass
class Counts:
    """What was compared."""

    loaded: int = 0
    refused_by_both: int = 0
    texts: int = 0
    requests: int = 0
    failures: int = 0
    """Calls that fail in both."""
    unsupported: Counter[str] = field(default_factory=Counter)
    """Messages with which fretsaw alone refuses a file, or a change or a copy of it."""


@contextmanager
def silence() -> Iterator[None]:
    """Sends file descriptor 2, where a panic is reported, to nowhere."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    sys.stderr.flush()
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def of_oracle(call: Callable[..., Any], *arguments: Any) -> Outcome:
    """What the oracle returns; it may raise, or panic, which is no Exception."""
    try:
        return call(*arguments)
    except Exception:
        return FAILED
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        return FAILED


def of_ours(call: Callable[..., Any], *arguments: Any) -> Outcome:
    """What fretsaw returns; an exception that is not its own is a fault, not a failure."""
    try:
        return call(*arguments)
    except fretsaw.FretsawError:
        return FAILED
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return f"{type(error).__name__}: {error}"


class Pair:
    """One file, loaded by both. A panic can leave the oracle's locks broken: it is then made anew."""

    def __init__(self, text: str, ours: fretsaw.Tokenizer, counts: Counts) -> None:
        self.text, self.ours, self.counts = text, ours, counts
        self.changes: list[Callable[[Any], Any]] = []
        self.renew()

    def renew(self) -> None:
        self.oracle = tokenizers.Tokenizer.from_str(self.text)
        for change in self.changes:
            of_oracle(change, self.oracle)

    def hf(self, call: Callable[..., Any], *arguments: Any) -> Outcome:
        outcome = of_oracle(call, self.oracle, *arguments)
        if outcome == FAILED:
            self.renew()
        return outcome

    def both(self, stage: str, call: Callable[..., Any], *arguments: Any) -> Iterator[Difference]:
        """The difference, if there is one, between two calls that look the same."""
        hf, ours = self.hf(call, *arguments), of_ours(call, self.ours, *arguments)
        self.counts.failures += hf == FAILED
        if hf != ours:
            if isinstance(hf, dict) and isinstance(ours, dict) and "ids" in hf and "ids" in ours:
                # The first field of encodings that is not the same tells differences apart.
                name = next(name for name in hf if hf[name] != ours[name])
                stage, hf, ours = f"{stage}, {name}", hf[name], ours[name]
            yield Difference(stage, arguments[0] if arguments else None, hf, ours)


def differences(case: Case, counts: Counts) -> Iterator[Difference]:
    """All differences of a case, as they are found."""
    text = json.dumps(case.document)
    hf = of_oracle(tokenizers.Tokenizer.from_str, text)
    try:
        ours = fretsaw.Tokenizer.from_str(text)
    except fretsaw.UnsupportedError as error:
        if hf == FAILED:
            counts.refused_by_both += 1
        else:
            counts.unsupported[general(str(error))] += 1
        return
    except fretsaw.SpecError as error:
        if hf == FAILED:
            counts.refused_by_both += 1
        else:
            yield Difference("load", None, "loads", f"SpecError: {error}")
        return
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        yield Difference("load", None, "", f"{type(error).__name__}: {error}")
        return
    if hf == FAILED:
        yield Difference("load", None, oracle_error(text), "loads")
        return
    counts.loaded += 1
    yield from of_vocabulary(Pair(text, ours, counts))
    pair = Pair(text, ours, counts)
    yield from of_texts(pair, case, "")
    yield from of_ids(pair, case)
    yield from without_special(ours, case)
    yield from saved(pair, case)
    pair.changes.append(lambda tok: setattr(tok, "encode_special_tokens", True))
    pair.renew()
    ours.encode_special_tokens = True
    yield from of_texts(pair, case, " with encode_special_tokens")
    yield from changed(Pair(text, fretsaw.Tokenizer.from_str(text), counts), case)


def oracle_error(text: str) -> str:
    try:
        tokenizers.Tokenizer.from_str(text)
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    return ""


def general(message: str) -> str:
    """A message without what differs from file to file."""
    message = re.sub(r'"(?:[^"\\]|\\.)*"', '"…"', re.sub(r"\d+", "0", message))
    return message.replace(".processors[0]", "")


def of_vocabulary(pair: Pair) -> Iterator[Difference]:
    yield from pair.both("get_vocab", lambda tok: tok.get_vocab())
    yield from pair.both("get_vocab(False)", lambda tok: tok.get_vocab(False))
    yield from pair.both("get_vocab_size", lambda tok: tok.get_vocab_size())
    yield from pair.both("get_added_tokens_decoder", decoder_of)
    tokens = list(pair.oracle.get_vocab())
    ids = range(2 * len(tokens) + 4)
    yield from pair.both("id_to_token", lambda tok: [tok.id_to_token(id_) for id_ in ids])
    yield from pair.both("token_to_id", lambda tok: [tok.token_to_id(token) for token in tokens])


def decoder_of(tok: Any) -> dict[int, tuple[Any, ...]]:
    """The added tokens by id, as plain tuples."""
    return {
        id_: (token.content, *(getattr(token, name) for name in FLAGS))
        for id_, token in tok.get_added_tokens_decoder().items()
    }


def encode(tok: Any, text: str, special: bool = True) -> Outcome:
    return fields_of(tok.encode(text, add_special_tokens=special))


def encode_request(tok: Any, request: Request, special: bool, in_row: bool) -> Outcome:
    """Fields and look-ups. Processors in a row can put a token into two sequences; which of them
    `token_to_sequence` gives differs in the oracle from call to call.
    """
    words = not isinstance(request.first, str)
    encoding = tok.encode(request.first, request.second, words, special)
    found = look_ups(encoding)
    if in_row:
        found = {name: value for name, value in found.items() if "token_to_sequence" not in name}
    return {**fields_of(encoding), "look_ups": found}


def encode_batch(tok: Any, texts: list[str], special: bool) -> Outcome:
    batch = tok.encode_batch(texts, add_special_tokens=special)
    columns = zip(*(fields_of(encoding).items() for encoding in batch), strict=True)
    return {fields[0][0]: [value for _, value in fields] for fields in columns}


def of_texts(pair: Pair, case: Case, when: str) -> Iterator[Difference]:
    in_row = (case.document["post_processor"] or {}).get("type") == "Sequence"
    for special in (True, False):
        name = f"add_special_tokens={special}{when}"
        for text in case.texts:
            pair.counts.texts += 1
            yield from pair.both(f"encode, {name}", encode, text, special)
        yield from pair.both(f"encode_batch, {name}", encode_batch, case.texts, special)
        for request in case.requests:
            pair.counts.requests += 1
            yield from pair.both(f"request, {name}", encode_request, request, special, in_row)


def of_ids(pair: Pair, case: Case) -> Iterator[Difference]:
    encoded = [of_ours(pair.ours.encode_ids, text) for text in case.texts]
    for ids in [*case.ids, *(ids for ids in encoded if isinstance(ids, list))]:
        for skip in (True, False):
            name = f"skip_special_tokens={skip}"
            hf, ours = pair.hf(decode, ids, skip), of_ours(decode, pair.ours, ids, skip)
            if hf != ours:
                yield Difference(f"decode, {name}", ids, hf, ours)
            streamed = of_ours(stream, pair.ours, ids, skip)
            if hf != streamed:
                yield Difference(f"stream, {name}", ids, hf, streamed)


def decode(tok: Any, ids: list[int], skip: bool) -> Any:
    return tok.decode(ids, skip_special_tokens=skip)


def stream(tok: fretsaw.Tokenizer, ids: list[int], skip: bool) -> str:
    """The text of ids, pushed one by one."""
    flow = tok.stream(skip_special_tokens=skip)
    return "".join([*(flow.push(id_) for id_ in ids), flow.finish()])


def plain_ids(tok: fretsaw.Tokenizer, text: str) -> list[int]:
    return tok.encode_ids(text, add_special_tokens=False, special="none")


def without_special(tok: fretsaw.Tokenizer, case: Case) -> Iterator[Difference]:
    """With `special="none"` no text gives the id of a special token, unless the file's rules do."""
    model = case.document["model"]
    unknown = model.get("unk_token"), model.get("unk_id")
    if isinstance(model["vocab"], dict):
        # In a vocabulary with gaps another token can have got the id of the unknown one.
        unknown = unknown[0], model["vocab"].get(unknown[0])
    forbidden = {
        id_
        for id_, token in tok.get_added_tokens_decoder().items()
        if token.special and token.content != unknown[0] and id_ != unknown[1]
    }
    padding = case.document["padding"]
    if padding:
        forbidden.discard(padding["pad_id"])
    for text in case.texts if forbidden else ():
        ids = of_ours(plain_ids, tok, text)
        if ids != FAILED and (isinstance(ids, str) or forbidden & set(ids)):
            yield Difference('special="none"', text, f"none of {sorted(forbidden)}", ids)


def saved(pair: Pair, case: Case) -> Iterator[Difference]:
    """What was saved loads again, here and in the oracle, and gives the same ids."""
    try:
        written = pair.ours.to_str()
    except fretsaw.UnsupportedError as error:
        pair.counts.unsupported[general(str(error))] += 1
        return
    ours = of_ours(fretsaw.Tokenizer.from_str, written)
    oracle = of_oracle(tokenizers.Tokenizer.from_str, written)
    if FAILED in (ours, oracle):
        yield Difference("to_str loaded", written, oracle == FAILED, ours == FAILED)
        return
    for text in case.texts:
        before, after = of_ours(encode, pair.ours, text), of_ours(encode, ours, text)
        if before != after:
            yield Difference("to_str encoded by ours", text, before, after)
        theirs = of_oracle(encode, oracle, text)
        if theirs == FAILED:
            oracle = of_oracle(tokenizers.Tokenizer.from_str, written)
        if before != theirs:
            yield Difference("to_str encoded by the oracle", text, theirs, before)


def changed(pair: Pair, case: Case) -> Iterator[Difference]:
    """Tokens that are added after loading."""
    for later in case.later:
        method = "add_special_tokens" if later.special else "add_tokens"

        def add(tok: Any, later: Later = later, method: str = method) -> Any:
            kind = tokenizers.AddedToken if isinstance(tok, tokenizers.Tokenizer) else AddedToken
            tokens = [
                token if isinstance(token, str) else kind(**without_id(token))
                for token in later.tokens
            ]
            return getattr(tok, method)(tokens)

        hf = of_oracle(add, pair.oracle)
        try:
            ours = add(pair.ours)
        except fretsaw.UnsupportedError as error:
            pair.counts.unsupported[general(str(error))] += 1
            return
        except fretsaw.FretsawError:
            ours = FAILED
        if hf != ours:
            yield Difference(method, later.tokens, hf, ours)
        if FAILED in (hf, ours):
            return
        pair.changes.append(add)
        yield from (
            replace(found, stage=f"{found.stage} after {method}") for found in of_vocabulary(pair)
        )
        yield from of_texts(pair, case, f" after {method}")
    later_ids = replace(case, ids=[*case.ids, list(range(60))])
    yield from (
        replace(found, stage=f"{found.stage} after adding") for found in of_ids(pair, later_ids)
    )
    yield from (replace(found, stage=f"{found.stage} after adding") for found in saved(pair, case))


def without_id(token: Json) -> Json:
    return {name: value for name, value in token.items() if name != "id"}
