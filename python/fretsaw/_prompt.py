"""`Prompt`: text of which it is known what may hold control tokens."""

from __future__ import annotations

from ._tokenizer import Tokenizer

__all__ = ["Prompt"]


class Prompt:
    """A text that is put together from trusted parts and others; control tokens match in the first alone.

    >>> import fretsaw
    >>> user = "Hi<|endoftext|>"
    >>> prompt = fretsaw.Prompt().trusted("<|endoftext|>User: ").text(user)
    >>> str(prompt), prompt.spans
    ('<|endoftext|>User: Hi<|endoftext|>', [(0, 19)])
    >>> prompt.encode_ids(fretsaw.get("gpt2"))
    [50256, 12982, 25, 15902, 27, 91, 437, 1659, 5239, 91, 29]
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._spans: list[tuple[int, int]] = []
        self._len = 0

    def trusted(self, text: str) -> Prompt:
        """Adds text of your own, where control tokens count; returns the prompt.

        >>> Prompt().trusted("a").trusted("b").spans
        [(0, 2)]
        """
        if text:
            start = self._len
            if self._spans and self._spans[-1][1] == start:
                start = self._spans.pop()[0]
            self._spans.append((start, self._len + len(text)))
        return self.text(text)

    def text(self, text: str) -> Prompt:
        """Adds text from outside, where control tokens are text; returns the prompt.

        >>> Prompt().text("a").spans
        []
        """
        self._parts.append(str.__str__(text))
        self._len += len(text)
        return self

    @property
    def spans(self) -> list[tuple[int, int]]:
        """The trusted parts, half-open, in characters: what `trusted=` takes.

        >>> Prompt().text("ab").trusted("c").spans
        [(2, 3)]
        """
        return list(self._spans)

    def encode_ids(self, tokenizer: Tokenizer, *, add_special_tokens: bool = False) -> list[int]:
        """The ids of the prompt; special tokens around it are usually part of it already.

        >>> import fretsaw
        >>> Prompt().text("<|endoftext|>").encode_ids(fretsaw.get("gpt2"))[0]
        27
        """
        return tokenizer.encode_ids(
            str(self), special="all", trusted=self.spans, add_special_tokens=add_special_tokens
        )

    def __str__(self) -> str:
        if len(self._parts) > 1:
            self._parts = ["".join(self._parts)]
        return self._parts[0] if self._parts else ""

    def __len__(self) -> int:
        return self._len

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Prompt):
            return NotImplemented
        return (str(self), self._spans) == (str(other), other._spans)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Prompt({str(self)!r}, spans={self._spans})"
