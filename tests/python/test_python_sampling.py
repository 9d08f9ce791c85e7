"""Models that choose by chance: seeds, what keeps `alpha` and `nbest_size`, and what drops them."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from small_tokenizers import Added, tokenizer_json

import fretsaw
from fretsaw import spec

VOCAB = [
    *[("<unk>", 0.0), ("a", -1.0), ("b", -1.5), ("ab", -2.1), ("ba", -2.0), ("▁", -1.0)],
    *[("▁a", -2.0), ("</s>", -3.0), ("/", -2.0), ("xy", -3.0)],
]
UNIGRAM = spec.Unigram(VOCAB, 0)
METASPACE = spec.Metaspace()
WORDS = ["ab", "ba", "abba", "xyx", "zab", "baab", "</s>", "abz"]
TEXTS = [" ".join(WORDS[place % 8 :] * (1 + place % 5)) for place in range(400)]
SEED = 11


def sampling(alpha: float | None = 0.2, nbest_size: int | None = None, **fields: Any) -> Any:
    document = spec.Spec(UNIGRAM, pre_tokenizer=METASPACE, **fields)
    tok = fretsaw.Tokenizer.from_str(document.to_json())
    tok.model = dataclasses.replace(tok.model, alpha=alpha, nbest_size=nbest_size)  # type: ignore[type-var]
    return tok


def dropout(probability: float = 0.3) -> fretsaw.Tokenizer:
    tok = fretsaw.Tokenizer.from_str(tokenizer_json())
    tok.model = dataclasses.replace(tok.model, dropout=probability)  # type: ignore[type-var]
    return tok


MADE: dict[str, Callable[[], fretsaw.Tokenizer]] = {
    "all": sampling,
    "best": lambda: sampling(nbest_size=6),  # type: ignore[no-any-return]
    "dropout": dropout,
}
each_kind = pytest.mark.parametrize("kind", MADE)


@each_kind
def test_a_seed_gives_the_same_again(kind: str) -> None:
    tok = MADE[kind]()
    for text in TEXTS[:50]:
        ids = tok.encode_ids(text, seed=SEED)
        assert tok.encode(text, seed=SEED).ids == ids
        assert tok.count(text, seed=SEED) == len(ids)
        assert tok.encode_ids(text, seed=SEED) == ids
        # In a batch the first text has the seed itself.
        assert tok.encode_batch_ids([text, "ab"], seed=SEED)[0] == ids
    assert len({tuple(tok.encode_ids(TEXTS[0], seed=seed)) for seed in range(50)}) > 10


@each_kind
def test_threads_and_shapes_make_no_difference(kind: str) -> None:
    tok = MADE[kind]()
    texts = TEXTS * 20
    rows = tok.encode_batch_ids(texts, seed=SEED, threads=1)
    assert sum(map(len, texts)) > 1 << 18
    assert len({tuple(row) for row in rows[5 :: len(TEXTS)]}) > 1
    for threads in (0, 2, 5):
        assert tok.encode_batch_ids(texts, seed=SEED, threads=threads) == rows
        encodings = tok.encode_batch(texts, seed=SEED, threads=threads)
        assert [encoding.ids for encoding in encodings] == rows
        ids, row_offsets = tok.encode_batch_flat(texts, seed=SEED, threads=threads)
        assert ids.tolist() == [id_ for row in rows for id_ in row]
        counts = tok.count_batch(texts, seed=SEED, threads=threads)
        assert counts == [len(row) for row in rows] == (row_offsets[1:] - row_offsets[:-1]).tolist()


@each_kind
def test_without_a_seed_it_differs(kind: str) -> None:
    tok = MADE[kind]()
    assert len({tuple(tok.encode_ids(TEXTS[0])) for _ in range(50)}) > 10


@pytest.mark.parametrize("special", ["all", "none"])
@pytest.mark.parametrize("nbest_size", [None, 6])
def test_tokens_go_with_the_ids(nbest_size: int | None, special: Any) -> None:
    tok = sampling(
        nbest_size=nbest_size, added_tokens=[spec.AddedToken("<ab>"), spec.AddedToken("é")]
    )
    texts = ["z abzz<ab>yab é xyxab zz", "xyz", "日本 <unk>ab zé"]
    for seed in (*range(40), None):
        for text in texts:
            encoding = tok.encode(text, seed=seed, special=special)
            assert "".join(encoding.tokens).replace("▁", "") == text.replace(" ", "")
            assert len(encoding.tokens) == len(encoding.ids)
            for id_, token in zip(encoding.ids, encoding.tokens, strict=True):
                assert id_ == 0 or tok.id_to_token(id_) == token
    for encoding, text in zip(tok.encode_batch(texts * 20, seed=3), texts * 20, strict=True):
        assert "".join(encoding.tokens).replace("▁", "") == text.replace(" ", "")


@pytest.mark.parametrize("nbest_size", [None, 1, 6])
def test_no_text_yields_a_control_id(nbest_size: int | None) -> None:
    tok = sampling(nbest_size=nbest_size, added_tokens=[spec.AddedToken("</s>", special=True)])
    control = tok.token_to_id("</s>")
    drawn = [tok.encode_ids("ab</s>", seed=seed, special="none") for seed in range(300)]
    assert not any(control in ids for ids in drawn)
    assert len(set(map(tuple, drawn))) > 1 or nbest_size == 1
    assert control in tok.encode_ids("ab</s>", seed=1)


def keeps(tok: fretsaw.Tokenizer, other: fretsaw.Tokenizer) -> None:
    assert isinstance(tok.model, spec.Unigram)
    assert other.model == tok.model
    assert other.fingerprint == tok.fingerprint
    for text in TEXTS[:20]:
        assert other.encode_ids(text, seed=SEED) == tok.encode_ids(text, seed=SEED)


@pytest.mark.parametrize(
    ("alpha", "nbest_size"),
    [(0.2, None), (0.1, 64), (None, 3), (0.0, None), (1e-300, 2**63), (5e-324, 0)],
)
def test_copies_pickles_and_compiled_files_keep_them(
    alpha: float | None, nbest_size: int | None, tmp_path: Path
) -> None:
    tok = sampling(alpha, nbest_size, added_tokens=[spec.AddedToken("é")])
    tok.enable_truncation(9)
    assert (tok.model.alpha, tok.model.nbest_size) == (alpha, nbest_size)
    keeps(tok, copy.copy(tok))
    keeps(tok, copy.deepcopy(tok))
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(tok, protocol))
        keeps(tok, again)
        assert again.truncation == tok.truncation
    tok.compile(tmp_path / "x.fret")
    for mmap in (True, False):
        again = fretsaw.Tokenizer.from_file(tmp_path / "x.fret", mmap=mmap)
        keeps(tok, again)
        keeps(tok, pickle.loads(pickle.dumps(again)))
    again.add_tokens(["new"])
    assert again.model == tok.model
    again.normalizer = spec.NFC()
    assert again.model == tok.model


def test_encodings_are_pickled_with_their_tokens() -> None:
    encoding = sampling().encode("zz ab z", seed=1)
    again = pickle.loads(pickle.dumps(encoding))
    assert (again.ids, again.tokens) == (encoding.ids, encoding.tokens)


def test_a_tokenizer_json_has_no_place_for_them(tmp_path: Path) -> None:
    tok, plain = sampling(0.2, 3), sampling(None, None)
    tok.save(tmp_path / "tokenizer.json")
    saved = (tmp_path / "tokenizer.json").read_text(encoding="utf-8")
    assert saved == tok.to_str() == plain.to_str()
    assert fretsaw.Tokenizer.from_str(saved).model == plain.model
    oracle = tokenizers.Tokenizer.from_str(saved)
    oracle.model.alpha, oracle.model.nbest_size = 0.2, 3
    assert json.loads(oracle.to_str()) == json.loads(saved)
    # What stands there under their names is passed over, as any field of a model.
    document = json.loads(saved)
    document["model"] |= {"alpha": "x", "nbest_size": -1}
    assert fretsaw.Tokenizer.from_str(json.dumps(document)).model == plain.model
    assert tokenizers.Tokenizer.from_str(json.dumps(document)).model.alpha is None


def test_fingerprints() -> None:
    plain = sampling(None).fingerprint
    assert plain == sampling(0.0, 4).fingerprint == sampling(None, 4).fingerprint
    assert sampling(0.2, 0).fingerprint == sampling(0.2).fingerprint
    different = [sampling(0.2), sampling(0.3), sampling(0.2, 4), sampling(0.2, 5), sampling(None)]
    assert len({tok.fingerprint for tok in different}) == len(different)


@pytest.mark.parametrize("alpha", [-0.1, math.nan, math.inf, -math.inf, 10**400])
def test_an_alpha_that_is_refused(alpha: float) -> None:
    tok = sampling()
    with pytest.raises(ValueError, match=r"Unigram\.alpha"):
        dataclasses.replace(tok.model, alpha=alpha)


def test_setting_back() -> None:
    tok = sampling(0.2, 4)
    assert len({tuple(tok.encode_ids("abab", seed=seed)) for seed in range(20)}) == 4
    tok.model = UNIGRAM
    assert len({tuple(tok.encode_ids("abab", seed=seed)) for seed in range(20)}) == 1
    tok.model = spec.WordLevel({"a": 0, "<unk>": 1})
    assert tok.encode_ids("a", seed=1) == [1]


def test_dropout_in_a_compiled_file(tmp_path: Path) -> None:
    tok = fretsaw.Tokenizer.from_str(tokenizer_json([Added("<s>", special=True)]))
    tok.model = dataclasses.replace(tok.model, dropout=0.4)  # type: ignore[type-var]
    tok.compile(tmp_path / "x.fret")
    for again in (
        fretsaw.Tokenizer.from_file(tmp_path / "x.fret"),
        pickle.loads(pickle.dumps(tok)),
    ):
        assert again.encode_batch_ids(TEXTS, seed=2) == tok.encode_batch_ids(TEXTS, seed=2)
        assert again.fingerprint == tok.fingerprint
