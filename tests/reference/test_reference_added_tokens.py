"""Added tokens: the oracle's cuts for random tokens and flags, and our policies."""

from __future__ import annotations

import json
from typing import Any

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from fretsaw.reference import AddedToken, Tokenizer
from fretsaw.reference.byte_map import BYTE_TO_CHAR

ALPHABET = {char: index for index, char in enumerate(sorted(BYTE_TO_CHAR.values()))}
FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
CHARS = " a<>é_\n\u0301"

TOKENS = st.lists(
    st.builds(
        AddedToken,
        st.one_of(
            st.text(alphabet=CHARS, min_size=1, max_size=3),
            st.sampled_from(["<a>", "<a", "a>", ">a", "é"]),
        ),
        *([st.booleans()] * len(FLAGS)),
    ),
    max_size=5,
)


def file_with(tokens: list[AddedToken], vocab: dict[str, int] | None = None) -> str:
    """A tokenizer.json of the 256 bytes, or of `vocab`, without merges."""
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    data: dict[str, Any] = {
        "version": "1.0",
        "added_tokens": [{"id": 7, **vars(token)} for token in tokens],
        "pre_tokenizer": byte_level,
        "decoder": byte_level,
        "model": {"type": "BPE", "vocab": vocab or ALPHABET, "merges": []},
    }
    return json.dumps(data)


def oracle_ids(oracle: tokenizers.Tokenizer, text: str) -> list[int] | None:
    """The oracle's ids, None where it panics."""
    try:
        return list(oracle.encode(text).ids)
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        return None


@given(TOKENS, st.text(alphabet=CHARS, max_size=14))
@settings(derandomize=True, deadline=None, max_examples=600)
def test_ids_and_decoding_equal_the_oracles(tokens: list[AddedToken], text: str) -> None:
    ours = Tokenizer.from_str(file_with(tokens))
    oracle = tokenizers.Tokenizer.from_str(file_with(tokens))
    want = oracle_ids(oracle, text)
    if want is None:
        with pytest.raises(ValueError, match="took in"):
            ours.encode(text)
        return
    assert ours.encode(text) == want
    for skip in (True, False):
        assert ours.decode(want, skip) == oracle.decode(want, skip_special_tokens=skip)
    assert {token.content: i for i, token in ours.added.by_id.items()} == {
        token.content: i for i, token in oracle.get_added_tokens_decoder().items()
    }


@given(TOKENS, st.text(alphabet=CHARS, max_size=14))
@settings(derandomize=True, deadline=None, max_examples=200)
def test_tokens_that_may_not_match_are_as_if_not_there(tokens: list[AddedToken], text: str) -> None:
    contents = sorted({token.content for token in tokens} - ALPHABET.keys())
    vocab = {**ALPHABET, **{content: 256 + at for at, content in enumerate(contents)}}
    ours = Tokenizer.from_str(file_with(tokens, vocab))
    bare = tokenizers.Tokenizer.from_str(file_with([], vocab))
    # A control token that is a byte's own would leave that byte without a token.
    if not any(token.special and token.content in ALPHABET for token in tokens):
        assert ours.encode(text, trusted=[]) == bare.encode(text).ids
    some = {token.content for token in tokens[::2]}
    kept = [token for token in tokens if token.content in some]
    want = oracle_ids(tokenizers.Tokenizer.from_str(file_with(kept, vocab)), text)
    if want is not None:
        assert ours.encode(text, special=some) == want
        assert ours.encode(text, special=some, trusted=[(0, len(text))]) == want


def marked(*contents: str, **flags: bool) -> Tokenizer:
    """A tokenizer whose added tokens have the ids 256, 257, ..."""
    tokens = [AddedToken(content, special=True, normalized=False, **flags) for content in contents]
    return Tokenizer(ALPHABET, [], tokens)


def ids(text: str) -> list[int]:
    """The ids of plain text."""
    return Tokenizer(ALPHABET, []).encode(text)


def test_policies() -> None:
    tokenizer = marked("<end>", "<sep>")
    assert tokenizer.encode("a<end><sep>") == [*ids("a"), 256, 257]
    assert tokenizer.encode("a<end><sep>", special="none") == ids("a<end><sep>")
    assert tokenizer.encode("<end><sep>", special={"<sep>"}) == [*ids("<end>"), 257]
    assert tokenizer.encode("a<en", special="error") == ids("a<en")
    with pytest.raises(ValueError, match=r"'<end>' at character 1"):
        tokenizer.encode("a<end>", special="error")
    with pytest.raises(ValueError, match="special='some'"):
        tokenizer.encode("a", special="some")


def test_trusted_spans() -> None:
    tokenizer = marked("<end>")
    text = "<end>é<end>"
    assert tokenizer.encode(text, trusted=[(6, 11)]) == [*ids("<end>é"), 256]
    assert tokenizer.encode(text, trusted=[(1, 5), (5, 11)]) == [*ids("<end>é"), 256]
    assert tokenizer.encode(text, trusted=[(0, 3), (3, 5)]) == ids(text)  # not wholly inside one
    assert tokenizer.encode(text, special="none", trusted=[(0, 11)]) == ids(text)
    assert tokenizer.encode(text[:6], special="error", trusted=[(0, 5)]) == [256, *ids("é")]
    with pytest.raises(ValueError, match="at character 6"):
        tokenizer.encode(text, special="error", trusted=[(0, 5)])
    for span in [(-1, 2), (3, 2), (0, 12)]:
        with pytest.raises(ValueError, match="trusted span"):
            tokenizer.encode(text, trusted=[span])


def test_what_may_not_match_hides_nothing() -> None:
    tokenizer = marked("<end>", "x<e", "<end>!")
    assert tokenizer.encode("x<end>!") == [257, *ids("nd>!")]
    assert tokenizer.encode("x<end>!", trusted=[(1, 6)]) == [*ids("x"), 256, *ids("!")]
    assert tokenizer.encode("x<end>!", special={"<end>"}) == [*ids("x"), 256, *ids("!")]


def test_white_space_taken_in_may_lie_outside_the_span() -> None:
    tokenizer = marked("<end>", lstrip=True, rstrip=True)
    assert tokenizer.encode("a  <end>  b", trusted=[(3, 8)]) == [*ids("a"), 256, *ids("b")]


def test_no_text_spells_a_control_id_by_merges() -> None:
    vocab = {**ALPHABET, "ab": 256, "abc": 257}
    merges = [("a", "b"), ("ab", "c")]
    tokenizer = Tokenizer(vocab, merges, [AddedToken("ab", special=True)])
    assert tokenizer.encode("abc", special={"zz"}) == [257]
    assert tokenizer.encode("abc", special="none") == ids("abc")
    whole = Tokenizer(vocab, [], [AddedToken("ab", special=True)], ignore_merges=True)
    assert whole.encode("ab", special="none") == ids("ab")


def test_an_added_token_in_the_alphabet_decodes_to_bytes() -> None:
    tokenizer = Tokenizer(ALPHABET, [], [AddedToken("éé"), AddedToken("語")])
    assert tokenizer.token_bytes(256) == b"\xe9\xe9"
    assert tokenizer.decode([256, 257]) == "\ufffd\ufffd語"
