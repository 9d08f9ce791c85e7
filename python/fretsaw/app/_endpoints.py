"""What the JSON service can be asked: a table of endpoints over the public interface of fretsaw.

Each is a path, its fields, the schema of its answer, and a function from fields to the answer, which
runs on a worker thread. Text is data here: unless a request says otherwise, no control token in it
is recognised (`special` is "none").
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import fretsaw

from ._fields import MAX_ID, Field, choice, flag, ids, text, texts
from ._limits import Limits
from ._shelf import Shelf

__all__ = ["Answer", "Endpoint", "service_endpoints"]


class Answer(NamedTuple):
    """The body of an answer, and how many tokens it took to make it."""

    body: Mapping[str, Any]
    tokens: int = 0


@dataclass(frozen=True)
class Endpoint:
    """Something that a POST of a JSON object asks for."""

    path: str
    summary: str
    fields: tuple[Field, ...]
    answer: Mapping[str, Any]
    """The properties of the answer's object, all required, or of the data of each event."""
    run: Callable[[Shelf, dict[str, Any]], Answer] | None = None
    stream: Callable[[Shelf, dict[str, Any]], Iterator[tuple[str, Mapping[str, Any]]]] | None = None
    """For server-sent events: their names and data."""


TOKENIZER = text("tokenizer", "A name that GET /tokenizers lists.", most=500)
TEXT = text("text", "The text to encode.")
ADD_SPECIAL = flag(
    "add_special_tokens", "Whether the file's own special tokens go around the text.", True
)
SPECIAL = choice(
    "special",
    "Control and added tokens in the text: none matches (text is data), all do, or one is an error.",
    ("none", "all", "error"),
    "none",
)
SKIP_SPECIAL = flag(
    "skip_special_tokens",
    "Whether special tokens are left out of the text; without it, as the file's own library does.",
    None,
)
STOPS = 64
STOP_CHARS = 1000

ID_LIST = {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": MAX_ID}}
TOKEN_LIST = {"type": "array", "items": {"type": "string"}}
COUNT = {"type": "integer", "minimum": 0}


def service_endpoints(limits: Limits) -> list[Endpoint]:
    """The endpoints of `fretsaw serve`."""
    options = (ADD_SPECIAL, SPECIAL)
    batch = texts("texts", "The texts to encode.", limits.batch)
    stops = texts("stop", "Strings that end the text.", STOPS, longest=STOP_CHARS, optional=True)
    lists = {"type": "array", "items": ID_LIST}
    event = {"id": ID_LIST["items"], "text": {"type": "string"}, "held": {"type": "string"}}
    return [
        Endpoint(
            "/encode",
            "The ids and token strings of a text.",
            (TOKENIZER, TEXT, *options),
            {"ids": ID_LIST, "tokens": TOKEN_LIST, "count": COUNT},
            encode,
        ),
        Endpoint(
            "/encode_batch",
            "The same for many texts, in order.",
            (TOKENIZER, batch, *options),
            {
                "ids": lists,
                "tokens": {"type": "array", "items": TOKEN_LIST},
                "counts": {"type": "array", "items": COUNT},
            },
            encode_batch,
        ),
        Endpoint(
            "/decode",
            "The text of ids.",
            (TOKENIZER, ids("ids", "The ids to decode."), SKIP_SPECIAL),
            {"text": {"type": "string"}},
            decode,
        ),
        Endpoint(
            "/count",
            "How many ids a text has.",
            (TOKENIZER, TEXT, *options),
            {"count": COUNT},
            count,
        ),
        Endpoint(
            "/stream",
            "The text of ids, one at a time, as server-sent events: `token` for each id, then `done`.",
            (TOKENIZER, ids("ids", "The ids to decode."), stops, SKIP_SPECIAL),
            event,
            stream=stream,
        ),
    ]


def encode(shelf: Shelf, asked: dict[str, Any]) -> Answer:
    """`/encode`."""
    options = _options(asked)
    encoding = shelf.get(asked["tokenizer"]).encode(asked["text"], **options)
    ids = encoding.ids
    return Answer({"ids": ids, "tokens": encoding.tokens, "count": len(ids)}, len(ids))


def encode_batch(shelf: Shelf, asked: dict[str, Any]) -> Answer:
    """`/encode_batch`."""
    tokenizer = shelf.get(asked["tokenizer"])
    encodings = tokenizer.encode_batch(asked["texts"], **_options(asked))
    ids = [encoding.ids for encoding in encodings]
    counts = [len(one) for one in ids]
    tokens = [encoding.tokens for encoding in encodings]
    return Answer({"ids": ids, "tokens": tokens, "counts": counts}, sum(counts))


def decode(shelf: Shelf, asked: dict[str, Any]) -> Answer:
    """`/decode`."""
    skip = asked["skip_special_tokens"]
    decoded = shelf.get(asked["tokenizer"]).decode(asked["ids"], skip_special_tokens=skip)
    return Answer({"text": decoded}, len(asked["ids"]))


def count(shelf: Shelf, asked: dict[str, Any]) -> Answer:
    """`/count`."""
    found = shelf.get(asked["tokenizer"]).count(asked["text"], **_options(asked))
    return Answer({"count": found}, found)


def stream(shelf: Shelf, asked: dict[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """`/stream`: what each id settles, what is held back, and at last what ended the text."""
    tokenizer = shelf.get(asked["tokenizer"])
    skip = asked["skip_special_tokens"]
    stops = [one for one in asked["stop"] if one]
    stream = tokenizer.stream(skip_special_tokens=skip, stop=stops or None)
    for token_id in asked["ids"]:
        settled = stream.push(token_id)
        yield "token", {"id": token_id, "text": settled, "held": stream.pending.hex()}
        if stream.stopped is not None:
            break
    rest = stream.finish()
    yield "done", {"text": rest, "stopped": stream.stopped}


def token_bytes(tokenizer: fretsaw.Tokenizer, token_id: int) -> bytes:
    """The bytes of an id, none for an id that no token has."""
    try:
        return tokenizer.token_bytes(token_id)
    except fretsaw.DecodeError:
        return b""


def _options(asked: dict[str, Any]) -> dict[str, Any]:
    return {name: asked[name] for name in ("add_special_tokens", "special")}
