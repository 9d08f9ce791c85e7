"""`trusted=`: spans in characters inside which alone added tokens match."""

from __future__ import annotations

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from small_tokenizers import Added, tokenizer_json

import fretsaw

ADDED = (
    Added("<s>", special=True),
    Added("<s><s>", special=True),
    Added("x<s", special=True),
    Added("<m>", lstrip=True, rstrip=True, special=True),
    Added("{u}"),
    Added("(n)", normalized=True),
)
JSON = tokenizer_json(ADDED, merges=(("a", "b"), ("Ġ", "a")))
TOK = fretsaw.Tokenizer.from_str(JSON)
ID = {token.content: TOK.token_to_id(token.content) for token in ADDED}


def plain(text: str) -> list[int]:
    """The ids of bytes for which there is no merge."""
    return list(text.encode())


@pytest.mark.parametrize(
    ("text", "trusted", "expected"),
    [
        pytest.param("<s>", [(0, 3)], [ID["<s>"]], id="the token itself"),
        pytest.param("-<s>-", [(0, 5)], [45, ID["<s>"], 45], id="more than the token"),
        pytest.param("<s>", [], plain("<s>"), id="no span"),
        pytest.param("<s>", [(0, 0), (3, 3)], plain("<s>"), id="empty spans"),
        pytest.param("<s>", [(1, 3)], plain("<s>"), id="not its beginning"),
        pytest.param("<s>", [(0, 2)], plain("<s>"), id="not its end"),
        pytest.param("<s>", [(0, 2), (2, 3)], plain("<s>"), id="two spans that meet"),
        pytest.param("<s>", [(0, 2), (1, 3)], plain("<s>"), id="two spans that overlap"),
        pytest.param("<s>", [(2, 3), (0, 3), (0, 1)], [ID["<s>"]], id="spans in any order"),
        pytest.param("é中🙂<s>", [(3, 6)], [*plain("é中🙂"), ID["<s>"]], id="characters"),
        pytest.param("🙂<s>🙂<s>", [(5, 8)], [*plain("🙂<s>🙂"), ID["<s>"]], id="the second"),
        pytest.param("x<s>", [(1, 4)], [120, ID["<s>"]], id="an untrusted one before it"),
        pytest.param("<s><s>", [(0, 3)], [ID["<s>"], *plain("<s>")], id="a longer untrusted one"),
        pytest.param("<s><s>", [(3, 6)], [*plain("<s>"), ID["<s>"]], id="the later half"),
        pytest.param("<s><s>", [(0, 6)], [ID["<s><s>"]], id="the longer one"),
        pytest.param("a  <m>  b", [(3, 6)], [97, ID["<m>"], 98], id="white space outside"),
        pytest.param("  <m>  ", [(0, 7)], [ID["<m>"]], id="white space inside"),
        pytest.param("{u}{u}", [(3, 6)], [*plain("{u}"), ID["{u}"]], id="not flagged special"),
        pytest.param("(n)(n)", [(0, 3)], [ID["(n)"], *plain("(n)")], id="normalized"),
    ],
)
def test_spans(text: str, trusted: list[tuple[int, int]], expected: list[int]) -> None:
    assert TOK.encode_ids(text, trusted=trusted) == expected
    assert TOK.encode(text, trusted=trusted).ids == expected
    assert TOK.count(text, trusted=trusted) == len(expected)


def test_tokens_with_spans() -> None:
    encoding = TOK.encode("a  <m>  b<m>", trusted=[(3, 6)])
    assert encoding.tokens == ["a", "  <m>  ", "b", "<", "m", ">"]


def test_with_names_both_must_allow_it() -> None:
    text, spans = "<s>{u}<s>", [(0, 6)]
    assert TOK.encode_ids(text, special={"{u}"}, trusted=spans) == [
        *plain("<s>"), ID["{u}"], *plain("<s>"),
    ]  # fmt: skip
    assert TOK.encode_ids(text, special={"<s>"}, trusted=spans) == [
        ID["<s>"], *plain("{u}<s>"),
    ]  # fmt: skip
    assert TOK.encode_ids(text, special="none", trusted=spans) == plain(text)


def test_error_spares_what_is_trusted() -> None:
    assert TOK.encode_ids("<s>a", special="error", trusted=[(0, 3)]) == [ID["<s>"], 97]
    with pytest.raises(fretsaw.EncodeError, match="<s>"):
        TOK.encode_ids("<s>a<s>", special="error", trusted=[(0, 3)])


@pytest.mark.parametrize("span", [(0, 4), (4, 4), (2, 1), (5, 9), (0, 2**62)])
def test_spans_outside_the_text(span: tuple[int, int]) -> None:
    for call in (TOK.encode, TOK.encode_ids, TOK.count):
        with pytest.raises(fretsaw.EncodeError):
            call("<s>", trusted=[span])


@pytest.mark.parametrize(
    "trusted", [[(-1, 2)], [(0, 2**70)], [(0,)], [(0, 1, 2)], [0], "ab", [("a", 1)], 3]
)
def test_spans_that_are_none(trusted: object) -> None:
    with pytest.raises((ValueError, TypeError, OverflowError)):
        TOK.encode("<s>", trusted=trusted)  # type: ignore[arg-type]


texts = st.lists(
    st.sampled_from([*ID, "<", "s", ">", " ", "  ", "x", "a", "ab", "é", "🙂", "\n"]), max_size=10
).map("".join)


@given(texts)
def test_all_of_the_text_is_as_no_spans(text: str) -> None:
    expected = tokenizers.Tokenizer.from_str(JSON).encode(text).ids
    assert TOK.encode_ids(text, trusted=[(0, len(text))]) == expected


@given(texts, st.data())
def test_no_added_token_comes_from_untrusted_text(text: str, data: st.DataObject) -> None:
    """What can't be in a trusted span as a whole is not among the ids."""
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    found = TOK.encode_ids(text, trusted=[(start, end)])
    added = set(ID.values()) & set(found)
    assert added <= {id_ for content, id_ in ID.items() if content in text[start:end]}


@given(texts, texts, texts)
def test_a_template_with_text_from_outside(before: str, outside: str, after: str) -> None:
    """Ids of markers in the template are there however the text from outside looks."""
    template = f"{before}\n<s>\n", outside, f"\n<s>\n{after}"
    text = "".join(template)
    first, second = len(template[0]), len(template[0]) + len(outside)
    ids = TOK.encode_ids(text, trusted=[(0, first), (second, len(text))])
    markers = [id_ for id_ in ids if id_ in ID.values()]
    alone = [
        id_
        for part in (template[0], template[2])
        for id_ in TOK.encode_ids(part)
        if id_ in ID.values()
    ]
    assert markers == alone
