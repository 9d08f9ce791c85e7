"""Files that are cut, changed or of something else: an ordinary error, or a tokenizer."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sentencepiece_texts import SAMPLES
from sentencepiece_trained import TYPES, trained

import fretsaw


def load(content: bytes) -> None:
    """Loads what may be no model, and runs what loads."""
    try:
        tok = fretsaw.Tokenizer.from_str(content)
    except fretsaw.SpecError as error:
        assert str(error)
        return
    for text in SAMPLES[:8]:
        try:
            tok.decode(tok.encode(text).ids)
        except (fretsaw.EncodeError, fretsaw.DecodeError) as error:
            assert str(error)


@pytest.mark.parametrize("name", ["symbols", "bytes"])
@pytest.mark.parametrize("model_type", TYPES)
def test_cut_files(model_type: str, name: str) -> None:
    content = trained(model_type, name)
    rng = random.Random(4)
    for end in [*range(64), *(rng.randrange(len(content)) for _ in range(100))]:
        load(content[:end])


@pytest.mark.parametrize("name", ["plain", "bytes"])
@pytest.mark.parametrize("model_type", TYPES)
def test_flipped_bytes(model_type: str, name: str) -> None:
    content = trained(model_type, name)
    rng = random.Random(5)
    # The map is most of a file; what stands before and behind it gets its share.
    places = [range(len(content)), range(4000), range(len(content) - 60, len(content))]
    for _ in range(200):
        changed = bytearray(content)
        for _ in range(rng.randrange(1, 4)):
            changed[rng.choice(rng.choice(places))] = rng.randrange(256)
        load(bytes(changed))


@given(st.binary(max_size=200))
def test_bytes_of_any_kind(content: bytes) -> None:
    load(content)
    load(b"\n\x07\n\x05" + content)


def test_lengths_beyond_the_file() -> None:
    for length in (b"\xff\xff\xff\xff\x07", b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", b"\x7f"):
        for field in (b"\n", b"\x12", b"\x1a"):
            load(b"\n\x03\n\x01a" + field + length)


def test_a_truncated_model_is_refused(tmp_path) -> None:
    path = tmp_path / "spiece.model"
    path.write_bytes(trained("unigram", "plain")[:1000])
    with pytest.raises(fretsaw.SpecError, match="SentencePiece"):
        fretsaw.Tokenizer.from_file(path)
