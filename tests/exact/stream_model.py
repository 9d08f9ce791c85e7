"""What a stream must give, worked out the long way: decode everything, then look at every place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import fretsaw


@dataclass(frozen=True)
class Watch:
    """The arguments of `Tokenizer.stream` beside the tokenizer."""

    skip_special_tokens: bool = True
    stop: tuple[str, ...] = ()
    stop_ids: tuple[int, ...] = ()
    include_stop: bool = False
    prefill: tuple[int, ...] = ()
    markers: tuple[str, ...] = ()

    def stream(self, tok: fretsaw.Tokenizer) -> fretsaw.Stream:
        """The stream itself."""
        return tok.stream(
            skip_special_tokens=self.skip_special_tokens,
            stop=self.stop,
            stop_ids=self.stop_ids,
            include_stop=self.include_stop,
            prefill=self.prefill,
            markers=self.markers,
        )


@dataclass
class Given:
    """What a stream gave."""

    text: str = ""
    stopped: str | int | None = None
    stopped_at: int | None = None
    events: list[tuple[str, int]] = field(default_factory=list)
    held: str = ""


def common(text: str, other: str) -> int:
    """How many characters at their start two texts have in common."""
    differ = (at for at, pair in enumerate(zip(text, other, strict=False)) if pair[0] != pair[1])
    return next(differ, min(len(text), len(other)))


def behind_prompt(tok: fretsaw.Tokenizer, watch: Watch, ids: Sequence[int]) -> str:
    """The decoded text, cut behind what it has in common with the prompt's."""
    skip = watch.skip_special_tokens
    whole = tok.decode([*watch.prefill, *ids], skip_special_tokens=skip)
    prompt = tok.decode(list(watch.prefill), skip_special_tokens=skip)
    return whole[common(whole, prompt) :]


def read(watch: Watch, text: str, given: Given) -> None:
    """Adds a text, place by place, up to a stop; what may begin one is held."""
    window = given.held
    for character in text:
        window += character
        found = [item for item in (*watch.stop, *watch.markers) if window.endswith(item)]
        if not found:
            continue
        match = max(found, key=len)
        given.text += window.removesuffix(match)
        window = ""
        if match in watch.stop:
            given.stopped, given.stopped_at, given.held = match, len(given.text), ""
            given.text += match if watch.include_stop else ""
            return
        given.events.append((match, len(given.text)))
    begins = (
        len(window) - at
        for at in range(len(window))
        if any(item.startswith(window[at:]) for item in (*watch.stop, *watch.markers))
    )
    held = next(begins, 0)
    given.text += window[: len(window) - held]
    given.held = window[len(window) - held :]


def finished(tok: fretsaw.Tokenizer, watch: Watch, ids: Sequence[int]) -> Given:
    """What a stream has given when all ids were pushed and it was ended."""
    ends = [at for at, id_ in enumerate(ids) if id_ in watch.stop_ids]
    before = ids[: ends[0]] if ends else ids
    given = Given()
    read(watch, behind_prompt(tok, watch, before), given)
    given.text, given.held = given.text + given.held, ""
    if ends and given.stopped is None:
        stopped_at = len(given.text)
        if watch.include_stop:
            given = Given()
            read(watch, behind_prompt(tok, watch, ids[: ends[0] + 1]), given)
            given.text, given.held = given.text + given.held, ""
        if given.stopped is None:
            given.stopped, given.stopped_at = ids[ends[0]], stopped_at
    return given


def of(stream: fretsaw.Stream, text: str) -> Given:
    """What a stream says of itself, and the text that it gave."""
    return Given(text, stream.stopped, stream.stopped_at, stream.events)
