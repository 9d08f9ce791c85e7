"""Calls whose encodings are compared field by field: texts, pairs, words, and settings of all kinds.

A job is a batch with its options and settings; the oracle and fretsaw run it alike. Jobs depend on a
seed and their number alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from oracle import inputs
from oracle.encoding_fields import fields_of
from oracle.random_strings import SplitMix64, random_strings

ENCODING_SEED: Final = 20_261_130
"""Seed of the jobs behind the frozen digests."""

STRINGS: Final = 5_000
BLOCKS: Final = 10
SLICE_CHARS: Final = 20_000
MOST_CHARS: Final = 24
"""How long a text is where it is cut into windows, of which a pair makes a product."""

FAILED: Final = "fails"
Words = list[str]


@dataclass(frozen=True)
class Job:
    """A batch of texts, pairs, words or pairs of these, and how it is encoded."""

    items: list[Any]
    is_pretokenized: bool = False
    add_special_tokens: bool = True
    truncation: dict[str, Any] | None = None
    padding: dict[str, Any] | None = None


def run(tok: Any, job: Job) -> list[Any]:
    """Whether the settings are taken, the batch, and its first item alone; `FAILED` for an error."""
    tok.no_truncation()
    tok.no_padding()
    taken = attempt(lambda: enable(tok, job))
    options = (job.is_pretokenized, job.add_special_tokens)
    batch = attempt(lambda: [fields_of(one) for one in tok.encode_batch(job.items, *options)])
    first = job.items[0]
    one = first if isinstance(first, tuple) else (first, None)
    alone = attempt(lambda: fields_of(tok.encode(*one, *options)))
    tok.no_truncation()
    tok.no_padding()
    return [taken, batch, alone]


def enable(tok: Any, job: Job) -> bool:
    if job.padding:
        tok.enable_padding(**job.padding)
    if job.truncation:
        tok.enable_truncation(**job.truncation)
    return True


def attempt(call: Callable[[], Any]) -> Any:
    """What a call gives; the oracle may also panic, which is no Exception."""
    try:
        return call()
    except Exception:
        return FAILED
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        return FAILED


def cut(text: str, rng: SplitMix64) -> Words:
    """The words of a text: at white space, at single spaces, or anywhere."""
    style = rng.below(3)
    if style == 0:
        return text.split()
    if style == 1:
        return text.split(" ")
    places = sorted(rng.below(len(text) + 1) for _ in range(rng.below(6)))
    return [text[i:j] for i, j in zip([0, *places], [*places, len(text)], strict=True)]


def truncation(rng: SplitMix64) -> dict[str, Any]:
    """Any truncation; some are refused, some fail on some texts."""
    return {
        "max_length": rng.pick((0, 1, 2, 3, 4, 5, 6, 8, 12, 20)),
        "stride": rng.pick((0, 0, 0, 1, 2, 3, 5)),
        "strategy": rng.pick(("longest_first", "longest_first", "only_first", "only_second")),
        "direction": rng.pick(("left", "right")),
    }


def padding(rng: SplitMix64) -> dict[str, Any]:
    """Any padding."""
    return {
        "direction": rng.pick(("left", "right")),
        "pad_id": rng.pick((0, 1, 5)),
        "pad_type_id": rng.pick((0, 1, 3)),
        "pad_token": rng.pick(("[PAD]", "<pad>", "x")),
        "length": rng.pick((None, None, 4, 9, 30)),
        "pad_to_multiple_of": rng.pick((None, None, 3, 8)),
    }


def of_settings(texts: list[str], rng: SplitMix64) -> Job:
    """A batch of texts and pairs, or of words and pairs of them, with random settings."""
    short = [text[:MOST_CHARS] for text in texts]
    is_pretokenized = rng.below(3) == 0

    def one() -> Any:
        text = rng.pick(short)
        return cut(text, rng) if is_pretokenized else text

    return Job(
        items=[(one(), one()) if rng.below(2) else one() for _ in range(6)],
        is_pretokenized=is_pretokenized,
        add_special_tokens=rng.below(3) > 0,
        truncation=truncation(rng) if rng.below(5) else None,
        padding=padding(rng) if rng.below(5) > 1 else None,
    )


def blocks(kind: str, seed: int = ENCODING_SEED, strings: int = STRINGS) -> Iterator[list[Job]]:
    """The jobs of a kind, in blocks: `single`, `pairs`, `words`, `pairs_of_words` or `settings`."""
    size = strings // BLOCKS
    for block in range(BLOCKS):
        texts = list(random_strings(seed, block * size, (block + 1) * size))
        rng = SplitMix64(SplitMix64(seed).next() ^ block)
        half = size // 2
        if kind == "single":
            yield [Job(texts[:half]), Job(texts[half:], add_special_tokens=False)]
        elif kind == "pairs":
            yield [Job(list(zip(texts[:half], texts[half:], strict=False)))]
        elif kind == "words":
            yield [Job([cut(text, rng) for text in texts[:half]], True)]
        elif kind == "pairs_of_words":
            pairs = zip(texts[: half // 2], texts[half:], strict=False)
            yield [Job([(cut(a, rng), cut(b, rng)) for a, b in pairs], True)]
        else:
            yield [of_settings(texts, rng) for _ in range(size // 10)]


KINDS: Final = ("single", "pairs", "words", "pairs_of_words", "settings")


def of_text(name: str) -> Job:
    """The beginning of a text of the data folder, as a whole and line by line."""
    text = inputs.text_bytes(name).decode("utf-8")[:SLICE_CHARS]
    return Job([text, *text.split("\n")])
