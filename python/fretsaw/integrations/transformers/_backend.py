"""`Backend`: what a `tokenizers.Tokenizer` offers, on top of a `fretsaw.Tokenizer`.

Names, arguments and results are those of tokenizers. A call that fretsaw answers with an error is made
again on a tokenizer of tokenizers, so that the error, or the answer, is the usual one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tokenizers import AddedToken
from tokenizers import Tokenizer as Original

from fretsaw import FretsawError, Tokenizer

from ._truth import Truth

__all__ = ["Backend"]

_ERRORS = (FretsawError, AttributeError, TypeError, ValueError, OverflowError)


class Backend(Truth):
    """A tokenizer with the interface of `tokenizers.Tokenizer`.

    >>> from tokenizers import Tokenizer, models
    >>> backend = Backend(Tokenizer(models.WordLevel({"a": 0}, unk_token="a")))
    >>> backend.encode("a").ids, backend.decode([0])
    ([0], 'a')
    """

    @classmethod
    def from_file(cls, path: str) -> Backend:
        """Reads a tokenizer.json."""
        try:
            with open(path, "rb") as file:
                content = file.read()
        except OSError:
            return cls(Original.from_file(path))
        return cls._read(content, lambda: Original.from_file(path))

    @classmethod
    def from_buffer(cls, buffer: bytes) -> Backend:
        """Reads the content of a tokenizer.json."""
        return cls._read(buffer, lambda: Original.from_buffer(buffer))

    @classmethod
    def from_str(cls, json: str) -> Backend:
        """Reads the content of a tokenizer.json, for a start into tokenizers: what transformers makes
        of a string is most often something to train.
        """
        return cls(Original.from_str(json))

    @classmethod
    def from_pretrained(
        cls, identifier: str, revision: str = "main", token: str | None = None
    ) -> Backend:
        """Fetches a tokenizer.json."""
        return cls(Original.from_pretrained(identifier, revision, token))

    @classmethod
    def _read(cls, content: bytes, original: Callable[[], Any]) -> Backend:
        # What is no object is another format to fretsaw, and an error to tokenizers.
        if content.lstrip(b" \t\r\n")[:1] != b"{":
            return cls(original())
        try:
            return cls(Tokenizer.from_str(content))
        except ValueError as error:
            made = cls(original())
            made._refuse(error)
            return made

    # Ids and text.

    def encode(
        self,
        sequence: Any,
        pair: Any = None,
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
    ) -> Any:
        """The encoding of a text, or of a pair."""
        try:
            return self._serving().encode(sequence, pair, is_pretokenized, add_special_tokens)
        except _ERRORS as error:
            arguments = (sequence, pair, is_pretokenized, add_special_tokens)
            return self._again(error, "encode", *arguments)

    def encode_batch(
        self, input: Any, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> Any:
        """The encodings of many texts or pairs, a list."""
        try:
            return self._serving().encode_batch(input, is_pretokenized, add_special_tokens)
        except _ERRORS as error:
            return self._again(error, "encode_batch", input, is_pretokenized, add_special_tokens)

    def encode_one(self, text: str, pair: str | None, add_special_tokens: bool) -> Any:
        """`encode_batch` of one text or pair."""
        try:
            return [self._serving().encode(text, pair, False, add_special_tokens)]
        except _ERRORS:
            item = text if pair is None else (text, pair)
            return self.encode_batch([item], False, add_special_tokens)

    def encode_batch_fast(
        self, input: Any, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> Any:
        """The encodings of many texts or pairs, of which tokenizers leaves the offsets out."""
        try:
            return self._serving().encode_batch_fast(input, is_pretokenized, add_special_tokens)
        except _ERRORS as error:
            arguments = (input, is_pretokenized, add_special_tokens)
            return self._again(error, "encode_batch_fast", *arguments)

    def decode(self, ids: Any, skip_special_tokens: bool = True) -> Any:
        """The text of ids."""
        try:
            return self._serving().decode(ids, skip_special_tokens=skip_special_tokens)
        except _ERRORS as error:
            return self._again(error, "decode", ids, skip_special_tokens)

    def decode_batch(self, sequences: Any, skip_special_tokens: bool = True) -> Any:
        """The texts of many lists of ids, a list."""
        try:
            serving = self._serving()
            return serving.decode_batch(sequences, skip_special_tokens=skip_special_tokens)
        except _ERRORS as error:
            return self._again(error, "decode_batch", sequences, skip_special_tokens)

    def post_process(self, encoding: Any, pair: Any = None, add_special_tokens: bool = True) -> Any:
        """Cuts encodings, puts special tokens around them and fills them up."""
        try:
            return self._serving().post_process(encoding, pair, add_special_tokens)
        except _ERRORS as error:
            return self._again(error, "post_process", encoding, pair, add_special_tokens)

    def _again(self, error: Exception, method: str, *arguments: Any) -> Any:
        """The same call of tokenizers. Where that panics, the error stays."""
        try:
            return getattr(self._original(), method)(*arguments)
        except BaseException as other:
            if type(other).__name__ == "PanicException":
                raise error from None
            raise other from None

    def async_encode(self, *args: Any, **kwargs: Any) -> Any:
        """`encode`, to be awaited."""
        return self._serving().async_encode(*args, **kwargs)

    def async_encode_batch(self, *args: Any, **kwargs: Any) -> Any:
        """`encode_batch`, to be awaited."""
        return self._serving().async_encode_batch(*args, **kwargs)

    def async_encode_batch_fast(self, *args: Any, **kwargs: Any) -> Any:
        """`encode_batch_fast`, to be awaited."""
        return self._serving().async_encode_batch_fast(*args, **kwargs)

    def async_decode_batch(self, sequences: Any, skip_special_tokens: bool = True) -> Any:
        """`decode_batch`, to be awaited."""
        serving = self._serving()
        return serving.async_decode_batch(sequences, skip_special_tokens=skip_special_tokens)

    # The vocabulary.

    def token_to_id(self, token: str) -> Any:
        """The id of a token, or `None`."""
        return self._current().token_to_id(token)

    def id_to_token(self, id: int) -> Any:
        """The token of an id, or `None`."""
        return self._current().id_to_token(id)

    def get_vocab(self, with_added_tokens: bool = True) -> Any:
        """Tokens and their ids."""
        return self._current().get_vocab(with_added_tokens)

    def get_vocab_size(self, with_added_tokens: bool = True) -> Any:
        """How many tokens there are."""
        return self._current().get_vocab_size(with_added_tokens)

    def get_added_tokens_decoder(self) -> dict[int, AddedToken]:
        """The added tokens by id."""
        tokens = self._current().get_added_tokens_decoder()
        return {id: _added_token(token) for id, token in tokens.items()}

    def add_tokens(self, tokens: Any) -> Any:
        """Adds tokens; returns how many are new."""
        try:
            return self._current().add_tokens(tokens)
        except _ERRORS:
            return self._become_original().add_tokens(tokens)

    def add_special_tokens(self, tokens: Any) -> Any:
        """Adds special tokens; returns how many are new. Objects among them become special, too."""
        for token in tokens:
            if isinstance(token, AddedToken):
                token.special = True
        try:
            return self._current().add_special_tokens(tokens)
        except _ERRORS:
            return self._become_original().add_special_tokens(tokens)

    def num_special_tokens_to_add(self, is_pair: bool) -> Any:
        """How many special tokens a text gets, or a pair."""
        return self._serving().num_special_tokens_to_add(is_pair)

    # Settings.

    @property
    def truncation(self) -> Any:
        """The arguments of `enable_truncation`, or `None`."""
        return self._truth.truncation

    def enable_truncation(self, max_length: int, **kwargs: Any) -> None:
        """Cuts encodings."""
        try:
            self._truth.enable_truncation(max_length, **kwargs)
        except _ERRORS:
            self._become_original().enable_truncation(max_length, **kwargs)

    def no_truncation(self) -> None:
        """Does not."""
        self._truth.no_truncation()

    @property
    def padding(self) -> Any:
        """The arguments of `enable_padding`, or `None`."""
        return self._truth.padding

    def enable_padding(self, **kwargs: Any) -> None:
        """Fills encodings up."""
        try:
            self._truth.enable_padding(**kwargs)
        except _ERRORS:
            self._become_original().enable_padding(**kwargs)

    def no_padding(self) -> None:
        """Does not."""
        self._truth.no_padding()

    @property
    def encode_special_tokens(self) -> Any:
        """Whether special tokens in a text are text."""
        return self._truth.encode_special_tokens

    @encode_special_tokens.setter
    def encode_special_tokens(self, value: bool) -> None:
        self._truth.encode_special_tokens = value

    # Training, saving, copies.

    def train(self, files: Any, trainer: Any = None) -> None:
        """Trains the model, by tokenizers."""
        self._parts.pop("model", None)
        self._become_original().train(files, trainer)

    def train_from_iterator(self, iterator: Any, trainer: Any = None, length: Any = None) -> None:
        """Trains the model, by tokenizers."""
        self._parts.pop("model", None)
        self._become_original().train_from_iterator(iterator, trainer, length)

    def to_str(self, pretty: bool = False) -> str:
        """The content of a tokenizer.json."""
        if pretty or self.model_kind() == "Unigram":
            # As tokenizers spells scores.
            return str(self._original().to_str(pretty))
        return str(self._current().to_str())

    def save(self, path: str, pretty: bool = True) -> None:
        """Writes a tokenizer.json."""
        self._original().save(path, pretty)

    def model_kind(self) -> str:
        """The name of the model's class."""
        truth = self._current()
        if not isinstance(truth, Tokenizer):
            return type(truth.model).__name__
        # The model comes last, and first its type.
        written = truth.to_str()
        return written.rpartition('"model":{"type":"')[2].partition('"')[0]

    def __getstate__(self) -> bytes:
        return self.to_str().encode()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.__getstate__())

    def __copy__(self) -> Backend:
        return _restored(type(self), self.__getstate__())

    def __deepcopy__(self, memo: object) -> Backend:
        return self.__copy__()

    def __repr__(self) -> str:
        return repr(self._original())

    def __str__(self) -> str:
        return str(self._original())


def _restored(kind: type[Backend], state: bytes) -> Backend:
    return kind._read(state, lambda: Original.from_buffer(state))


def _added_token(token: Any) -> AddedToken:
    """As an object of tokenizers, whichever it is."""
    if isinstance(token, AddedToken):
        return token
    return AddedToken(
        token.content,
        single_word=token.single_word,
        lstrip=token.lstrip,
        rstrip=token.rstrip,
        normalized=token.normalized,
        special=token.special,
    )
