"""Takes the place of tiktoken 0.14.0: `from fretsaw.integrations import tiktoken`.

Names, defaults, results and errors are those of tiktoken; nothing is downloaded. Only encodings
that come with fretsaw have a name here; for others use `Encoding`, or `fretsaw.Tokenizer.from_file`.
Where special tokens overlap so that one is the beginning of another, the longest matches, while in
tiktoken the order of a hash table decides.

>>> enc = get_encoding("cl100k_base")
>>> enc.encode("hello world"), enc.decode([15339, 1917])
([15339, 1917], 'hello world')
"""

from __future__ import annotations

import functools
import itertools
import threading
from collections.abc import Collection, Iterable
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Literal

from fretsaw import EncodeError, Tokenizer, get

from ._tiktoken_decoding import Decoding, check_threads
from ._tiktoken_models import ENCODINGS, encoding_name_for_model
from ._tiktoken_special import after_last, pair_surrogates, refuse
from ._tiktoken_unstable import completions, last_piece, unstable_ids

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "Encoding",
    "encoding_for_model",
    "encoding_name_for_model",
    "get_encoding",
    "list_encoding_names",
]

_Allowed = Literal["all"] | AbstractSet[str]
_Disallowed = Literal["all"] | Collection[str]
_NONE: frozenset[str] = frozenset()


class Encoding(Decoding):
    """An encoding, as tiktoken's class of this name.

    `mergeable_ranks` maps the bytes of tokens to their ids, which rank merges too; `pat_str` splits
    text; `special_tokens` maps strings to ids. Where `explicit_n_vocab` is given, an
    `AssertionError` says that there is another number of tokens.

    >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256}
    >>> enc = Encoding("x", pat_str=".+", mergeable_ranks=ranks, special_tokens={"<e>": 257})
    >>> enc.encode("abba<e>", allowed_special={"<e>"})
    [256, 98, 97, 257]
    """

    def __init__(
        self,
        name: str,
        *,
        pat_str: str,
        mergeable_ranks: dict[bytes, int],
        special_tokens: dict[str, int],
        explicit_n_vocab: int | None = None,
    ) -> None:
        self.name = name
        self._made_from = mergeable_ranks, pat_str, special_tokens
        if explicit_n_vocab:
            assert len(mergeable_ranks) + len(special_tokens) == explicit_n_vocab
            assert self.max_token_value == explicit_n_vocab - 1
        self._tokenizer = Tokenizer._from_ranks(mergeable_ranks, pat_str, special_tokens)

    @classmethod
    def _built_in(cls, name: str) -> Encoding:
        made = cls.__new__(cls)
        made.name = name
        # fretsaw's own `gpt2` behaves as Hugging Face's.
        made._tokenizer = get("r50k_base" if name == "gpt2" else name)
        return made

    @functools.cached_property
    def _made_from(self) -> tuple[dict[bytes, int], str, dict[str, int]]:
        """Ranks, pattern and special tokens; for a built-in encoding made when asked for."""
        made_from = self._tokenizer._to_ranks()
        assert made_from is not None
        return made_from[:3]

    @property
    def _mergeable_ranks(self) -> dict[bytes, int]:
        return self._made_from[0]

    @property
    def _pat_str(self) -> str:
        return self._made_from[1]

    @property
    def _special_tokens(self) -> dict[str, int]:
        return self._made_from[2]

    @functools.cached_property
    def max_token_value(self) -> int:
        """The largest id."""
        ids = self._special_tokens.values()
        return max(max(self._mergeable_ranks.values()), max(ids, default=0))

    def __repr__(self) -> str:
        return f"<Encoding {self.name!r}>"

    def encode_ordinary(self, text: str) -> list[int]:
        """The ids of a text; special tokens in it are text like any other.

        >>> get_encoding("r50k_base").encode_ordinary("hello world")
        [31373, 995]
        """
        return self._encode(text, _NONE)

    def encode(
        self,
        text: str,
        *,
        allowed_special: _Allowed = _NONE,
        disallowed_special: _Disallowed = "all",
    ) -> list[int]:
        """The ids of a text.

        A special token in the text is a `ValueError` unless `allowed_special` names it, or
        `disallowed_special` does not (`()`: none); it is then text like any other.

        >>> enc = get_encoding("r50k_base")
        >>> enc.encode("<|endoftext|>", allowed_special="all")
        [50256]
        >>> enc.encode("<|endoftext|>", disallowed_special=())
        [27, 91, 437, 1659, 5239, 91, 29]
        """
        if not allowed_special and disallowed_special == "all":
            try:
                return self._tokenizer.encode_ids(text, special="error")
            except EncodeError:
                pass  # What is wrong with it is found out below.
        allowed, disallowed = self._policy(allowed_special, disallowed_special)
        refuse(text, disallowed)
        return self._encode(text, allowed)

    def encode_to_numpy(
        self,
        text: str,
        *,
        allowed_special: _Allowed = _NONE,
        disallowed_special: _Disallowed = "all",
    ) -> npt.NDArray[np.uint32]:
        """As `encode`, into an array; an unpaired surrogate is a `UnicodeEncodeError`."""
        allowed, disallowed = self._policy(allowed_special, disallowed_special)
        refuse(text, disallowed)
        text.encode()
        ids, _ = self._tokenizer.encode_batch_flat([text], special=self._special(allowed))
        return ids

    def encode_ordinary_batch(
        self, text: Iterable[str], *, num_threads: int = 8
    ) -> list[list[int]]:
        """`encode_ordinary` of many texts."""
        texts = list(text)
        return self._encode_batch(texts, _NONE, num_threads) or [
            self.encode_ordinary(text) for text in texts
        ]

    def encode_batch(
        self,
        text: Iterable[str],
        *,
        num_threads: int = 8,
        allowed_special: _Allowed = _NONE,
        disallowed_special: _Disallowed = "all",
    ) -> list[list[int]]:
        """`encode` of many texts."""
        allowed, disallowed = self._policy(allowed_special, disallowed_special)
        texts = list(text)
        for one in texts:
            refuse(one, disallowed)
        return self._encode_batch(texts, allowed, num_threads) or [
            self._encode(one, allowed) for one in texts
        ]

    def encode_with_unstable(
        self,
        text: str,
        *,
        allowed_special: _Allowed = _NONE,
        disallowed_special: _Disallowed = "all",
    ) -> tuple[list[int], list[list[int]]]:
        """The ids that more text can't change, and each sequence of ids that may come next.

        A sequence covers the rest of the text, and perhaps more. Slow, and not sorted.

        >>> stable, completions = get_encoding("r50k_base").encode_with_unstable("hello fanta")
        >>> stable, [277, 4910] in completions
        ([31373], True)
        """
        allowed, disallowed = self._policy(allowed_special, disallowed_special)
        refuse(text, disallowed)
        text.encode()
        ids = self._encode(text, allowed)
        tokens = self.decode_tokens_bytes(ids)
        rest = after_last(text, allowed & self.special_tokens_set)
        count = unstable_ids(tokens, last_piece(self._tokenizer, rest))
        if count == 0:
            return ids, []
        unstable = b"".join(tokens[-count:])
        found = completions(
            unstable,
            self._mergeable_ranks,
            self._sorted,
            self.encode_ordinary,
            self._tokenizer.token_bytes,
        )
        return ids[:-count], found

    def encode_single_token(self, text_or_bytes: str | bytes) -> int:
        """The id of a token, special or not. Raises `KeyError` if there is none.

        >>> get_encoding("r50k_base").encode_single_token("hello")
        31373
        """
        token = text_or_bytes.encode() if isinstance(text_or_bytes, str) else text_or_bytes
        id = self._mergeable_ranks.get(token)
        if id is None:
            id = self._special_tokens.get(token.decode(errors="surrogateescape"))
        if id is None:
            raise KeyError(token)
        return id

    def token_byte_values(self) -> list[bytes]:
        """The bytes of all tokens that are not special, sorted."""
        return list(self._sorted)

    @property
    def eot_token(self) -> int:
        """The id of `<|endoftext|>`. Raises `KeyError` if there is none."""
        return self._special_tokens["<|endoftext|>"]

    @functools.cached_property
    def special_tokens_set(self) -> set[str]:
        """The special tokens."""
        return set(self._special_tokens)

    def is_special_token(self, token: int) -> bool:
        """Whether a special token has the id."""
        assert isinstance(token, int)
        return token in self._special_ids

    @functools.cached_property
    def _special_ids(self) -> frozenset[int]:
        return frozenset(self._special_tokens.values())

    @property
    def n_vocab(self) -> int:
        """One more than `max_token_value`."""
        return self.max_token_value + 1

    def __getstate__(self) -> object:
        if self is _made.get(self.name):
            return self.name
        return {
            "name": self.name,
            "pat_str": self._pat_str,
            "mergeable_ranks": self._mergeable_ranks,
            "special_tokens": self._special_tokens,
        }

    def __setstate__(self, value: object) -> None:
        if isinstance(value, str):
            self.__dict__ = get_encoding(value).__dict__
        elif isinstance(value, dict):
            self.__init__(**value)  # type: ignore[misc]

    @functools.cached_property
    def _sorted(self) -> list[bytes]:
        return sorted(self._mergeable_ranks)

    def _policy(
        self, allowed: _Allowed, disallowed: _Disallowed
    ) -> tuple[AbstractSet[str], frozenset[str]]:
        if allowed == "all":
            allowed = self.special_tokens_set
        if disallowed == "all":
            disallowed = self.special_tokens_set - allowed
        return allowed, frozenset(disallowed)

    def _special(self, allowed: AbstractSet[str]) -> Literal["all", "none"] | AbstractSet[str]:
        known = allowed & self.special_tokens_set
        if not known:
            return "none"
        return "all" if len(known) == len(self._special_tokens) else known

    def _encode(self, text: str, allowed: AbstractSet[str]) -> list[int]:
        special = self._special(allowed)
        try:
            return self._tokenizer.encode_ids(text, special=special)
        except EncodeError:
            paired = pair_surrogates(text)
            if paired == text:
                raise
        return self._tokenizer.encode_ids(paired, special=special)

    def _encode_batch(
        self, texts: list[str], allowed: AbstractSet[str], num_threads: int
    ) -> list[list[int]] | None:
        """The ids of each text; nothing where one of them has to be looked at."""
        check_threads(num_threads)
        try:
            ids, row_offsets = self._tokenizer.encode_batch_flat(
                texts, special=self._special(allowed), threads=num_threads
            )
        except EncodeError:
            return None
        flat, ends = ids.tolist(), row_offsets.tolist()
        return [flat[start:end] for start, end in itertools.pairwise(ends)]


def _known_as(name: str) -> str:
    return "r50k_base" if name == "gpt2" else name


_made: dict[str, Encoding] = {}
_lock = threading.RLock()


def get_encoding(encoding_name: str) -> Encoding:
    """The encoding of this name, made once. Raises `ValueError` for a name that is not known.

    >>> get_encoding("o200k_base")
    <Encoding 'o200k_base'>
    """
    if not isinstance(encoding_name, str):
        raise ValueError(f"Expected a string in get_encoding, got {type(encoding_name)}")
    with _lock:
        if encoding_name not in _made:
            if encoding_name not in list_encoding_names():
                known = ", ".join(list_encoding_names())
                raise ValueError(f"Unknown encoding {encoding_name}.\nKnown encodings: {known}")
            _made[encoding_name] = Encoding._built_in(encoding_name)
        return _made[encoding_name]


def encoding_for_model(model_name: str) -> Encoding:
    """The encoding that a model uses. Raises `KeyError` for a model that is not known.

    >>> encoding_for_model("gpt-4o")
    <Encoding 'o200k_base'>
    """
    return get_encoding(encoding_name_for_model(model_name))


def list_encoding_names() -> list[str]:
    """The names that `get_encoding` takes.

    >>> list_encoding_names()[:3]
    ['gpt2', 'r50k_base', 'p50k_base']
    """
    return list(ENCODINGS)
