"""Components of tokenizers as those of fretsaw, and back.

Both sides write a component as the same JSON. What is asked of a component object before a call is
only whether it still is what it was, and that is cheap.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import tokenizers

from fretsaw.spec import Spec, WordLevel

__all__ = ["Part", "as_spec", "check", "component_of_original"]

_OPTIONS_OF_MODELS = (
    *("dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk"),
    *("byte_fallback", "ignore_merges", "max_input_chars_per_word", "alpha", "nbest_size"),
)
_SMALL = {"type": "WordLevel", "vocab": {"": 0}, "unk_token": ""}


class Part:
    """A component object that somebody may hold and change in place, and what it was."""

    def __init__(self, role: str, component: Any, assigned: bool) -> None:
        self.role = role
        self.assigned = assigned
        self._component = component
        self._state = _state(role, component)
        self._is_held = True

    def hand_out(self) -> Any:
        """The object, for somebody who may change it."""
        self._is_held = True
        return self._component

    def was_changed(self) -> bool:
        """Whether the object is another one than at the last call."""
        if not self._is_held:
            return False
        # One reference is this object's and one that of the call; if there is no other, this is the
        # last look. The parts of a sequence are shared by objects of their own.
        is_sequence = type(self._component).__name__ == "Sequence"
        self._is_held = is_sequence or sys.getrefcount(self._component) > 2
        before, self._state = self._state, _state(self.role, self._component)
        return before != self._state


def _state(role: str, component: Any) -> object:
    """What is another value after a change in place; the table of a `Precompiled` has none."""
    if role == "model":
        return tuple(getattr(component, option, None) for option in _OPTIONS_OF_MODELS)
    kind = type(component).__name__
    if kind == "Precompiled":
        return kind
    if kind == "Sequence" and role in ("normalizer", "pre_tokenizer"):
        return [_state(role, part) for part in component]
    return component.__getstate__()


def check(role: str, component: Any) -> None:
    """Raises the `TypeError` that assigning it to a `tokenizers.Tokenizer` raises."""
    model = tokenizers.models.WordLevel({"": 0}, unk_token="")
    setattr(tokenizers.Tokenizer(model), role, component)


def as_spec(role: str, component: Any) -> Any:
    """The object of `fretsaw.spec`. Raises an error for a component written in Python."""
    if component is None:
        return None
    written = component.__getstate__().decode()
    document = f'{{"model": {json.dumps(_SMALL)}, "{role}": {written}}}'
    return getattr(Spec.from_json(document), role)


def component_of_original(role: str, component: Any) -> Any:
    """The object of tokenizers for one of `fretsaw.spec`."""
    if component is None:
        return None
    small: dict[str, Any] = {role: component}
    written = Spec(WordLevel({"": 0}, ""), **small).to_json()
    return getattr(tokenizers.Tokenizer.from_str(written), role)
