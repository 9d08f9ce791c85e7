"""A whole tokenizer.json."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from ._component import Component, read_fields, short, write_fields
from ._faults import Fault, not_among, wrong_type
from ._fields import elements
from ._json_text import parsed, written
from ._json_tree import read_component, write_component
from .added_token import AddedToken
from .models import Unigram
from .roles import CLASSES, Decoder, Model, Normalizer, PostProcessor, PreTokenizer, check_role
from .settings import Padding, Truncation

__all__ = ["Spec", "component_from_json", "component_to_json"]

FIELDS = [
    "version",
    "truncation",
    "padding",
    "added_tokens",
    "normalizer",
    "pre_tokenizer",
    "post_processor",
    "decoder",
    "model",
]


@dataclass(frozen=True, repr=False)
class Spec:
    """A whole tokenizer as data: what a tokenizer.json says.

    >>> from fretsaw.spec import BPE, Lowercase, Spec
    >>> spec = Spec(BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]), normalizer=Lowercase())
    >>> Spec.from_json(spec.to_json()) == spec
    True
    >>> spec.normalizer, spec.pre_tokenizer
    (Lowercase(), None)
    """

    model: Model
    normalizer: Normalizer | None = None
    pre_tokenizer: PreTokenizer | None = None
    post_processor: PostProcessor | None = None
    decoder: Decoder | None = None
    added_tokens: Sequence[AddedToken] = ()
    truncation: Truncation | None = None
    padding: Padding | None = None

    def __post_init__(self) -> None:
        for role in CLASSES:
            if role == "model" or getattr(self, role) is not None:
                check_role(getattr(self, role), role, role)
        try:
            tokens = elements(self.added_tokens, "a list of AddedToken")
        except Fault as fault:
            raise fault.under("added_tokens").in_python() from None
        for place, token in enumerate(tokens):
            check_class(token, AddedToken, f"added_tokens[{place}]")
        object.__setattr__(self, "added_tokens", tokens)
        if self.truncation is not None:
            check_class(self.truncation, Truncation, "truncation")
        if self.padding is not None:
            check_class(self.padding, Padding, "padding")

    def __repr__(self) -> str:
        """The fields that are there, with long collections as their number of entries."""
        values = ((name, getattr(self, name)) for name in self.__dataclass_fields__)
        shown = [f"{name}={short(value)}" for name, value in values if value not in (None, ())]
        return f"Spec({', '.join(shown)})"

    def to_json(self) -> str:
        """The content of a tokenizer.json.

        >>> from fretsaw.spec import Spec, WordLevel
        >>> Spec(WordLevel({"<unk>": 0})).to_json().partition('"model":')[2]
        '{"type":"WordLevel","vocab":{"<unk>":0},"unk_token":"<unk>"}}'
        """
        parts = {role: getattr(self, role) for role in CLASSES}
        tree: dict[str, object] = {
            "version": "1.0",
            "truncation": self.truncation and write_fields(self.truncation),
            "padding": self.padding and write_fields(self.padding),
            "added_tokens": written_tokens(self.added_tokens, self.model),
        }
        tree |= {role: part and write_component(part, role) for role, part in parts.items()}
        return written(tree)

    @classmethod
    def from_json(cls, text: str) -> "Spec":
        """Reads the content of a tokenizer.json, in older spellings too.

        Raises `SpecError` (a `ValueError`) with the JSON path and the value that is wrong.

        >>> from fretsaw.spec import Spec
        >>> Spec.from_json('{"model": {"type": "GPT"}}')  # doctest: +IGNORE_EXCEPTION_DETAIL
        Traceback (most recent call last):
        fretsaw.UnsupportedError: "GPT" is not one of BPE, WordPiece, WordLevel, Unigram (at `model.type`)
        """
        try:
            return read_document(parsed(text))
        except Fault as fault:
            raise fault.in_json() from None


def component_to_json(value: object, role: str) -> str:
    """A component, or None, as the JSON that a tokenizer.json has in this role.

    >>> from fretsaw.spec import Sequence, NFC
    >>> component_to_json(Sequence([NFC()]), "normalizer")
    '{"type":"Sequence","normalizers":[{"type":"NFC"}]}'
    """
    if value is None and role != "model":
        return "null"
    check_role(value, role, role)
    return written(write_component(cast(Component, value), role))


def component_from_json(text: str, role: str) -> Component | None:
    """The component of such a JSON, or None for `null`.

    >>> component_from_json('{"type":"NFC"}', "normalizer")
    NFC()
    """
    try:
        tree = parsed(text)
        if tree is None and role != "model":
            return None
        return read(tree, role)
    except Fault as fault:
        raise fault.in_json() from None


def check_class(value: object, of: type, path: str) -> None:
    """Raises `TypeError` for what is not of the class."""
    if not isinstance(value, of):
        raise TypeError(f"{path}: expected {of.__name__}, found {type(value).__name__}")


def written_tokens(tokens: Sequence[AddedToken], model: Model) -> list[dict[str, object]]:
    """Added tokens, each with its own id or the one that it gets when the file is read."""
    if isinstance(model, Unigram):
        ids = {token: place for place, (token, _) in enumerate(model.vocab)}
    else:
        ids = dict(model.vocab)
    free = len(model.vocab)
    rows = []
    for token in tokens:
        id = ids.get(token.content)
        if id is None:
            id = free
            if token.content:
                ids[token.content] = id
                free += 1
        if token.id is not None:
            id = token.id
        rows.append({"id": id} | {k: v for k, v in write_fields(token).items() if k != "id"})
    return rows


def read(tree: object, role: str) -> Component:
    """A component. Raises `Fault` where it, or what is in it, can't be read."""
    try:
        return read_component(tree, role)
    except RecursionError:
        raise Fault("nested too deeply") from None


def read_document(tree: object) -> Spec:
    """A whole document."""
    if not isinstance(tree, dict):
        raise wrong_type(tree, "an object")
    for name in tree:
        if name not in FIELDS:
            raise Fault(f"{name!r} is no field of this format", kind="unknown", path=f".{name}")
    if tree.get("version", "1.0") != "1.0":
        raise not_among(tree["version"], 'a known version; only "1.0" exists').under(".version")
    if "model" not in tree:
        raise Fault("`model` is missing")
    found: dict[str, Any] = {}
    for name, value in tree.items():
        try:
            if name == "added_tokens":
                found[name] = read_tokens(value)
            elif name == "model" or (name in CLASSES and value is not None):
                found[name] = read(value, name)
            elif name == "truncation" and value is not None:
                found[name] = read_fields(Truncation, value)
            elif name == "padding" and value is not None:
                found[name] = read_fields(Padding, value)
        except Fault as fault:
            raise fault.under(f".{name}") from None
    return Spec(**found)


def read_tokens(json: object) -> list[AddedToken]:
    """The added tokens of a document."""
    tokens = []
    for place, token in enumerate(elements(json, "a list")):
        try:
            tokens.append(read_fields(AddedToken, token))
        except Fault as fault:
            raise fault.under(f"[{place}]") from None
    return tokens
