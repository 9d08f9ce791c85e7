"""`fretsaw.integrations.sentencepiece` against sentencepiece: the same calls, the same results."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sentencepiece as theirs
from sentencepiece_texts import SAMPLES, random_texts
from sentencepiece_trained import SENTENCES, trained

from fretsaw.integrations import sentencepiece as ours

MODELS = [("unigram", "plain"), ("unigram", "symbols"), ("bpe", "bytes"), ("bpe", "surface"),
          ("char", "suffix"), ("word", "no ends")]  # fmt: skip

TEXTS = [*SAMPLES[:9], *SENTENCES[:7], *random_texts(60)]

Call = Callable[[Any], Any]


def pair(model_type: str, name: str, **options: Any) -> tuple[Any, Any]:
    content = trained(model_type, name)
    return (
        ours.SentencePieceProcessor(model_proto=content, **options),
        theirs.SentencePieceProcessor(model_proto=content, **options),
    )


def plain(value: Any) -> Any:
    """A result in a form that `==` compares."""
    if isinstance(value, np.ndarray):
        return ("array", str(value.dtype), value.tolist())
    if hasattr(value, "SerializeToString"):
        return ("proto", value.SerializeToString())
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def outcome(call: Call, processor: Any) -> Any:
    try:
        return plain(call(processor))
    except Exception as error:
        return type(error)


FORMS: list[Any] = [int, str, bytes, "numpy", "serialized_proto", "proto", "offset_mapping"]


def same(processors: tuple[Any, Any], method: str, *args: Any, **options: Any) -> None:
    """Both give the same for a call."""
    one, other = processors
    found = outcome(lambda sp: getattr(sp, method)(*args, **options), one)
    expected = outcome(lambda sp: getattr(sp, method)(*args, **options), other)
    assert found == expected, (method, args, options)


@pytest.mark.parametrize("model", MODELS, ids=" ".join)
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_encode_and_decode_in_every_form(model: tuple[str, str], form: Any) -> None:
    both = pair(*model)
    for text in TEXTS:
        same(both, "encode", text, out_type=form)
        same(both, "encode", text.encode(), out_type=form)
        ids = both[1].encode(text)
        pieces = both[1].encode(text, out_type=str)
        arrays = (tuple(ids), np.array(ids, dtype=np.int64))
        for items in (ids, pieces, [piece.encode() for piece in pieces], *arrays):
            same(both, "decode", items, return_type=form)
    same(both, "encode", TEXTS[:9], return_type=form)
    same(both, "decode", both[1].encode(TEXTS[:9]), return_type=form)
    same(both, "decode", both[1].encode(TEXTS[:9], out_type=str), return_type=form)


@pytest.mark.parametrize("model", MODELS, ids=" ".join)
def test_frames(model: tuple[str, str]) -> None:
    both = pair(*model)
    for bits in range(16):
        names = ("add_bos", "add_eos", "reverse", "emit_unk_piece")
        options = {name: bool(bits >> at & 1) for at, name in enumerate(names)}
        for form in FORMS:
            same(both, "encode", "the token <q> 漢x", out_type=form, **options)
            same(both, "encode", "", out_type=form, **options)
        same(pair(*model, out_type=str, **options), "encode", ["the token", "x"])


@pytest.mark.parametrize("model", MODELS, ids=" ".join)
def test_pieces_and_ids(model: tuple[str, str]) -> None:
    one, other = pair(*model)
    size = other.get_piece_size()
    calls: list[Call] = [
        len,
        lambda sp: [sp.piece_size(), sp.vocab_size(), sp.GetPieceSize()],
        lambda sp: [sp.unk_id(), sp.bos_id(), sp.eos_id(), sp.pad_id()],
        lambda sp: sp.id_to_piece(list(range(size))),
        lambda sp: [sp.get_score(id) for id in range(size)],
        lambda sp: [sp.is_unknown(id) for id in range(size)],
        lambda sp: [sp.IsControl(id) for id in range(size)],
        lambda sp: sp.is_unused(list(range(size))),
        lambda sp: sp.is_byte(range(size)),
        lambda sp: sp.piece_to_id(["the", "<s>", "▁the", "nothing such", b"a"]),
        lambda sp: [sp["<unk>"], sp.piece_to_id("<0x41>"), sp.PieceToId("▁".encode())],
        lambda sp: sp.serialized_model_proto(),
        lambda sp: [sp.normalize(" Ａ  b "), sp.Normalize(["a", " b"])],
        lambda sp: sp.encode_as_pieces("the token"),
        lambda sp: sp.EncodeAsIds("the token", add_eos=True),
        lambda sp: sp.encode_as_numpy(["the token"]),
        lambda sp: sp.encode_as_proto("the token"),
        lambda sp: sp.tokenize("the token"),
        lambda sp: sp.detokenize(sp.Tokenize("the token")),
        lambda sp: [sp.decode_ids([5, 6]), sp.DecodePieces(["▁a", "q"]), sp.decode_ids(5)],
        lambda sp: [sp.decode([]), sp.decode(None), sp.decode(""), sp.decode([[]])],
        lambda sp: sp.nbest_encode("the token", nbest_size=4),
        lambda sp: sp.nbest_encode_as_pieces(["the token", "again"], 4, add_bos=True),
        lambda sp: sp.NBestEncodeAsIds("the token", nbest_size=-3),
        lambda sp: sp.nbest_encode("the token", nbest_size=3, return_type="serialized_proto"),
        lambda sp: sp.nbest_encode("the token", nbest_size=3, return_type="proto"),
    ]
    for at, call in enumerate(calls):
        assert outcome(call, one) == outcome(call, other), at


ERRORS: list[Call] = [
    lambda sp: sp.encode(5),
    lambda sp: sp.encode(None),
    lambda sp: sp.encode(("a", "b")),
    lambda sp: sp.encode("a", out_type="x"),
    lambda sp: sp.encode("a", out_type="immutable_proto"),
    lambda sp: sp.encode("a", out_type=int, return_type=int),
    lambda sp: sp.encode("a", return_bytes=True),
    lambda sp: sp.encode("a", num_threads="2"),
    lambda sp: sp.encode("a", enable_sampling=True, nbest_size=1),
    lambda sp: sp.encode("a", enable_sampling=True, nbest_size=600),
    lambda sp: sp.sample_encode_as_ids("a", -1, -0.5),
    lambda sp: sp.nbest_encode("a", nbest_size=600),
    lambda sp: sp.decode([99999]),
    lambda sp: sp.decode([-1]),
    lambda sp: sp.decode([[5], ["a"]]),
    lambda sp: sp.decode([1.5]),
    lambda sp: sp.decode([5], out_type=int),
    lambda sp: sp.id_to_piece(99999),
    lambda sp: sp.get_score([-1]),
    lambda sp: sp.piece_to_id(5),
    lambda sp: sp.load(),
    lambda sp: sp.load(model_file="/no/such", model_proto=b"x"),
    lambda sp: sp.load("/no/such"),
    lambda sp: sp.load_from_serialized_proto(b"\x0a\x03abc"),
    lambda sp: type(sp)().encode("a"),
    lambda sp: type(sp)(model_file="/no/such"),
]


@pytest.mark.parametrize("at", range(len(ERRORS)))
def test_errors(at: int) -> None:
    one, other = pair("unigram", "plain")
    expected = outcome(ERRORS[at], other)
    assert isinstance(expected, type)
    assert outcome(ERRORS[at], one) is expected


def test_sampling_follows_from_a_seed() -> None:
    sp = ours.SentencePieceProcessor(model_proto=trained("unigram", "plain"))
    drawn = []
    for _ in range(2):
        ours.set_random_generator_seed(7)
        drawn.append([sp.sample_encode_as_pieces("tokens again", -1, 0.2) for _ in range(20)])
    assert drawn[0] == drawn[1]
    assert len({tuple(pieces) for pieces in drawn[0]}) > 3
    assert {"".join(pieces) for pieces in drawn[0]} == {"▁tokens▁again"}


def test_files_and_pickles(tmp_path) -> None:
    path = tmp_path / "m.model"
    path.write_bytes(trained("bpe", "surface"))
    sp = ours.SentencePieceProcessor.from_file(path, out_type=str, add_bos=True)
    again = pickle.loads(pickle.dumps(sp))
    by_proto = ours.SentencePieceProcessor.from_proto(path.read_bytes(), out_type=str, add_bos=True)
    assert sp.encode("the token") == again.encode("the token") == by_proto.encode("the token")
