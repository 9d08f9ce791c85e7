"""Models of SentencePiece against sentencepiece: ids, pieces, offsets, decoded text, best ways."""

from __future__ import annotations

import functools
import random

import pytest
from sentencepiece_both import Both
from sentencepiece_texts import SAMPLES, model_file, model_names, random_texts, text_files
from sentencepiece_trained import OPTIONS, SENTENCES, TYPES, trained

import fretsaw


@functools.cache
def of_file(name: str) -> Both:
    return Both(model_file(name))


@functools.cache
def of_options(model_type: str, name: str) -> Both:
    return Both(trained(model_type, name))


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("model_type", TYPES)
def test_every_option(model_type: str, name: str) -> None:
    both = of_options(model_type, name)
    for text in [*SAMPLES, *SENTENCES[:7], " ".join(SENTENCES * 20), *random_texts(1000)]:
        both.same(text)


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("model_type", TYPES)
def test_any_ids_decode(model_type: str, name: str) -> None:
    both = of_options(model_type, name)
    rng = random.Random(name)
    size = both.theirs.get_piece_size()
    for _ in range(500):
        both.same_decoded([rng.randrange(size) for _ in range(rng.randrange(9))])


@pytest.mark.parametrize("name", model_names())
def test_files_on_samples(name: str) -> None:
    both = of_file(name)
    for text in [*SAMPLES, *random_texts(2000)]:
        both.same(text)


@pytest.mark.parametrize("name", model_names())
def test_files_on_texts(name: str) -> None:
    both = of_file(name)
    for text in text_files().values():
        both.same_ids(text[:70_000])
        both.same(text[100_000:102_000])
        for line in text[200_000:204_000].split("\n"):
            both.same(line)


def test_sums_that_start_again() -> None:
    # The sum of scores passes 100,000 many times, within words and between them.
    both = of_options("unigram", "plain")
    both.same_ids("the king said 漢 " * 20_000)
    both.same_ids("zq" * 40_000)
    rng = random.Random(1)
    words = [*SENTENCES[0].split(), *SENTENCES[5].split(), "zzz", "漢字", "xyzzy"]
    both.same_ids(" ".join(rng.choice(words) for _ in range(60_000)))


@pytest.mark.parametrize("name", ["plain", "symbols", "bytes", "across words", "suffix"])
def test_best_ways(name: str) -> None:
    both = of_options("unigram", name)
    for text in [*SAMPLES[:9], *SENTENCES[:7], *random_texts(300)]:
        for size in (1, 2, 10, 64):
            ways = both.ours.nbest_pieces(text, size)
            assert [[id for id, *_ in way] for way, _ in ways] == both.theirs.nbest_encode(
                text, nbest_size=size
            )


def test_best_ways_of_what_has_too_many() -> None:
    both = of_options("unigram", "plain")
    for text in ("tokenization of tokens " * 4, "a" * 60, SENTENCES[1] * 3):
        ways = both.ours.nbest_pieces(text, 200)
        assert [[id for id, *_ in way] for way, _ in ways] == both.theirs.nbest_encode(
            text, nbest_size=200
        )


@pytest.mark.parametrize("model_type", TYPES)
def test_a_file_of_any_name_and_its_compiled_form(model_type: str, tmp_path) -> None:
    path = tmp_path / "some.thing"
    path.write_bytes(trained(model_type, "symbols"))
    tok = fretsaw.Tokenizer.from_file(path)
    tok.compile(tmp_path / "it.fret")
    again = fretsaw.Tokenizer.from_file(tmp_path / "it.fret")
    assert again.fingerprint == tok.fingerprint
    for text in [*SAMPLES, *random_texts(200)]:
        assert again.encode(text) == tok.encode(text)
        assert again.decode(again.encode(text).ids) == tok.decode(tok.encode(text).ids)


def test_control_pieces_match_where_they_are_allowed() -> None:
    tok = of_options("bpe", "symbols").ours
    control = tok.token_to_id("<ctl>")
    assert control is not None
    assert control not in tok.encode("a<ctl>b").ids
    assert control not in tok.encode("a<ctl>b", special="none").ids
    assert control in tok.encode("a<ctl>b", special="all").ids
    assert tok.decode([control, control]) == ""
    assert tok.decode([control], skip_special_tokens=False) == "<ctl>"
    with pytest.raises(fretsaw.DecodeError, match="no token has the id 99999"):
        tok.decode([99_999])


def test_a_tokenizer_json_has_no_place_for_it(tmp_path) -> None:
    with pytest.raises(fretsaw.UnsupportedError, match="SentencePiece"):
        of_options("bpe", "plain").ours.save(tmp_path / "tokenizer.json")
