"""What fretsaw and sentencepiece make of a text, side by side."""

from __future__ import annotations

from typing import Any

import sentencepiece

import fretsaw


class Both:
    """A model in both libraries."""

    def __init__(self, content: bytes) -> None:
        self.ours = fretsaw.Tokenizer.from_str(content)
        self.theirs = sentencepiece.SentencePieceProcessor(model_proto=content)

    def same(self, text: str) -> None:
        """Ids, pieces, offsets and decoded text are equal."""
        found: dict[str, Any] = self.theirs.encode(text, out_type="offset_mapping")
        encoding = self.ours.encode(text)
        assert encoding.ids == found["ids"] == self.theirs.encode(text), text[:80]
        assert encoding.tokens == found["pieces"], text[:80]
        assert encoding.offsets == found["offsets"], text[:80]
        self.same_decoded(encoding.ids)

    def same_ids(self, text: str) -> None:
        """Ids and decoded text are equal."""
        ids = self.theirs.encode(text)
        assert self.ours.encode_ids(text) == ids, text[:80]
        self.same_decoded(ids)

    def same_decoded(self, ids: list[int]) -> None:
        """The text of ids is equal, at once and in a stream."""
        text = self.theirs.decode(ids)
        assert self.ours.decode(ids) == text
        stream = self.ours.stream()
        assert "".join([stream.push(id) for id in ids]) + stream.finish() == text
