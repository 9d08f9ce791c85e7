"""Stream decoding: ids in, one at a time; text out, never half a character.

A token's bytes need not end where a character does. The decoder keeps the bytes of a character that
has begun and may still complete (at most 3) and gives out everything before it. A byte that can no
longer complete anything becomes U+FFFD at once, so a stream never waits in vain. Joined, the chunks
and what `finish` returns are `decode(ids)`.

Cost: O(bytes of the token) a push.
Source: the property, not an upstream: Hugging Face's `DecodeStream` decodes a window of ids again.
"""

from __future__ import annotations

from .tokenizer import Tokenizer
from .utf8 import decode_prefix, decode_with_replacement


class StreamDecoder:
    """Turns the ids of one text into chunks of text.

    GPT-2 cuts U+1F600 in two, 47249 = f0 9f 98 and 222 = 80; a file with those two tokens gives an
    empty chunk and then the character:

    >>> from fretsaw.reference import Tokenizer
    >>> vocab = {"ðŁĺ": 47249, "Ģ": 222}
    >>> stream = StreamDecoder(Tokenizer(vocab, merges=[]))
    >>> stream.push(47249), stream.pending, stream.push(222), stream.finish()
    ('', b'\\xf0\\x9f\\x98', '😀', '')
    """

    def __init__(self, tokenizer: Tokenizer, skip_special_tokens: bool = True) -> None:
        self._tokenizer = tokenizer
        self._skip_special_tokens = skip_special_tokens
        self._pending = b""

    @property
    def pending(self) -> bytes:
        """The 0 to 3 bytes of a character that has begun and is not complete."""
        return self._pending

    def push(self, token_id: int) -> str:
        """Take one id and return the text that it decides, possibly none.

        Ids that no token has are passed over, as in `Tokenizer.decode`.
        """
        data = self._pending + self._tokenizer.decode_bytes([token_id], self._skip_special_tokens)
        text, used = decode_prefix(data)
        self._pending = data[used:]
        return text

    def finish(self) -> str:
        """End the text: return U+FFFD if a character was left incomplete, else nothing.

        Afterwards the decoder is as new.
        """
        rest, self._pending = self._pending, b""
        return decode_with_replacement(rest)
