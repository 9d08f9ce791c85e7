"""Which added tokens may match, and where: the answer to text that forges control tokens.

`special` chooses by name: "all", "none", or a set of contents that may match. "error" lets none
match unnoticed: an added token in the text is an error. `trusted` chooses by place: half-open spans
(start, end) in characters; an added token matches only if it lies wholly inside one of them. Both
are asked while the search runs, so what may not match can't hide what may. With "error" the places
outside every trusted span are the ones that raise; without `trusted` that is everywhere.

Cost: O(spans) for each place where an added token's content stands.
Source: fretsaw's own rule; Hugging Face tokenizers has "all" only, tiktoken has no spans.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

Special = str | Collection[str]
Spans = Sequence[tuple[int, int]] | None


class MatchPolicy:
    """The rule of one `encode` call.

    >>> policy = MatchPolicy({"<end>"}, trusted=[(0, 6)], text_chars=20)
    >>> policy.allows("<end>", 1), policy.allows("<end>", 2), policy.allows("<start>", 0)
    (True, False, False)
    """

    def __init__(
        self, special: Special = "all", trusted: Spans = None, text_chars: int = 0
    ) -> None:
        """Raises ValueError for an unknown word and for a span that is not inside the text."""
        if isinstance(special, str) and special not in ("all", "none", "error"):
            raise ValueError(f'special={special!r}: give "all", "none", "error" or a set of tokens')
        for start, end in trusted or ():
            if not 0 <= start <= end <= text_chars:
                raise ValueError(
                    f"trusted span ({start}, {end}) does not fit a text of {text_chars} characters;"
                    " spans are half-open and in characters"
                )
        self._special = special
        self._trusted = trusted
        self._limits = trusted is not None and (0, text_chars) not in trusted

    @property
    def masks_model(self) -> bool:
        """Whether the model, too, must not give a control id: for "none", and where not all is trusted."""
        return self._special == "none" or self._limits

    def allows(self, content: str, start: int) -> bool:
        """Tell whether the search may take the token that stands at character `start`."""
        if self._special == "none":
            return False
        if self._special == "error":
            return True
        if not isinstance(self._special, str) and content not in self._special:
            return False
        return self._trusted is None or self._in_a_span(content, start)

    def check(self, content: str, start: int) -> None:
        """Raise ValueError for a match that "error" forbids."""
        if self._special == "error" and not self._in_a_span(content, start):
            raise ValueError(
                f"the text contains the added token {content!r} at character {start}; pass"
                ' special="none" to encode it as plain text or special="all" to allow it'
            )

    def _in_a_span(self, content: str, start: int) -> bool:
        end = start + len(content)
        return any(first <= start and end <= last for first, last in self._trusted or ())
