"""From ids to bytes and text, with the results and errors of tiktoken 0.14.0."""

from collections.abc import Iterable, Sequence

from fretsaw import DecodeError, Tokenizer

__all__ = ["Decoding", "check_threads"]


def check_threads(num_threads: int) -> None:
    """Raises `ValueError` for no threads. Beyond that decoding is too fast to be shared out."""
    if num_threads <= 0:
        raise ValueError("max_workers must be greater than 0")


def _continues(byte: int) -> bool:
    """Whether a byte of UTF-8 is not the first of its character."""
    return 0x80 <= byte < 0xC0


class Decoding:
    """The half of `Encoding` that decodes."""

    _tokenizer: Tokenizer

    def decode_bytes(self, tokens: Sequence[int]) -> bytes:
        """The bytes of ids. Raises `KeyError` if no token has one of them.

        >>> from fretsaw.integrations.tiktoken import get_encoding
        >>> enc = get_encoding("r50k_base")
        >>> enc.decode_bytes([31373, 995])
        b'hello world'
        """
        try:
            return self._tokenizer.decode_bytes(tokens, skip_special_tokens=False)
        except DecodeError:
            pass
        for token in tokens:
            try:
                self._tokenizer.token_bytes(token)
            except DecodeError:
                raise KeyError(f"Invalid token for decoding: {token}") from None
        raise AssertionError("some id is unknown")

    def decode(self, tokens: Sequence[int], errors: str = "replace") -> str:
        """The text of ids; `errors` says what becomes of bytes that are not UTF-8.

        >>> from fretsaw.integrations.tiktoken import get_encoding
        >>> enc = get_encoding("r50k_base")
        >>> enc.decode([31373, 995])
        'hello world'
        """
        return self.decode_bytes(tokens).decode("utf-8", errors=errors)

    def decode_single_token_bytes(self, token: int) -> bytes:
        """The bytes of an id, special or not. Raises `KeyError` if no token has it.

        >>> from fretsaw.integrations.tiktoken import get_encoding
        >>> enc = get_encoding("r50k_base")
        >>> enc.decode_single_token_bytes(31373)
        b'hello'
        """
        try:
            return self._tokenizer.token_bytes(token)
        except DecodeError:
            raise KeyError(str(token)) from None

    def decode_tokens_bytes(self, tokens: Sequence[int]) -> list[bytes]:
        """The bytes of each id.

        >>> from fretsaw.integrations.tiktoken import get_encoding
        >>> enc = get_encoding("r50k_base")
        >>> enc.decode_tokens_bytes([31373, 995])
        [b'hello', b' world']
        """
        return [self.decode_single_token_bytes(token) for token in tokens]

    def decode_with_offsets(self, tokens: Sequence[int]) -> tuple[str, list[int]]:
        """The text of ids and, in characters, where each one starts.

        An id that starts inside a character starts where that does. Raises `UnicodeDecodeError`
        where the bytes are not UTF-8.

        >>> from fretsaw.integrations.tiktoken import get_encoding
        >>> enc = get_encoding("r50k_base")
        >>> enc.decode_with_offsets([31373, 995])
        ('hello world', [0, 5])
        """
        parts = self.decode_tokens_bytes(tokens)
        chars = 0
        offsets = []
        for part in parts:
            offsets.append(max(0, chars - _continues(part[0])))
            chars += sum(not _continues(byte) for byte in part)
        return b"".join(parts).decode("utf-8", errors="strict"), offsets

    def decode_batch(
        self, batch: Iterable[Sequence[int]], *, errors: str = "replace", num_threads: int = 8
    ) -> list[str]:
        """`decode` of many lists of ids."""
        check_threads(num_threads)
        return [self.decode(tokens, errors=errors) for tokens in batch]

    def decode_bytes_batch(
        self, batch: Iterable[Sequence[int]], *, num_threads: int = 8
    ) -> list[bytes]:
        """`decode_bytes` of many lists of ids."""
        check_threads(num_threads)
        return [self.decode_bytes(tokens) for tokens in batch]
