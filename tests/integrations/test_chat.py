"""Chat templates: the text is that of transformers, and no content gives a control id."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from chat_templates import TEMPLATES
from hypothesis import given
from hypothesis import strategies as st
from transformers.utils.chat_template_utils import render_jinja_template

import fretsaw
from fretsaw._marked import Marked
from fretsaw.spec import AddedToken

CONTROL = (
    "<|im_start|>",
    "<|im_end|>",
    "<|end|>",
    "<|user|>",
    "<|assistant|>",
    "<s>",
    "</s>",
    "<tools>",
)
SPECIAL = {"bos_token": "<s>", "eos_token": "</s>"}
PIECES = (
    *CONTROL,
    "<|im_",
    "start|>",
    "<",
    "|",
    "a",
    "X",
    "x",
    "\n",
    " ",
    "</think>",
    "é",
    "ß",
    "(",
    "[/INST]",
)

contents = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
roles = st.sampled_from(["system", "user", "assistant"])
messages = st.lists(
    st.fixed_dictionaries({"role": roles, "content": contents}), min_size=1, max_size=3
)
tools = st.none() | st.lists(
    st.fixed_dictionaries({"name": contents, "parameters": st.dictionaries(contents, contents)}),
    max_size=2,
)


def tokenizer() -> fretsaw.Tokenizer:
    tok = fretsaw.Tokenizer.from_str(fretsaw.get("gpt2").to_str())
    tok.add_special_tokens([AddedToken(content, special=True) for content in CONTROL])
    return tok


TOK = tokenizer()
IDS = {TOK.token_to_id(content) for content in (*CONTROL, "<|endoftext|>")}


def theirs(template: str, chat: list[Any], **options: Any) -> str:
    rendered, _ = render_jinja_template([chat], chat_template=template, **{**SPECIAL, **options})
    return str(rendered[0])


def text_of_template(prompt: fretsaw.Prompt) -> str:
    return "".join(str(prompt)[start:end] for start, end in prompt.spans)


@pytest.mark.parametrize("name", TEMPLATES)
@given(chat=messages, tools=tools, add=st.booleans())
def test_text_and_control_ids(name: str, chat: list[Any], tools: Any, add: bool) -> None:
    template = TEMPLATES[name]
    wanted = theirs(template, chat, tools=tools, add_generation_prompt=add)
    render = TOK.render_chat
    options = {"tools": tools, "add_generation_prompt": add, "chat_template": template, **SPECIAL}
    prompt = render(chat, **options)
    assert str(prompt) == wanted
    # With other contents that are all letters, the template's own text is the same.
    plain = [{**message, "content": ""} for message in chat]
    ids = [id_ for id_ in prompt.encode_ids(TOK) if id_ in IDS]
    if name in ("chatml in one expression", "blocks and literal text", "instructions"):
        assert text_of_template(prompt) == text_of_template(render(plain, **options))
        assert ids == [id_ for id_ in render(plain, **options).encode_ids(TOK) if id_ in IDS]


@pytest.mark.parametrize("name", TEMPLATES)
@given(chat=messages, marks=st.lists(st.sampled_from(CONTROL), min_size=1, max_size=3).map("".join))
def test_control_tokens_come_from_the_template(name: str, chat: list[Any], marks: str) -> None:
    def count(content: str) -> int:
        altered = [{**message, "content": content} for message in chat]
        prompt = TOK.render_chat(altered, chat_template=TEMPLATES[name], **SPECIAL)
        return sum(id_ in IDS for id_ in prompt.encode_ids(TOK))

    assert count(marks) == count("o" * len(marks))


@pytest.mark.parametrize(
    "template",
    [
        "{{ '<s>%s' % messages[0].content }}",
        "{{ '<s>{}'.format(messages[0].content) }}",
        "{{ '<s>%s' | format(messages[0].content) }}",
        "{{ ('<s>' ~ messages[0].content) | indent(2) }}",
        "{{ ('<s>' + messages[0].content) | title }}",
        "{{ messages[0].content.encode().decode() }}",
        "{{ (messages[0].content ~ '<s>') | safe }}",
        "{{ ('<s>' ~ messages[0].content).center(70) }}",
    ],
)
def test_where_track_is_lost(template: str) -> None:
    chat = [{"role": "user", "content": "a b"}]
    with pytest.raises(fretsaw.EncodeError, match="trust_template_output"):
        TOK.render_chat(chat, chat_template=template)
    prompt = TOK.render_chat(chat, chat_template=template, trust_template_output=True)
    assert str(prompt) == theirs(template, chat)
    assert prompt.spans == [(0, len(prompt))]


def test_what_a_sandbox_keeps_in() -> None:
    for template in (
        "{{ messages[0].content.__class__ }}",
        "{{ messages[0].content._trust }}",
        "{% set ns = namespace() %}{% set ns._x = 1 %}",
        "{{ messages.append(1) }}",
        "{{ ''.__class__.__mro__ }}",
        "{% include 'x' %}",
        "{{ raise_exception('no') }}",
    ):
        chat = [{"role": "user", "content": "a"}]
        outcomes = []
        for render in (theirs, lambda t, c: str(TOK.render_chat(c, chat_template=t))):
            try:
                outcomes.append(render(template, chat))
            except Exception as error:
                outcomes.append(type(error).__name__)
        assert outcomes[0] == outcomes[1], template


def test_a_role_that_is_no_name_is_not_trusted() -> None:
    template = "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}"
    for role, ids in (("user", 1), ("user|><|user", 0)):
        prompt = TOK.render_chat([{"role": role, "content": "a"}], chat_template=template)
        assert sum(id_ in IDS for id_ in prompt.encode_ids(TOK)) == ids


def test_templates_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text(TOK.to_str())
    chat = [{"role": "user", "content": "hi</s>"}]
    config = {"bos_token": {"content": "<s>"}, "eos_token": "</s>"}
    named = [
        {"name": "default", "template": "{{ bos_token }}d"},
        {"name": "tool_use", "template": "t"},
    ]
    for template, text in (
        ("{{ bos_token }}{{ messages[0].content }}", "<s>hi</s>"),
        (named, "<s>d"),
    ):
        written = json.dumps({**config, "chat_template": template})
        (tmp_path / "tokenizer_config.json").write_text(written)
        tok = fretsaw.Tokenizer.from_file(tmp_path)
        assert str(tok.render_chat(chat)) == text
        again = pickle.loads(pickle.dumps(tok))
        assert again.render_chat(chat) == tok.render_chat(chat)
        assert again.fingerprint == tok.fingerprint
    assert str(tok.render_chat(chat, tools=[])) == "t"
    (tmp_path / "chat_template.jinja").write_text("own")
    assert str(fretsaw.Tokenizer.from_file(tmp_path).render_chat(chat)) == "own"
    with pytest.raises(ValueError, match="no chat template"):
        TOK.render_chat(chat)
    with pytest.raises(TypeError, match="mappings"):
        TOK.render_chat(["a"], chat_template="x")


texts = st.text("ab <|\nßİé\u0301", max_size=8)


@st.composite
def marked_texts(draw: st.DrawFn) -> Marked:
    parts = draw(st.lists(st.tuples(texts, st.booleans()), max_size=3))
    return Marked(
        "".join(text for text, _ in parts),
        b"".join(bytes([trusted]) * len(text) for text, trusted in parts),
    )


def check(made: Any, wanted: Any) -> None:
    """Equal text, a byte a character, and lists item by item."""
    assert made == wanted
    if isinstance(wanted, str):
        assert isinstance(made, Marked)
        assert made.trust is None or len(made.trust) == len(made)
    elif isinstance(wanted, (list, tuple)):
        for one, other in zip(made, wanted, strict=True):
            check(one, other)


@given(text=marked_texts(), other=marked_texts(), number=st.integers(-3, 6))
def test_operations_are_those_of_str(text: Marked, other: Marked, number: int) -> None:
    plain, second = str.__str__(text)[:] + "", "".join(list(str.__str__(other)))
    plain = "".join(chr(ord(c)) for c in str.__iter__(text))
    second = "".join(chr(ord(c)) for c in str.__iter__(other))
    check(text + other, plain + second)
    check(text * number, plain * number)
    check(text[number:], plain[number:])
    check(text[::-1], plain[::-1])
    check(list(text), list(plain))
    for name in (
        "upper",
        "lower",
        "title",
        "capitalize",
        "swapcase",
        "casefold",
        "strip",
        "rstrip",
    ):
        check(getattr(text, name)(), getattr(plain, name)())
    for name in ("lstrip", "strip", "rstrip", "removeprefix", "removesuffix"):
        check(getattr(text, name)(other), getattr(plain, name)(second))
    for name in ("split", "rsplit", "splitlines"):
        check(getattr(text, name)(), getattr(plain, name)())
    check(text.split(None, number), plain.split(None, number))
    check(text.rsplit(None, number), plain.rsplit(None, number))
    check(text.splitlines(True), plain.splitlines(True))
    check(text.replace("a", other), plain.replace("a", second))
    check(text.replace("", "-"), plain.replace("", "-"))
    check(other.join([text, text]), second.join([plain, plain]))
    if second:
        check(text.split(other), plain.split(second))
        check(text.rsplit(other, number), plain.rsplit(second, number))
        check(text.partition(other), plain.partition(second))
        check(text.rpartition(other), plain.rpartition(second))
        check(text.replace(other, "x", number), plain.replace(second, "x", number))


@given(text=marked_texts())
def test_characters_keep_what_they_are(text: Marked) -> None:
    def trusted(made: str) -> list[tuple[str, int]]:
        assert isinstance(made, Marked)
        assert made.trust is not None
        return list(zip(str.__iter__(made), made.trust, strict=True))

    whole = trusted(text)
    assert trusted(text[2:5]) == whole[2:5]
    assert [pair for part in text.split("a") for pair in trusted(part)] == [
        pair for pair in whole if pair[0] != "a"
    ]
    assert trusted(text.strip()) == whole[len(text) - len(text.lstrip()) :][: len(text.strip())]
    assert trusted(text.replace("a", Marked("<", b"\0"))) == [
        ("<", 0) if pair[0] == "a" else pair for pair in whole
    ]
