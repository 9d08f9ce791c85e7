"""Streams: what they give out, joined, is `decode`; and they hold back no more than they must.

What may be held back is the start of a character that more bytes could complete. (Python's own
incremental decoder also waits for a third byte after the first two of a surrogate.)
"""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
import tokenizers
from frozen import NAMES, PROVE, golden_strings, sampled

import fretsaw
from oracle.alphabets import EMOJI

Load = Callable[[str], fretsaw.Tokenizer]
LoadOracle = Callable[[str], tokenizers.Tokenizer]

# Every proper beginning of a character's UTF-8.
BEGINNINGS = {
    chr(point).encode()[:length]
    for point in range(0x80, 0x110000, 0x40)
    if not 0xD800 <= point < 0xE000
    for length in range(1, len(chr(point).encode()))
}

each_tokenizer = pytest.mark.parametrize("name", NAMES)


def unfinished(data: bytes) -> bytes:
    """The end of data that is the beginning of a character: 0 to 3 bytes."""
    return next((data[-n:] for n in (1, 2, 3) if data[-n:] in BEGINNINGS), b"")


def check(tok: fretsaw.Tokenizer, ids: list[int], skip: bool) -> None:
    """Every chunk, what is pending after it, and the whole."""
    stream = tok.stream(skip_special_tokens=skip)
    chunks, held = [], b""
    for id_ in ids:
        chunks.append(stream.push(id_))
        data = held + tok.decode_bytes([id_], skip_special_tokens=skip)
        held = unfinished(data)
        settled = data[: len(data) - len(held)].decode("utf-8", "replace")
        assert (chunks[-1], stream.pending) == (settled, held), ids
    rest = stream.finish()
    assert rest == held.decode("utf-8", "replace"), ids
    assert "".join(chunks) + rest == tok.decode(ids, skip_special_tokens=skip), ids
    assert (stream.pending, stream.finish()) == (b"", "")


@each_tokenizer
@pytest.mark.parametrize("skip", [True, False])
def test_random_ids(name: str, skip: bool, load: Load, load_oracle: LoadOracle) -> None:
    tok, last = load(name), load_oracle(name).get_vocab_size() - 1
    source = random.Random(f"stream of {name}")
    for _ in range(20_000 if PROVE else 1_500):
        few = [source.randrange(300) for _ in range(source.randrange(8))]
        any_ids = [source.randrange(last + 30) for _ in range(source.randrange(8))]
        ids = few + any_ids if source.random() < 0.5 else any_ids + few
        check(tok, [*ids, source.choice([2**32 - 1, last, last + 1, *ids])], skip)


def emoji(texts: Iterable[str]) -> list[str]:
    """Emoji of several code points and each code point of the emoji blocks."""
    blocks = (range(0x1F000, 0x1FB00), range(0x2600, 0x27C0), range(0x2B00, 0x2C00))
    return [*texts, *EMOJI, *(chr(point) for block in blocks for point in block)]


@each_tokenizer
def test_every_emoji(name: str, load: Load) -> None:
    tok = load(name)
    for text in emoji(()):
        for around in (text, f"a {text}b", text + text):
            check(tok, tok.encode_ids(around), skip=True)


@each_tokenizer
def test_every_emoji_of_the_data_folder(name: str, load: Load, data_dir: Path) -> None:
    with gzip.open(data_dir / "text" / "nasty_emoji.txt.gz", "rt", encoding="utf-8") as file:
        lines = file.read().split("\n")
    tok = load(name)
    for _, line in sampled(lines, 1_000):
        check(tok, tok.encode_ids(line), skip=True)


@each_tokenizer
def test_golden_strings(name: str, load: Load) -> None:
    tok = load(name)
    for _, text in sampled(golden_strings(), 1_000):
        check(tok, tok.encode_ids(text), skip=False)


def test_every_pair_of_bytes_settles_at_once(load: Load) -> None:
    tok = load("gpt2")
    byte_ids = [tok.encode_ids(chr(byte))[0] for byte in range(0x21, 0x7F)]
    ids = {tok.token_bytes(id_): id_ for id_ in range(256)}
    assert sorted(ids) == [bytes([byte]) for byte in range(256)]
    assert set(byte_ids) <= set(ids.values())
    for first in range(0x80, 0x100):
        for second in range(0x100):
            check(tok, [ids[bytes([first])], ids[bytes([second])]], skip=True)


def test_ill_formed_parts_of_three_and_four_bytes(load: Load) -> None:
    tok = load("gpt2")
    ids = {tok.token_bytes(id_): id_ for id_ in range(256)}
    lead = (0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF)
    rest = (0x20, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xE1, 0xF4)
    for data in (
        bytes([first, second, third, fourth])
        for first in lead
        for second in rest
        for third in rest
        for fourth in (0x41, 0x80, 0xBF, 0xF0)
    ):
        found = [ids[bytes([byte])] for byte in data]
        assert tok.decode(found) == data.decode("utf-8", "replace")
        check(tok, found, skip=True)


def test_numbers_that_are_no_ids(load: Load) -> None:
    stream = load("gpt2").stream()
    for number in (-1, 2**32):
        with pytest.raises(OverflowError):
            stream.push(number)
    with pytest.raises(TypeError):
        stream.push("a")  # type: ignore[arg-type]
    assert stream.push(15496) == "Hello"


def test_streams_of_one_tokenizer_are_independent(load: Load) -> None:
    tok = load("gpt2")
    first, second = tok.stream(), tok.stream()
    assert (first.push(47249), second.push(15496), first.push(222)) == ("", "Hello", "😀")
    assert (first.finish(), second.finish()) == ("", "")
