"""The page in Debian's Chromium, headless, and what its numbers must be."""

import json
import math
import shutil
import tempfile
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from app_served import Served
from playwright.sync_api import Browser, Page, expect, sync_playwright

import fretsaw
from fretsaw import spec

SIZES = {
    "desktop": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "phone": {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark", "has_touch": True},
}
WAIT_MS = 60_000
expect.set_options(timeout=WAIT_MS)


@contextmanager
def chromium() -> Iterator[Browser]:
    """The system's Chromium; a test without one is skipped."""
    found = shutil.which("chromium")
    if found is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def opened(browser: Browser, served: Served, size: str) -> Iterator[Page]:
    """A page of a size; in the end nothing was said on the console or asked from elsewhere."""
    context = browser.new_context(**SIZES[size])
    page = context.new_page()
    page.set_default_timeout(WAIT_MS)
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    yield page
    outside = [url for url in asked if not url.startswith(f"{served.address}/")]
    assert not said + outside, (said, outside)
    context.close()


def go(page: Page, served: Served, address: str) -> None:
    """Opens a view anew."""
    page.goto("about:blank")
    page.goto(f"{served.address}/#{address}")


def stats(page: Page, within: str = "[role=tabpanel]:not([hidden])") -> dict[str, str]:
    """The numbers of a view, by name."""
    found = page.locator(f"{within} [data-stat]")
    return {one.get_attribute("data-stat") or "": one.inner_text() for one in found.all()}


def expect_stat(page: Page, name: str, value: str) -> None:
    """Waits until a number of the view is as wanted."""
    panel = page.locator("[role=tabpanel]:not([hidden])")
    expect(panel.locator(f'[data-stat="{name}"]').first).to_have_text(value)


def ratio(over: int, under: int) -> str:
    return f"{over / under:.2f}"


def visible(text: str) -> str:
    """White space as the page shows it."""
    return text.replace(" ", "␣").replace("\n", "↵").replace("\t", "⇥")


def small_unigram() -> fretsaw.Tokenizer:
    scores = {"<unk>": 0.0, "▁": -3.0, "▁un": -4.0, "n": -4.5, "u": -4.5, "a": -4.0, "fa": -6.0}
    scores |= {"f": -5.0, "ff": -7.5, "able": -5.5, "b": -5.0, "l": -5.0, "e": -4.0, "aff": -6.5}
    model = spec.Unigram(list(scores.items()), unk_id=0)
    pipeline = spec.Spec(model, pre_tokenizer=spec.Metaspace(), decoder=spec.Metaspace())
    return fretsaw.Tokenizer.from_str(pipeline.to_json())


def small_word_piece() -> fretsaw.Tokenizer:
    tokens = ["[UNK]", "un", "##aff", "##able", "##ab", "the"]
    model = spec.WordPiece({token: place for place, token in enumerate(tokens)})
    pipeline = spec.Spec(model, pre_tokenizer=spec.WhitespaceSplit())
    return fretsaw.Tokenizer.from_str(pipeline.to_json())


def small_ranks() -> bytes:
    """Ranks of tiktoken: all bytes, and three longer tokens."""
    tokens = [*(bytes([byte]) for byte in range(256)), b"th", b"the", b"hu", b"hug"]
    lines = [f"{b64encode(token).decode()} {rank}" for rank, token in enumerate(tokens)]
    return "\n".join(lines).encode()


def from_ranks(ranks: bytes, pattern: str, special_tokens: dict[str, int]) -> fretsaw.Tokenizer:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "own.tiktoken")
        path.write_bytes(ranks)
        options = {"pattern": pattern, "special_tokens": special_tokens}
        return fretsaw.Tokenizer.from_file(path, **options)  # type: ignore[arg-type]


def small_pair() -> dict[str, bytes]:
    """vocab.json and merges.txt."""
    vocab = {"h": 0, "u": 1, "g": 2, "s": 3, "hug": 4, "\u0120": 5, "hu": 6}
    merges = "#version: 0.2\nh u\nhu g\n"
    return {"vocab.json": json.dumps(vocab).encode(), "merges.txt": merges.encode()}


def sums_of(arcs: list[list[Any]], piece: str, step: int) -> list[str]:
    """The best sum to each place when the tokens of the first places have been offered, as shown."""
    ways = {0: 0.0}
    for start, end, score, *_ in arcs:
        if start < step:
            ways[end] = max(ways.get(end, -math.inf), ways[start] + score)
    return [f"{ways[place]:.2f}" if place in ways else "–" for place in range(len(piece) + 1)]


def small_file() -> bytes:
    """A tokenizer.json that a person may load."""
    model = spec.WordLevel({"<unk>": 0, "Hello": 1, "world": 2})
    pipeline = spec.Spec(model, pre_tokenizer=spec.WhitespaceSplit())
    return json.dumps(json.loads(pipeline.to_json())).encode()
