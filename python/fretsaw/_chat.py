"""`Tokenizer.render_chat`: messages through a chat template, with what came from them kept apart."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from ._marked import Marked
from ._prompt import Prompt

__all__ = ["read", "render"]

_TOKENS = (
    "bos_token",
    "eos_token",
    "unk_token",
    "sep_token",
    "pad_token",
    "cls_token",
    "mask_token",
)
_ROLE = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_RUN = re.compile(rb"\x01+|\x00+")
_REASONING = ("reasoning_content", "thinking", "reasoning")


def read(folder: str) -> str | None:
    """The chat template of a tokenizer's folder and the special tokens that it may name, as JSON.

    `chat_template.jinja` goes before `chat_template` of `tokenizer_config.json`. `None` without either.
    """
    place = Path(folder)
    try:
        config = json.loads((place / "tokenizer_config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        config = {}
    if not isinstance(config, dict):
        config = {}
    template = config.get("chat_template")
    jinja = place / "chat_template.jinja"
    if jinja.is_file():
        with suppress(OSError):
            template = jinja.read_text(encoding="utf-8")
    if isinstance(template, list):
        named = [item for item in template if isinstance(item, dict)]
        template = {item.get("name"): item.get("template") for item in named}
    if not isinstance(template, (str, dict)):
        return None
    tokens = {name: config[name] for name in _TOKENS if name in config}
    contents = {
        name: token.get("content") if isinstance(token, dict) else token
        for name, token in tokens.items()
    }
    texts = {name: token for name, token in contents.items() if isinstance(token, str)}
    return json.dumps({"template": template, "tokens": texts})


def render(
    chats: tuple[str | None, tuple[str, list[tuple[str, str]]] | None],
    messages: Sequence[Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]] | None,
    documents: Sequence[Mapping[str, Any]] | None,
    add_generation_prompt: bool,
    chat_template: str | None,
    trust_template_output: bool,
    variables: dict[str, Any],
) -> Prompt:
    """The prompt that a template makes of messages: that of the folder, or else of the file itself."""
    of_folder, of_file = chats
    known: dict[str, Any] = {"template": None, "tokens": {}}
    if of_folder is not None:
        known = json.loads(of_folder)
    elif of_file is not None:
        known = {"template": of_file[0], "tokens": dict(of_file[1])}
    source = _chosen(known["template"], chat_template, tools)
    text = _compiled(source, trust_template_output).render(
        **{name: _trusted(token) for name, token in known["tokens"].items()},
        **{name: _kept(name, value) for name, value in variables.items()},
        messages=[_message(message) for message in messages],
        tools=_untrusted(tools),
        documents=_untrusted(documents),
        add_generation_prompt=add_generation_prompt,
    )
    prompt = Prompt()
    trust = text.trust if isinstance(text, Marked) else None
    for run in _RUN.finditer(trust or b""):
        part = str.__getitem__(text, slice(*run.span()))
        prompt = prompt.trusted(part) if run[0][0] else prompt.text(part)
    return prompt


@lru_cache(maxsize=64)
def _compiled(source: str, trusts_lost: bool) -> Any:
    try:
        from ._chat_environment import ChatEnvironment
    except ModuleNotFoundError as error:
        if error.name != "jinja2":
            raise
        message = "render_chat needs Jinja2: pip install 'fretsaw[chat]'"
        raise ImportError(message) from error
    return ChatEnvironment(trusts_lost).from_string(source)


def _chosen(known: Any, asked: str | None, tools: Any) -> str:
    """The source of the template: the one asked for, by name or as it is, or the tokenizer's own."""
    if isinstance(known, dict):
        if asked is None:
            asked = "tool_use" if tools is not None and "tool_use" in known else "default"
            if asked not in known:
                raise ValueError(f"chat_template must be one of {sorted(known)}, got None")
        return str(known.get(asked, asked))
    if asked is None and known is None:
        raise ValueError("the tokenizer has no chat template; pass chat_template=")
    return str(asked if asked is not None else known)


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    """A message as templates see it: without fields that are `None`; a plain role is trusted."""
    if not isinstance(message, Mapping):
        raise TypeError(f"messages must be mappings, got {type(message).__name__}")
    fields = {name: value for name, value in message.items() if value is not None}
    reasoning = next((fields[name] for name in _REASONING if name in fields), None)
    if reasoning is not None:
        fields = {"thinking": reasoning, **fields, "reasoning_content": reasoning}
    made: dict[str, Any] = _untrusted(fields)
    role = fields.get("role")
    if isinstance(role, str) and _ROLE.fullmatch(role):
        made["role"] = _trusted(role)
    return made


def _kept(name: str, value: Any) -> Any:
    """A variable of the caller: special tokens are trusted."""
    return _trusted(value) if name in _TOKENS and isinstance(value, str) else _untrusted(value)


def _trusted(text: str) -> Marked:
    return Marked(str.__str__(text), b"\1" * len(text))


def _untrusted(value: Any) -> Any:
    """A value made of plain JSON, with untrusted strings; anything else by the name of its type."""
    if isinstance(value, str):
        return Marked(str.__str__(value), bytes(len(value)))
    if value is None or isinstance(value, bool):
        return value
    for kind in (int, float):
        if isinstance(value, kind):
            return kind(value)
    if isinstance(value, Mapping):
        return {_untrusted(key): _untrusted(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_untrusted(item) for item in value)
    return _untrusted(f"<{type(value).__name__}>")
