"""Jinja2's sandbox with what transformers 5.24.0 adds, in which text of the template stays apart.

Constants of the template are trusted `Marked` strings, what comes from messages is not. Literal text
between expressions is all that may be a plain `str`; any other one that comes out has lost track.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

import jinja2
import jinja2.ext
from jinja2.compiler import CodeGenerator, Frame
from jinja2.filters import make_attrgetter
from jinja2.nodes import CallBlock, Concat, Const, EvalContext, Node
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from ._errors import EncodeError
from ._marked import Marked, joined, marked

__all__ = ["ChatEnvironment"]


class _Generator(CodeGenerator):
    """Writes constants and `~` so that they keep track."""

    def visit_Const(self, node: Const, frame: Frame) -> None:
        """A string of the template is trusted."""
        value = node.as_const(frame.eval_ctx)
        if isinstance(value, str):
            self.write(f"environment.literal({str.__str__(value)!r})")
        else:
            super().visit_Const(node, frame)

    def visit_Concat(self, node: Concat, frame: Frame) -> None:
        """What `~` joins."""
        self.write("environment.tilde((")
        for argument in node.nodes:
            self.visit(argument, frame)
            self.write(", ")
        self.write("))")


class _Generation(jinja2.ext.Extension):
    """`{% generation %}`, which changes nothing in the text."""

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Parser) -> Node:
        """The block as a call."""
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return CallBlock(self.call_method("_text"), [], [], body).set_lineno(line)

    def _text(self, caller: Callable[[], str]) -> str:
        return caller()


class _Namespace(Namespace):
    """A namespace without attributes that begin with an underscore."""

    def __init__(*args: Any, **kwargs: Any) -> None:
        for name in dict(*args[1:], **kwargs):
            _check_name(name)
        Namespace.__init__(args[0], *args[1:], **kwargs)

    def __setitem__(self, name: str, value: Any) -> None:
        _check_name(name)
        Namespace.__setitem__(self, name, value)


def _check_name(name: str) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise jinja2.exceptions.SecurityError(f"a namespace can't have the attribute {name!r}")


class _Dict:
    """`dict` and `dict.fromkeys`, and nothing else of the type."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(*args, **kwargs)

    def fromkeys(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        """As `dict.fromkeys`."""
        return dict.fromkeys(*args, **kwargs)


class ChatEnvironment(ImmutableSandboxedEnvironment):
    """The environment of chat templates; with `trusts_lost`, text that has lost track is trusted."""

    code_generator_class = _Generator

    def __init__(self, trusts_lost: bool = False) -> None:
        extensions = [_Generation, jinja2.ext.loopcontrols]
        super().__init__(
            trim_blocks=True, lstrip_blocks=True, extensions=extensions, finalize=self.settled
        )
        self.trusts_lost = trusts_lost
        self.concat = self._concat  # type: ignore[method-assign]
        for name, function in self.filters.items():
            self.filters[name] = _following(function)
        self.filters["tojson"] = _to_json
        self.filters["join"] = self._join
        self.globals["raise_exception"] = _raise
        self.globals["strftime_now"] = _time
        self.globals["dict"] = _Dict()
        self.globals["namespace"] = _Namespace

    def literal(self, text: str) -> Marked:
        """A constant of the template."""
        return Marked(text, b"\1" * len(text))

    def settled(self, value: Any) -> str:
        """What an expression puts into the text."""
        if not isinstance(value, str):
            return Marked(str(value), bytes(len(str(value))))
        known = isinstance(value, Marked) and value.trust is not None
        if known or not value:
            return value
        if not self.trusts_lost:
            raise EncodeError(
                "the chat template mixes its own text with that of messages, or changes it, so that "
                f"they can't be told apart any more, in {str.__str__(value)[:60]!r}; change the "
                "template, or pass trust_template_output=True to trust all of it"
            )
        return self.literal(value)

    def tilde(self, values: Iterable[Any]) -> str:
        """Values joined by `~`."""
        return joined([self._as_text(value) for value in values])

    def _as_text(self, value: Any) -> str:
        return value if isinstance(value, str) else marked(str(value))

    def _concat(self, parts: Iterable[Any]) -> str:
        """Joins what a block gave: a plain string is literal text between expressions."""
        return joined([self.literal(part) if type(part) is str else part for part in parts])

    def _join(self, value: Iterable[Any], d: str = "", attribute: str | int | None = None) -> str:
        if attribute is not None:
            value = map(make_attrgetter(self, attribute), value)
        return joined([self._as_text(item) for item in value], d)


def _following(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter whose text is of the kind of its arguments."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        made = function(*args, **kwargs)
        if type(made) is not str:
            return made
        own = (jinja2.Environment, EvalContext, jinja2.runtime.Context)
        return marked(made, [arg for arg in args if not isinstance(arg, own)], kwargs)

    return call


def _to_json(
    x: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: Any = None,
    sort_keys: bool = False,
) -> str:
    """JSON without escapes of HTML, unlike Jinja's own filter; all of it counts as untrusted."""
    text = json.dumps(
        x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )
    return Marked(text, bytes(len(text)))


def _raise(message: str) -> None:
    raise jinja2.exceptions.TemplateError(message)


def _time(format: str) -> str:
    return marked(datetime.now().strftime(format), format)
