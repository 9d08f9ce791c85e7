"""`special=` and `trusted=`: which added tokens match, and where."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Literal

import pytest
import tokenizers
from frozen import PROVE
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tokenizers import Added, tokenizer_json, vocabulary

import fretsaw
from fretsaw import reference

Special = Literal["all", "none", "error"] | Collection[str] | None

# Specials and not, of which no two overlap. They are in the vocabulary too, where no merge makes
# them, so that the oracle keeps their ids when some are left out.
APART = (
    Added("<s>", special=True),
    Added("[m]", special=True, lstrip=True, rstrip=True),
    Added("{u}"),
    Added("(v)", normalized=True, rstrip=True),
    Added("/w/", special=True, normalized=True),
)
MERGES = (("a", "b"), ("Ġ", "a"), ("Ġ", "<"), ("<", "a"))
MODEL = {
    "type": "BPE",
    "vocab": {
        **vocabulary(MERGES),
        **{token.content: 300 + at for at, token in enumerate(APART)},
    },
    "merges": [list(pair) for pair in MERGES],
}
IDS = {token.content: 300 + at for at, token in enumerate(APART)}
SPECIAL_IDS = {IDS[token.content] for token in APART if token.special}

texts_apart = st.lists(
    st.sampled_from([*IDS, *IDS, "a", "b", " ", "  ", "<", ">", "s", "é", "🙂", "\n", "[m", "{"]),
    max_size=9,
).map("".join)


def with_added(added: Collection[Added]) -> str:
    """The file with some of those added tokens."""
    entries = [
        {"id": IDS[token.content], **{name: getattr(token, name) for name in Added.__match_args__}}
        for token in added
    ]
    return tokenizer_json(merges=MERGES, model=MODEL, added_tokens=entries)


def oracle_ids(text: str, names: Collection[str]) -> list[int]:
    """The oracle's ids where just some of the added tokens are in the file."""
    added = [token for token in APART if token.content in names]
    oracle = tokenizers.Tokenizer.from_str(with_added(added))
    ids: list[int] = oracle.encode(text).ids
    return ids


@pytest.fixture(scope="module")
def apart() -> fretsaw.Tokenizer:
    return fretsaw.Tokenizer.from_str(with_added(APART))


@given(texts_apart)
def test_all_is_the_default_and_as_the_oracle(apart: fretsaw.Tokenizer, text: str) -> None:
    expected = oracle_ids(text, IDS)
    for special in (None, "all"):
        assert apart.encode_ids(text, special=special) == expected


@given(texts_apart, st.sets(st.sampled_from(list(IDS))))
def test_a_set_is_as_a_file_with_just_those(
    apart: fretsaw.Tokenizer, text: str, names: set[str]
) -> None:
    expected = oracle_ids(text, names)
    for collection in (names, frozenset(names), list(names), tuple(names)):
        assert apart.encode_ids(text, special=collection) == expected


@given(texts_apart)
def test_none_is_as_a_file_without_any(apart: fretsaw.Tokenizer, text: str) -> None:
    assert apart.encode_ids(text, special="none") == oracle_ids(text, ())


@given(texts_apart)
def test_error_is_an_error_where_a_special_token_would_match(
    apart: fretsaw.Tokenizer, text: str
) -> None:
    expected = oracle_ids(text, IDS)
    if SPECIAL_IDS & set(expected):
        with pytest.raises(fretsaw.EncodeError):
            apart.encode_ids(text, special="error")
    else:
        assert apart.encode_ids(text, special="error") == expected


def test_error_names_the_token_and_lets_others_match(apart: fretsaw.Tokenizer) -> None:
    assert apart.encode_ids("a{u}", special="error") == [97, IDS["{u}"]]
    with pytest.raises(fretsaw.EncodeError, match="<s>"):
        apart.encode_ids("a{u} <s>", special="error")
    assert apart.encode_ids("é<s>", special="error", trusted=[(1, 4)])[-1] == IDS["<s>"]
    with pytest.raises(fretsaw.EncodeError):
        apart.encode_ids("<s><s>", special="error", trusted=[(0, 3)])


@given(texts_apart, st.sampled_from([None, "all", "none", "error", ("<s>", "{u}"), ()]))
def test_every_method_follows_special(
    apart: fretsaw.Tokenizer, text: str, special: Special
) -> None:
    def outcome(call: Any) -> Any:
        try:
            return call()
        except fretsaw.EncodeError:
            return "error"

    expected = outcome(lambda: apart.encode_ids(text, special=special))
    count = expected if expected == "error" else len(expected)
    assert outcome(lambda: apart.encode(text, special=special).ids) == expected
    assert outcome(lambda: apart.count(text, special=special)) == count
    assert outcome(lambda: apart.encode_batch([text], special=special)[0].ids) == expected
    flat = outcome(lambda: apart.encode_batch_flat([text], special=special)[0].tolist())
    assert flat == expected


CONTENTS = ("<s>", "<s", "s>", "a", "ab", " ", "  ", "<", "aba", "b<s>", "é", "\n", " a", "<s><s>")
flags = st.booleans()
any_added = st.lists(
    st.builds(Added, st.sampled_from(CONTENTS), flags, flags, flags, flags, flags),
    min_size=1,
    max_size=5,
    unique_by=lambda token: token.content,
)
any_text = st.lists(st.sampled_from([*CONTENTS, "x", "🙂", "_"]), max_size=8).map("".join)


@settings(max_examples=5_000 if PROVE else 300)
@given(any_added, any_text)
def test_none_never_yields_a_special_id(added: list[Added], text: str) -> None:
    tok = fretsaw.Tokenizer.from_str(tokenizer_json(added))
    ids = tok.encode_ids(text, special="none")
    assert not {tok.token_to_id(token.content) for token in added if token.special} & set(ids)
    if not any(token.special and len(token.content) == 1 for token in added):
        assert tok.decode_bytes(ids, skip_special_tokens=False) == text.encode()
    # Otherwise a byte has no token left, and the model leaves it out.


@st.composite
def policies(draw: st.DrawFn) -> tuple[list[Added], str, Any, list[tuple[int, int]] | None]:
    """Added tokens, a text, `special` and `trusted`."""
    added, text = draw(any_added), draw(any_text)
    names = st.sets(st.sampled_from([token.content for token in added]))
    places = st.integers(0, len(text))
    spans = st.lists(st.tuples(places, places).map(lambda ends: (min(ends), max(ends))), max_size=4)
    special = draw(st.one_of(st.just("all"), st.just("none"), names))
    return added, text, special, draw(st.one_of(st.none(), spans))


@settings(max_examples=20_000 if PROVE else 400)
@given(policies())
def test_as_the_reference(
    policy: tuple[list[Added], str, Any, list[tuple[int, int]] | None],
) -> None:
    added, text, special, trusted = policy
    json = tokenizer_json(added)
    tok = fretsaw.Tokenizer.from_str(json)
    try:
        expected = reference.Tokenizer.from_str(json).encode(text, special, trusted)
    except ValueError:
        with pytest.raises(fretsaw.EncodeError):
            tok.encode(text, special=special, trusted=trusted)
        return
    assert tok.encode_ids(text, special=special, trusted=trusted) == expected


def test_a_special_token_that_merges_can_spell() -> None:
    tok = fretsaw.Tokenizer.from_str(tokenizer_json([Added("<s>", special=True)]))
    spelled = tok.token_to_id("<s>")
    assert spelled == vocabulary()["<s>"]
    assert tok.encode_ids("<s>", special="all") == [spelled]
    assert spelled not in tok.encode_ids("<s> <s>a", special="none")


def test_names_must_be_added_tokens(apart: fretsaw.Tokenizer) -> None:
    for names in ({"<nope>"}, {"<s>", "a"}, [""], {"<S>"}):
        for call in (apart.encode, apart.encode_ids, apart.count):
            with pytest.raises(ValueError, match="special"):
                call("a", special=names)
        with pytest.raises(ValueError, match="special"):
            apart.encode_batch(["a"], special=names)
        with pytest.raises(ValueError, match="special"):
            apart.encode_batch_flat([], special=names)
    with pytest.raises(ValueError, match="some"):
        apart.encode("a", special="some")
    for wrong in (1, {1}, [None], b"all", True):
        with pytest.raises(TypeError):
            apart.encode("a", special=wrong)  # type: ignore[arg-type]
