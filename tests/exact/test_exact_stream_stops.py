"""Streams with stops, prompts and markers: every file of the data folder, and the shared cases."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from case_files import Case, load_tokenizer, read_group
from frozen import PROVE
from stream_model import Watch, finished, of

import fretsaw
from oracle.tables import ALL_NAMES

Load = Callable[[str], fretsaw.Tokenizer]

SEQUENCES = 2_000 if PROVE else 60


def parts_of(source: random.Random, texts: list[str]) -> tuple[str, ...]:
    """Some short parts of texts, which are therefore likely to come."""
    found = []
    for text in source.sample(texts, min(len(texts), 3)):
        start = source.randrange(len(text) + 1)
        found.append(text[start : start + source.randrange(1, 9)])
    return tuple(part for part in found if part)


@pytest.mark.parametrize("name", ALL_NAMES)
def test_random_ids_of_every_file(name: str, load: Load) -> None:
    tok = load(name)
    source = random.Random(f"stops of {name}")
    size = max(tok.get_vocab().values()) + 3
    for _ in range(SEQUENCES):
        first = source.choice([size, 300, 40])
        ids = [source.randrange(first) for _ in range(source.randrange(1, 40))]
        cut = source.choice([0, 0, source.randrange(len(ids))])
        text = tok.decode(ids) or "a"
        watch = Watch(
            skip_special_tokens=source.random() < 0.7,
            stop=parts_of(source, [text] * source.randrange(4)),
            stop_ids=tuple(source.sample(ids, 1)) if source.random() < 0.2 else (),
            include_stop=source.random() < 0.3,
            prefill=tuple(ids[:cut]),
            markers=parts_of(source, [text] * source.randrange(3)),
        )
        stream, given, rest = watch.stream(tok), "", ids[cut:]
        while rest:
            many = source.choice([1, 1, 3])
            given += stream.push(rest[0]) if many == 1 else stream.push_many(rest[:many])
            rest = rest[many:]
        given += stream.finish()
        assert of(stream, given) == finished(tok, watch, ids[cut:]), (watch, ids)


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case.id) for case in read_group("stop strings")]
)
def test_cases(case: Case) -> None:
    stream = load_tokenizer(case).stream(**case.options)
    text = "".join([stream.push(id_) for id_ in case.input]) + stream.finish()
    assert {"text": text, "stopped_by": stream.stopped} == case.expected


def test_a_stop_inside_a_token_and_over_many(load: Load) -> None:
    tok = load("gpt2")
    stream = tok.stream(stop=["\nUser:"])
    # "Hi\nUs" is held back from the newline on, and given when "ed" shows that it is no stop.
    chunks = [stream.push(id_) for id_ in tok.encode_ids("Hi\nUsed\nUser: x")]
    assert "".join(chunks) == "Hi\nUsed"
    assert (stream.stopped, stream.stopped_at, stream.finish()) == ("\nUser:", 7, "")
    assert stream.push(15496) == ""


def test_the_match_that_ends_first_wins_and_then_the_one_that_starts_first(load: Load) -> None:
    tok = load("gpt2")
    for stop, text, before, stopped in (
        (["abcd", "bc"], "abcd", "a", "bc"),
        (["bc", "abc"], "abc", "", "abc"),
        (["aab"], "aaab", "a", "aab"),
        (["abab", "abc"], "ababc", "", "abab"),
    ):
        stream = tok.stream(stop=stop)
        given = stream.push_many(tok.encode_ids(text)) + stream.finish()
        assert (given, stream.stopped) == (before, stopped)


def test_markers_are_events_and_the_text_goes_on(load: Load) -> None:
    tok = load("gpt2")
    stream = tok.stream(markers=["<think>", "</think>"], stop=["<end>"])
    given = stream.push_many(tok.encode_ids("<think>so</think>yes<end>no"))
    assert (given, stream.stopped, stream.stopped_at) == ("soyes", "<end>", 5)
    assert stream.events == [("<think>", 0), ("</think>", 2)]


def test_stop_ids_end_the_text_that_was_held_back(load: Load) -> None:
    tok = load("gpt2")
    ids = [*tok.encode_ids("Hi <"), 50256, 15496]
    for include, text in ((False, "Hi <"), (True, "Hi <<|endoftext|>")):
        stream = tok.stream(
            stop=["<end>"], stop_ids=[50256], include_stop=include, skip_special_tokens=False
        )
        assert stream.push_many(ids) == text
        assert (stream.stopped, stream.stopped_at) == (50256, 4)


def test_a_prompt_that_ends_inside_a_character(load: Load) -> None:
    stream = load("gpt2").stream(prefill=[15496, 47249])
    assert stream.pending == b"\xf0\x9f\x98"
    assert (stream.push(222), stream.push(64)) == ("😀", "a")


def test_what_can_be_no_stop(load: Load) -> None:
    tok = load("gpt2")
    for options in ({"stop": [""]}, {"markers": ["a", ""]}, {"stop": ["a" * (16 << 20), "b"]}):
        with pytest.raises(ValueError, match="a character each"):
            tok.stream(**options)
    with pytest.raises(TypeError):
        tok.stream(stop="abc")  # type: ignore[arg-type]
    with pytest.raises(fretsaw.DecodeError):
        fretsaw.get("cl100k_base").stream(prefill=[1 << 30])


def test_a_long_stop_and_a_long_text_take_linear_time(load: Load) -> None:
    tok = load("gpt2")
    stop = "a" * 100_000 + "b"
    stream = tok.stream(stop=[stop, stop[1:] + "c"])
    ids = tok.encode_ids("a" * 400_000)
    assert stream.push_many(ids) == "a" * 300_000
    assert len(stream.pending) == 100_000
    assert stream.finish() == "a" * 100_000
