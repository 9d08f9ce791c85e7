"""Streams under hypothesis: any order of push, push_many, copy and finish against a model."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from stream_model import Given, Watch, common, finished, of, read

import fretsaw

# "a", "b", "ab", " a", "!", three bytes of an emoji, its last one, a special token, no token.
IDS = (64, 65, 397, 257, 0, 47249, 222, 50256, 60_000)
WORDS = (
    "a",
    "b",
    "ab",
    "ba",
    "aba",
    "abab",
    "😀a",
    "😀",
    " a!",
    "\ufffd",
    "a" * 9,
    "<|endoftext|>",
)

ids = st.lists(st.sampled_from(IDS), max_size=12)
words = st.lists(st.sampled_from(WORDS), max_size=3).map(tuple)
watches = st.builds(
    Watch,
    skip_special_tokens=st.booleans(),
    stop=words,
    stop_ids=st.lists(st.sampled_from((0, 50256)), max_size=1).map(tuple),
    include_stop=st.booleans(),
    prefill=ids.map(tuple),
    markers=words,
)
TOK = fretsaw.get("gpt2")
MOST_STREAMS = 4


@dataclass
class Open:
    """A stream, and what happened to it."""

    stream: fretsaw.Stream
    ids: list[int] = field(default_factory=list)
    text: str = ""

    def copy(self) -> Open:
        """Another one that goes on from here."""
        return Open(self.stream.copy(), list(self.ids), self.text)


def settled(watch: Watch, pushed: list[int]) -> tuple[Given, bytes]:
    """What of a byte-level text must be given, and the bytes of its unfinished character."""
    skip = watch.skip_special_tokens
    data = TOK.decode_bytes([*watch.prefill, *pushed], skip_special_tokens=skip)
    held = next((data[-n:] for n in (3, 2, 1) if b"\xf0\x9f\x98".startswith(data[-n:])), b"")
    if not data.endswith(held):
        held = b""
    whole = data[: len(data) - len(held)].decode("utf-8", "replace")
    prompt = TOK.decode(list(watch.prefill), skip_special_tokens=skip)
    given = Given()
    read(watch, whole[common(whole, prompt) :], given)
    return given, held


class Streams(RuleBasedStateMachine):
    """Some streams of one prompt and the same stops."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[Open] = []

    @initialize(watch=watches)
    def begin(self, watch: Watch) -> None:
        self.watch = watch
        self.open = [Open(watch.stream(TOK))]

    def pick(self, at: int) -> Open:
        return self.open[at % len(self.open)]

    @rule(at=st.integers(0, MOST_STREAMS), id_=st.sampled_from(IDS))
    def push(self, at: int, id_: int) -> None:
        chosen = self.pick(at)
        chosen.text += chosen.stream.push(id_)
        chosen.ids.append(id_)

    @rule(at=st.integers(0, MOST_STREAMS), more=ids)
    def push_many(self, at: int, more: list[int]) -> None:
        chosen = self.pick(at)
        chosen.text += chosen.stream.push_many(more)
        chosen.ids += more

    @rule(at=st.integers(0, MOST_STREAMS))
    def copy(self, at: int) -> None:
        if len(self.open) < MOST_STREAMS:
            self.open.append(self.pick(at).copy())

    @rule(at=st.integers(0, MOST_STREAMS))
    def finish(self, at: int) -> None:
        chosen = self.pick(at).copy()
        text = chosen.text + chosen.stream.finish()
        assert of(chosen.stream, text) == finished(TOK, self.watch, chosen.ids)
        assert chosen.stream.finish() == ""
        assert chosen.stream.pending == b""

    @invariant()
    def holds_back_what_it_must(self) -> None:
        for chosen in self.open:
            stopped = chosen.stream.stopped
            if isinstance(stopped, int):
                assert of(chosen.stream, chosen.text) == finished(TOK, self.watch, chosen.ids)
                continue
            given, held = settled(self.watch, chosen.ids)
            pending = b"" if given.stopped is not None else given.held.encode() + held
            assert chosen.stream.pending == pending
            given.held = ""
            assert of(chosen.stream, chosen.text) == given


Streams.TestCase.settings = settings(max_examples=300, stateful_step_count=30)
TestStreams = Streams.TestCase
