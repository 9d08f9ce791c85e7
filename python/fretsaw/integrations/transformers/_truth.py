"""`Truth`: one tokenizer that is now of fretsaw, now of tokenizers, and the components of both.

A tokenizer that a class of transformers makes starts as one of tokenizers, gets its components there,
and becomes one of fretsaw at the first call that encodes or decodes. What fretsaw can't do goes back:
where it refuses the whole tokenizer, with one warning that names the reason.

Component objects are shared with whoever holds them, as in tokenizers: one that was handed out or
assigned is looked at before each call, for as long as somebody else holds it.
"""

from __future__ import annotations

import warnings
from typing import Any

from fretsaw import Tokenizer

from ._components import Part, as_spec, check, component_of_original
from ._exact import as_fretsaw, as_original

__all__ = ["Truth"]

_warned: set[str] = set()
"""Reasons that were named."""


class Truth:
    """A tokenizer of one library or the other, as whoever asks needs it."""

    def __init__(self, truth: Any) -> None:
        self._truth = truth
        self._refused = False
        self._was_named = False
        self._parts: dict[str, Part] = {}

    def _serving(self) -> Any:
        """What answers: a tokenizer of fretsaw, unless that refused."""
        truth = self._current()
        if self._refused or isinstance(truth, Tokenizer):
            return truth
        try:
            made = as_fretsaw(truth)
        except Exception as error:  # tokenizers itself raises Exception.
            self._refuse(error)
            return truth
        self._truth = made
        return made

    def _refuse(self, error: Exception) -> None:
        """Stays with tokenizers until a component is exchanged; says so once."""
        self._refused = True
        reason = str(error)
        if not self._was_named and reason not in _warned:
            self._was_named = True
            _warned.add(reason)
            message = f"a tokenizer runs on tokenizers, since fretsaw can't: {reason}"
            warnings.warn(message, RuntimeWarning, stacklevel=2)

    def _current(self) -> Any:
        """The tokenizer, whichever it is."""
        for part in list(self._parts.values()):
            if part.was_changed():
                self._take_over(part.role, part.hand_out())
        return self._truth

    def _original(self) -> Any:
        """A tokenizer of tokenizers: this one, or one that is equal to it now."""
        truth = self._current()
        if not isinstance(truth, Tokenizer):
            return truth
        return as_original(truth)

    def _become_original(self) -> Any:
        """The same, to be changed: from now on it is this tokenizer."""
        self._truth = self._original()
        self._refused = False
        return self._truth

    def _component(self, role: str) -> Any:
        truth = self._current()
        if role in self._parts:
            return self._parts[role].hand_out()
        if not isinstance(truth, Tokenizer):
            component = getattr(truth, role)
        elif role == "model":
            component = self._original().model
        else:
            component = component_of_original(role, getattr(truth, role))
        self._watch(role, component, assigned=False)
        return component

    def _assign(self, role: str, component: Any) -> None:
        if role != "model":
            check(role, component)
        self._current()
        self._parts.pop(role, None)
        self._take_over(role, component)
        self._watch(role, component, assigned=True)

    def _take_over(self, role: str, component: Any) -> None:
        if isinstance(self._truth, Tokenizer):
            try:
                if role != "model":
                    setattr(self._truth, role, as_spec(role, component))
                    return
            except Exception:  # One that fretsaw can't do; the next call that needs it will say so.
                self._parts.pop(role, None)
            self._truth = as_original(self._truth)
        self._refused = False
        setattr(self._truth, role, component)

    def _watch(self, role: str, component: Any, assigned: bool) -> None:
        # A refused tokenizer shares its components itself; so does one that nobody can write down.
        if component is None or self._refused:
            return
        try:
            self._parts[role] = Part(role, component, assigned)
        except Exception:
            return

    def forget_parts(self) -> None:
        """Says that nobody holds a component that was handed out."""
        self._current()
        self._parts = {role: part for role, part in self._parts.items() if part.assigned}

    @property
    def normalizer(self) -> Any:
        """The normalizer, as an object of tokenizers, or `None`. Can be set, like the others."""
        return self._component("normalizer")

    @normalizer.setter
    def normalizer(self, component: Any) -> None:
        self._assign("normalizer", component)

    @property
    def pre_tokenizer(self) -> Any:
        """The pre-tokenizer, or `None`."""
        return self._component("pre_tokenizer")

    @pre_tokenizer.setter
    def pre_tokenizer(self, component: Any) -> None:
        self._assign("pre_tokenizer", component)

    @property
    def post_processor(self) -> Any:
        """The post-processor, or `None`."""
        return self._component("post_processor")

    @post_processor.setter
    def post_processor(self, component: Any) -> None:
        self._assign("post_processor", component)

    @property
    def decoder(self) -> Any:
        """The decoder, or `None`."""
        return self._component("decoder")

    @decoder.setter
    def decoder(self, component: Any) -> None:
        self._assign("decoder", component)

    @property
    def model(self) -> Any:
        """The model, read into tokenizers when first asked for."""
        return self._component("model")

    @model.setter
    def model(self, component: Any) -> None:
        self._assign("model", component)
