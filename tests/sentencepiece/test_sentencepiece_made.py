"""Models that no training makes: unused pieces, a denormalizer, scores that tie, names and types."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import sentencepiece
from sentencepiece_both import Both
from sentencepiece_texts import SAMPLES, random_texts
from sentencepiece_trained import SENTENCES, TYPES, trained
from sentencepiece_wire import Model, Piece

import fretsaw

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6


def made(model_type: str, change: Callable[[Model], None], name: str = "plain") -> bytes:
    """A trained model with a change."""
    model = Model.read(trained(model_type, name))
    change(model)
    return model.content()


def some_unused(model: Model) -> None:
    for at, piece in enumerate(model.pieces):
        if piece.type == NORMAL and at % 3 == 0:
            piece.type = UNUSED


def long_unused(model: Model) -> None:
    for piece in model.pieces:
        if piece.type == NORMAL and len(piece.piece) > 2:
            piece.type = UNUSED


def tied(model: Model) -> None:
    for at, piece in enumerate(model.pieces):
        piece.score = -float(at % 4)


def equal(model: Model) -> None:
    for at, piece in enumerate(model.pieces):
        piece.score = -0.0 if at % 2 else 0.0


def close(model: Model) -> None:
    for at, piece in enumerate(model.pieces):
        piece.score = -1.0 - 1e-4 * (at % 7)


def positive(model: Model) -> None:
    for at, piece in enumerate(model.pieces):
        piece.score = 1000.0 + at


def large(model: Model) -> None:
    for at, piece in enumerate(model.pieces):
        piece.score = -30_000.0 - at


def no_characters(model: Model) -> None:
    model.pieces = [one for one in model.pieces if one.type != NORMAL or len(one.piece) != 1]


def denormalized(model: Model) -> None:
    model.denormalizer = model.normalizer | {3: [0], 5: [0]}


def spaces_stay(model: Model) -> None:
    model.normalizer[5] = [0]


def null_piece(model: Model) -> None:
    model.pieces.append(Piece("\0", 0.0))


def many_symbols(model: Model) -> None:
    model.pieces = [one for one in model.pieces if not set(one.piece) <= {"b"}]
    for length in range(3, 80):
        model.pieces.append(Piece("b" * length, 0.0, USER_DEFINED))


def no_unknown(model: Model) -> None:
    model.pieces[0].type = CONTROL


CHANGES = {
    "some unused": some_unused,
    "long unused": long_unused,
    "tied": tied,
    "equal": equal,
    "close": close,
    "positive": positive,
    "large": large,
    "no characters": no_characters,
    "denormalized": denormalized,
    "spaces stay": spaces_stay,
    "many symbols": many_symbols,
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("model_type", TYPES)
@pytest.mark.parametrize("name", ["plain", "symbols", "bytes"])
def test_changed_models(model_type: str, change: str, name: str) -> None:
    both = Both(made(model_type, CHANGES[change], name))
    texts = [*SAMPLES[:10], *SENTENCES[:7], " ".join(SENTENCES * 5), *random_texts(300), "b" * 300]
    for text in texts:
        both.same(text)
    if model_type == "unigram":
        for text in texts[:20]:
            if len(text) < 200:
                ways = both.ours.nbest_pieces(text, 9)
                ids = [[id for id, *_ in way] for way, _ in ways]
                assert ids == both.theirs.nbest_encode(text, nbest_size=9)


@pytest.mark.parametrize("change", [null_piece, no_unknown])
@pytest.mark.parametrize("model_type", TYPES)
def test_bytes_allow_it(model_type: str, change: Callable[[Model], None]) -> None:
    both = Both(made(model_type, change, "bytes"))
    for text in [*SAMPLES[:9], *random_texts(200)]:
        both.same(text)


def refused(model: Model) -> None:
    model.pieces[5].piece = model.pieces[6].piece


BROKEN: dict[str, tuple[Callable[[Model], None], str]] = {
    "a piece twice": (refused, r"pieces\[6\]\.piece"),
    "an empty piece": (lambda model: setattr(model.pieces[5], "piece", ""), r"pieces\[5\]\.piece"),
    "a null character": (null_piece, "null character"),
    "a long piece": (lambda model: setattr(model.pieces[5], "piece", "x" * 8000), "8000"),
    "no unknown piece": (no_unknown, "UNKNOWN"),
    "two unknown pieces": (lambda model: setattr(model.pieces[5], "type", UNKNOWN), "only unknown"),
    "a byte piece": (lambda model: setattr(model.pieces[5], "type", BYTE), "byte_fallback"),
    "not all bytes": (
        lambda model: model.trainer.update({35: [1]}),
        "type BYTE for each byte",
    ),
    "no map": (
        lambda model: model.normalizer.update({2: [b"\x00\x04\x00\x00ab"]}),
        "precompiled_charsmap",
    ),
    "a map of noughts": (
        lambda model: model.normalizer.update({2: [b"\x00\x04\x00\x00" + bytes(1025)]}),
        "leads nowhere",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("model_type", TYPES)
def test_what_sentencepiece_refuses_is_refused(model_type: str, name: str) -> None:
    change, message = BROKEN[name]
    content = made(model_type, change)
    with pytest.raises(RuntimeError):
        sentencepiece.SentencePieceProcessor(model_proto=content)
    with pytest.raises(fretsaw.SpecError, match=message):
        fretsaw.Tokenizer.from_str(content)


def test_scores_of_a_unigram_model_are_finite() -> None:
    content = made("unigram", lambda model: setattr(model.pieces[5], "score", float("nan")))
    with pytest.raises(RuntimeError):
        sentencepiece.SentencePieceProcessor(model_proto=content)
    with pytest.raises(fretsaw.SpecError, match=r"pieces\[5\]\.score"):
        fretsaw.Tokenizer.from_str(content)


def test_a_control_piece_with_the_string_of_another_is_refused() -> None:
    content = made("unigram", lambda model: setattr(model.pieces[5], "piece", "<s>"))
    sentencepiece.SentencePieceProcessor(model_proto=content)
    with pytest.raises(fretsaw.UnsupportedError, match=r"pieces\[5\]\.piece.*Control"):
        fretsaw.Tokenizer.from_str(content)
