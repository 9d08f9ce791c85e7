"""What the page asks for beside the service: tokens with their places, steps, training, languages.

Answers are made small where a text is large: of places only lengths and steps go over, as bytes, which
the page unpacks beside its main thread. Ids are the fast library's, steps the reference's (`_explain`).
"""

import itertools
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

import fretsaw

from ._endpoints import ADD_SPECIAL, COUNT, SPECIAL, TEXT, TOKENIZER, Answer, Endpoint, token_bytes
from ._explain import explain, reference_model, steps
from ._fields import number, text, texts
from ._languages import languages
from ._samples import corpora
from ._sent import known_patterns
from ._shelf import Shelf

__all__ = ["view_endpoints"]

WORD_CHARS = 200
CORPUS_CHARS = 20_000
SAMPLES = 8
SAMPLE_CHARS = 400
MERGES = 1000
VOCABULARIES = 8

NUMBERS = {"type": "array", "items": {"type": "integer"}}
OBJECT = {"type": "object"}
PACKED = {
    "type": "object",
    "patternProperties": {"^[iu][124]$": {"type": "string", "contentEncoding": "base64"}},
    "minProperties": 1,
    "maxProperties": 1,
    "additionalProperties": False,
}
"""Whole numbers, little-endian, by the kind and the bytes of each: `i` with a sign, `u` without."""
OBJECTS = {"type": "array", "items": OBJECT}


def view_endpoints() -> list[Endpoint]:
    """The endpoints of the page alone."""
    names = texts("tokenizers", "Names that GET /tokenizers lists.", VOCABULARIES, longest=500)
    samples = texts("samples", "Texts to encode.", SAMPLES, longest=SAMPLE_CHARS)
    return [
        Endpoint(
            "/view/tokens",
            "Tokens with their places: steps and lengths in characters, words, bytes.",
            (TOKENIZER, TEXT, ADD_SPECIAL, SPECIAL),
            {
                **dict.fromkeys(("characters", "bytes", "count"), COUNT),
                **dict.fromkeys(("ids", "steps", "lengths", "words"), PACKED),
                "special": NUMBERS,
                "table": OBJECT,
                "by_bytes": {"type": "boolean"},
            },
            tokens,
        ),
        Endpoint(
            "/view/merges",
            "The steps from a word to its ids.",
            (TOKENIZER, text("word", "The word.", WORD_CHARS)),
            {
                "kind": {"type": "string"},
                "ids": NUMBERS,
                "tokens": {"type": "array", "items": {"type": "string"}},
                "pieces": OBJECTS,
                "agrees": {"type": "boolean"},
            },
            merges,
        ),
        Endpoint(
            "/view/train",
            "Merges learned from a text, and how each builds the tokens of samples.",
            (
                text("corpus", "The text to learn from.", CORPUS_CHARS),
                number("merges", "How many merges to learn at most.", MERGES, 300),
                samples,
            ),
            {"merges": {"type": "array", "items": {"type": "array"}}, "samples": OBJECTS},
            train,
        ),
        Endpoint(
            "/view/languages",
            "Characters and tokens of the Universal Declaration in 30 languages.",
            (names,),
            {"languages": OBJECTS},
            by_language,
        ),
        Endpoint(
            "/view/samples",
            "Texts to begin with.",
            (),
            {"corpora": OBJECTS, "languages": OBJECTS},
            samples_to_begin_with,
        ),
        Endpoint(
            "/view/patterns",
            "Patterns and special tokens that a file with the ranks of tiktoken may need.",
            (),
            {"patterns": OBJECTS},
            patterns,
        ),
    ]


def tokens(shelf: Shelf, asked: dict[str, Any]) -> Answer:
    """`/view/tokens`.

    `lengths` are the characters of each token, `steps` how far its start is behind the start of the
    one before. `words` are the lengths of runs of tokens of one pre-token, negative where they are of
    none. `table` has the string and bytes of each distinct id. With `by_bytes` the bytes of the
    tokens, joined, are those of the text.
    """
    tokenizer, given = shelf.get(asked["tokenizer"]), asked["text"]
    encoding = tokenizer.encode(
        given, add_special_tokens=asked["add_special_tokens"], special=asked["special"]
    )
    ids = encoding.ids
    flat = np.fromiter(itertools.chain.from_iterable(encoding.offsets), np.int64, 2 * len(ids))
    starts, ends = flat[::2], flat[1::2]
    distinct = sorted(set(ids))
    spelled = {token_id: token_bytes(tokenizer, token_id) for token_id in distinct}
    data = given.encode()
    added = tokenizer.get_added_tokens_decoder()
    body = {
        "characters": len(given),
        "bytes": len(data),
        "count": len(ids),
        "ids": _packed(np.array(ids, np.int64), "u"),
        "steps": _packed(np.diff(starts, prepend=0), "i"),
        "lengths": _packed(ends - starts, "u"),
        "words": _packed(_runs(encoding.word_ids), "i"),
        "special": [token_id for token_id in distinct if token_id in added],
        "table": {
            token_id: [tokenizer.id_to_token(token_id) or "", token.hex()]
            for token_id, token in spelled.items()
        },
        "by_bytes": b"".join(map(spelled.__getitem__, ids)) == data,
    }
    return Answer(body, len(ids))


def _packed(numbers: npt.NDArray[np.int64], kind: str) -> dict[str, str]:
    """Numbers in as few bytes as the largest takes, by the name of that type."""
    packed = numbers.astype(f"<{kind}4")
    for size in (2, 1):
        smaller = numbers.astype(f"<{kind}{size}")
        if bool((smaller == numbers).all()):
            packed = smaller
    return {f"{kind}{packed.itemsize}": b64encode(packed.tobytes()).decode("ascii")}


def _runs(word_ids: list[int | None]) -> npt.NDArray[np.int64]:
    words = np.fromiter((-1 if word is None else word for word in word_ids), np.int64)
    first = np.flatnonzero(np.diff(words, prepend=-2))
    lengths = np.diff(first, append=len(words))
    return np.where(words[first] < 0, -lengths, lengths)


def merges(shelf: Shelf, asked: dict[str, Any]) -> Answer:
    """`/view/merges`."""
    found = explain(shelf.get(asked["tokenizer"]), asked["word"])
    return Answer(found, len(found["ids"]))


def train(_shelf: Shelf, asked: dict[str, Any]) -> Answer:
    """`/view/train`: byte-pair encoding as `fretsaw.train` learns it.

    `merges` are pairs of bytes in hexadecimal. Each sample has its `pieces`: the `parts` before any
    merge, and `steps` of [rank, place]: that merge joins the parts at the place and behind it. With
    the first k merges alone exactly the steps below rank k are taken: the ladder always takes the
    lowest rank there is, and stops at the first that is not learned yet.
    """
    size = 256 + asked["merges"]
    tokenizer = fretsaw.train([asked["corpus"]], vocab_size=size, by="file")
    model = reference_model(tokenizer)
    rules = [
        [_spelled(tokenizer, part) for part in pair]
        for pair in getattr(tokenizer.model, "merges", ())
    ]
    samples = []
    for sample in asked["samples"]:
        found = steps(tokenizer, model, sample)
        pieces = [
            {"parts": piece["rungs"][0]["parts"], "steps": list(_joins(piece["rungs"]))}
            for piece in found["pieces"]
        ]
        samples.append({"pieces": pieces, "ids": found["ids"], "agrees": found["agrees"]})
    return Answer({"merges": rules, "samples": samples})


def _spelled(tokenizer: fretsaw.Tokenizer, token: str) -> str:
    token_id = tokenizer.token_to_id(token)
    return "" if token_id is None else tokenizer.token_bytes(token_id).hex()


def _joins(rungs: list[dict[str, Any]]) -> Iterator[list[int]]:
    """The rank of each merge and the place of its left part."""
    for before, after in itertools.pairwise(rungs):
        pairs = zip(before["parts"], after["parts"], strict=False)
        place = next(at for at, (one, other) in enumerate(pairs) if one != other)
        yield [after["rank"], place]


def by_language(shelf: Shelf, asked: dict[str, Any]) -> Answer:
    """`/view/languages`."""
    tokenizers = [shelf.get(name) for name in asked["tokenizers"]]
    given = [one.text for one in languages()]
    options: dict[str, Any] = {"add_special_tokens": False, "special": "none"}
    counts = [tokenizer.count_batch(given, **options) for tokenizer in tokenizers]
    found = [
        {
            "code": one.code,
            "name": one.name,
            "characters": len(one.text),
            "tokens": [count[place] for count in counts],
        }
        for place, one in enumerate(languages())
    ]
    return Answer({"languages": found}, sum(map(sum, counts)))


def samples_to_begin_with(_shelf: Shelf, _asked: dict[str, Any]) -> Answer:
    """`/view/samples`: texts to train on, and the beginning of the Declaration by language."""
    beginnings = [{"name": one.name, "text": one.text[:300]} for one in languages()]
    return Answer({"corpora": [corpus._asdict() for corpus in corpora()], "languages": beginnings})


def patterns(_shelf: Shelf, _asked: dict[str, Any]) -> Answer:
    """`/view/patterns`."""
    return Answer({"patterns": known_patterns()})
