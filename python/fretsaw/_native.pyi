"""The compiled side of fretsaw (crates/fretsaw-python); use it through `fretsaw`.

Ids are ints from 0 to 2**32 - 1. Positions in text count characters (code points), never bytes,
unless a name ends in `_bytes`. Behaviour is that of the library of the file's format: Hugging Face
`tokenizers` 0.23.3 for tokenizer.json and for vocab.json with merges.txt.
"""

import os
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, final, overload

import numpy as np
import numpy.typing as npt

from . import spec
from ._checkpoint import Checkpoint
from ._prompt import Prompt
from .spec import AddedToken
from .trainers import Trainer

__version__: str

def cache_bytes() -> tuple[int, int]:
    """The budget of all piece caches of this process, and what they hold now, in bytes."""

def set_cache_limit(limit_bytes: int) -> None:
    """Sets that budget; raises `OverflowError` for what is no number of bytes."""

_Words = list[str] | tuple[str, ...] | npt.NDArray[Any]
"""Words that were cut before: a list, a tuple or an array of `str`."""

_Ids = Sequence[int] | npt.NDArray[np.integer[Any]]
"""Ids: any sequence of ints, or an array of whole numbers, which is read at once."""

_Item = str | _Words | tuple[str, str] | tuple[_Words, _Words] | list[list[str]]
"""What a batch holds: a text, words, or two of either."""

@final
class PaddedBatch:
    """Many texts as NumPy matrices of the shape (texts, length): `encode_batch_flat(padding=True)`.

    `len(batch)` is the number of texts.

    >>> import fretsaw
    >>> tok = fretsaw.get("gpt2")
    >>> tok.enable_padding(pad_id=50256)
    >>> tok.encode_batch_flat(["Hello world", "é"], padding=True)
    PaddedBatch(shape=(2, 2))
    """

    @property
    def ids(self) -> npt.NDArray[np.uint32]:
        """The ids of each text, filled up.

        >>> import fretsaw
        >>> tok = fretsaw.get("gpt2")
        >>> tok.enable_padding(pad_id=50256)
        >>> tok.encode_batch_flat(["Hello world", "é"], padding=True).ids.tolist()
        [[15496, 995], [2634, 50256]]
        """

    @property
    def attention_mask(self) -> npt.NDArray[np.uint8]:
        """0 where a row is filled up, else 1.

        >>> import fretsaw
        >>> tok = fretsaw.get("gpt2")
        >>> tok.enable_padding(pad_id=50256)
        >>> tok.encode_batch_flat(["Hello world", "é"], padding=True).attention_mask.tolist()
        [[1, 1], [1, 0]]
        """

    @property
    def type_ids(self) -> npt.NDArray[np.uint32]:
        """The type of each token, as the post-processor says.

        >>> import fretsaw
        >>> tok = fretsaw.get("gpt2")
        >>> tok.enable_padding(pad_id=50256)
        >>> batch = tok.encode_batch_flat(["Hello world", "é"], padding=True)
        >>> batch.type_ids.tolist()
        [[0, 0], [0, 0]]
        """

    @property
    def special_tokens_mask(self) -> npt.NDArray[np.uint8]:
        """1 for each token that the post-processor or padding added, else 0.

        >>> import fretsaw
        >>> tok = fretsaw.get("gpt2")
        >>> tok.enable_padding(pad_id=50256)
        >>> batch = tok.encode_batch_flat(["Hello world", "é"], padding=True)
        >>> batch.special_tokens_mask.tolist()
        [[0, 0], [0, 1]]
        """

    def __len__(self) -> int: ...

@final
class Encoding:
    """The ids of a text or of a pair, and where in the text each comes from.

    Every list has one item for each id and is a new one on each use. What is not asked for is not
    worked out; the first use of anything but `ids` and `tokens` encodes the text once more, so that
    the text is kept alive. Where it stands is counted in characters of the text as it was given.
    `len(encoding)` is the number of ids. Two encodings are equal when all of this is, what overflows
    included. Can be pickled; `Encoding()` is empty. Safe to use from any thread.

    >>> import fretsaw
    >>> enc = fretsaw.get("gpt2").encode("Hello tokenizers")
    >>> enc.ids, enc.tokens
    ([15496, 11241, 11341], ['Hello', 'Ġtoken', 'izers'])
    >>> enc.offsets, enc.word_ids
    ([(0, 5), (5, 11), (11, 16)], [0, 1, 1])
    """

    @property
    def ids(self) -> list[int]:
        """The ids.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").encode("Hello world").ids
        [15496, 995]
        """

    @property
    def tokens(self) -> list[str]:
        """The token string of each id.

        As the vocabulary spells them: byte-level vocabularies write a space as `Ġ`. An added token
        is the text that it matched, what a Unigram model does not know the text itself.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").encode("é!").tokens
        ['Ã©', '!']
        """

    @property
    def offsets(self) -> list[tuple[int, int]]:
        """Where each token stands: half-open, in characters of its text, or of its word where words
        were given. (0, 0) for special tokens and padding.

        Tokens that share a character have the same offsets. `docs/exactness.md` has what is
        surprising about those of the file's own library.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").encode("🙂 a").offsets
        [(0, 1), (0, 1), (1, 3)]
        """

    @property
    def word_ids(self) -> list[int | None]:
        """Which word of its sequence each token is of; `None` for special tokens and padding.

        Words are the pieces of the pre-tokenizer and the added tokens, numbered from 0, or those that
        were given.

        >>> import fretsaw
        >>> tok = fretsaw.get("gpt2")
        >>> tok.encode("Hello tokenizers").word_ids
        [0, 1, 1]
        >>> tok.encode(["Hello tokenizers"], is_pretokenized=True).word_ids
        [0, 0, 0]
        """

    @property
    def words(self) -> list[int | None]:
        """The same as `word_ids`, by an older name.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").encode("Hello tokenizers").words
        [0, 1, 1]
        """

    @property
    def sequence_ids(self) -> list[int | None]:
        """Which sequence each token is of: 0, or 1 for the second of a pair; `None` for special
        tokens and padding.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").encode("Hello", " world").sequence_ids
        [0, 1]
        """

    @property
    def type_ids(self) -> list[int]:
        """The type of each token, as the post-processor says; those of padding are `pad_type_id`.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").encode("Hello", " world").type_ids
        [0, 1]
        """

    @property
    def special_tokens_mask(self) -> list[int]:
        """1 for each token that the post-processor or padding added, else 0.

        A special token that stood in the text has 0.

        >>> import copy, fretsaw
        >>> from fretsaw.spec import BertProcessing
        >>> tok = copy.copy(fretsaw.get("gpt2"))
        >>> tok.post_processor = BertProcessing(sep=("B", 33), cls=("A", 32))
        >>> tok.encode("Hello<|endoftext|>").special_tokens_mask
        [1, 0, 0, 1]
        """

    @property
    def attention_mask(self) -> list[int]:
        """0 for each token that padding added, else 1.

        >>> import copy, fretsaw
        >>> tok = copy.copy(fretsaw.get("gpt2"))
        >>> tok.enable_padding(length=3, direction="left")
        >>> tok.encode("Hello").attention_mask
        [0, 0, 1]
        """

    @property
    def overflowing(self) -> list[Encoding]:
        """What truncation cut off, in encodings of at most its length, special tokens included.

        Of a pair of which both overflow there is one for every pair of theirs.

        >>> import copy, fretsaw
        >>> tok = copy.copy(fretsaw.get("gpt2"))
        >>> tok.enable_truncation(2)
        >>> enc = tok.encode("one two three four five")
        >>> enc.ids, [part.ids for part in enc.overflowing]
        ([505, 734], [[1115, 1440], [1936]])
        """

    @property
    def n_sequences(self) -> int:
        """How many sequences there are, 1 at least.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").encode("Hello", " world").n_sequences
        2
        """

    def char_to_token(self, char_pos: int, sequence_index: int = 0) -> int | None:
        """The first token that covers a character of a sequence, or `None`.

        With words as input the position is one in a word, and the first word counts that has it.

        >>> import fretsaw
        >>> enc = fretsaw.get("gpt2").encode("Hello tokenizers")
        >>> enc.char_to_token(12), enc.char_to_token(16)
        (2, None)
        """

    def char_to_word(self, char_pos: int, sequence_index: int = 0) -> int | None:
        """The word of the first token that covers a character of a sequence, or `None`.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").encode("Hello tokenizers").char_to_word(12)
        1
        """

    def token_to_chars(self, token_index: int) -> tuple[int, int] | None:
        """The offsets of a token, or `None` if it is of no sequence.

        >>> import fretsaw
        >>> enc = fretsaw.get("gpt2").encode("Hello tokenizers")
        >>> enc.token_to_chars(1), enc.token_to_chars(3)
        ((5, 11), None)
        """

    def token_to_word(self, token_index: int) -> int | None:
        """The word of a token, or `None` if it is of none.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").encode("Hello tokenizers").token_to_word(2)
        1
        """

    def token_to_sequence(self, token_index: int) -> int | None:
        """The sequence of a token, or `None` if it is of none.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").encode("Hello", " world").token_to_sequence(1)
        1
        """

    def word_to_tokens(self, word_index: int, sequence_index: int = 0) -> tuple[int, int] | None:
        """The tokens of a word, from the first to behind the last, or `None`.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").encode("Hello tokenizers").word_to_tokens(1)
        (1, 3)
        """

    def word_to_chars(self, word_index: int, sequence_index: int = 0) -> tuple[int, int] | None:
        """The characters of a word: half-open, from its first token's start to its last one's end.

        `None` if there is no such word.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").encode("Hello tokenizers").word_to_chars(1)
        (5, 16)
        """

    def set_sequence_id(self, sequence_id: int) -> None:
        """Says that all tokens are of a sequence.

        >>> import fretsaw
        >>> enc = fretsaw.get("gpt2").encode("Hello")
        >>> enc.set_sequence_id(1)
        >>> enc.char_to_token(0, 1), enc.sequence_ids
        (0, [1])
        """

    def pad(
        self,
        length: int,
        direction: str = "right",
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",
    ) -> None:
        """Fills up to `length` tokens on one side, "right" or "left"; what overflows too.

        Nothing happens where there are as many. Raises `ValueError` for another side.

        >>> import fretsaw
        >>> enc = fretsaw.get("gpt2").encode("Hello world")
        >>> enc.pad(4, pad_id=50256, pad_token="<|endoftext|>")
        >>> enc.ids, enc.attention_mask
        ([15496, 995, 50256, 50256], [1, 1, 0, 0])
        """

    def truncate(self, max_length: int, stride: int = 0, direction: str = "right") -> None:
        """Cuts to `max_length` tokens; `overflowing` then has the rest in parts of that length.

        Each part repeats `stride` tokens of the one before. `direction` is the side that is cut. What
        overflowed before is lost, and which sequence a token is of. Raises `ValueError` where
        something is to be cut and `stride` is not less than `max_length`.

        >>> import fretsaw
        >>> enc = fretsaw.get("gpt2").encode("one two three four five")
        >>> enc.truncate(3, stride=1)
        >>> enc.ids, [part.ids for part in enc.overflowing]
        ([505, 734, 1115], [[1115, 1440, 1936]])
        """

    @staticmethod
    def merge(encodings: Sequence[Encoding], growing_offsets: bool = True) -> Encoding:
        """Joins encodings; with `growing_offsets` the offsets of each go on where the last one ends.

        >>> import fretsaw
        >>> tok = fretsaw.get("gpt2")
        >>> enc = fretsaw.Encoding.merge([tok.encode("Hello"), tok.encode(" world")])
        >>> enc.ids, enc.offsets
        ([15496, 995], [(0, 5), (5, 11)])
        """

    def __init__(self) -> None: ...
    def __len__(self) -> int:
        """The number of ids."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    __hash__: None  # type: ignore[assignment]
    @classmethod
    def _restore(cls, state: tuple[Any, ...]) -> Encoding:
        """For pickles."""

@final
class Stream:
    """Decodes ids one at a time; made by `Tokenizer.stream`.

    Text is given out as soon as it is settled and never taken back: the chunks and what `finish`
    returns, joined, equal `decode` of the prompt's ids and all others, cut behind the prompt's text,
    up to a stop and without markers. Held back is what the decoder can't settle yet (three bytes of an
    unfinished character with byte-level vocabularies) and what a stop or a marker may begin with,
    nothing more. Safe to use from several threads, one call at a time.

    >>> import fretsaw
    >>> stream = fretsaw.get("gpt2").stream(stop=["\\nUser:"])
    >>> stream.push(47249), stream.push(222), stream.finish()
    ('', '😀', '')
    """

    def push(self, id: int) -> str:
        """Takes one id and returns the text that it settles, which may be empty.

        Behind a stop that is nothing. An id that no token has gives nothing, or a `DecodeError` where
        the format's own library refuses it.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").stream().push(15496)
        'Hello'
        """

    def push_many(self, ids: _Ids) -> str:
        """Takes ids, one after the other, and returns the text that they settle.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").stream(stop=["wor"]).push_many([15496, 995])
        'Hello '
        """

    def finish(self) -> str:
        """Ends the text and returns the rest: U+FFFD where a character stayed unfinished.

        A stream that did not stop then starts from nothing again, without the prompt.

        >>> import fretsaw
        >>> stream = fretsaw.get("gpt2").stream()
        >>> stream.push(47249), stream.finish()
        ('', '\\ufffd')
        """

    @property
    def stopped(self) -> str | int | None:
        """The stop string or the id that ended the stream, or `None`.

        The match that ends first counts, and of those the one that starts first; an id of `stop_ids`
        ends the text in front of it.

        >>> import fretsaw
        >>> stream = fretsaw.get("gpt2").stream(stop=["wor"], stop_ids=[50256])
        >>> stream.push_many([15496, 50256]), stream.stopped
        ('Hello', 50256)
        """

    @property
    def stopped_at(self) -> int | None:
        """How many characters of text came before what ended the stream, or `None`.

        >>> import fretsaw
        >>> stream = fretsaw.get("gpt2").stream(stop=["wor"], include_stop=True)
        >>> stream.push_many([15496, 995]), stream.stopped, stream.stopped_at
        ('Hello wor', 'wor', 6)
        """

    @property
    def events(self) -> list[tuple[str, int]]:
        """The markers so far, each with how many characters of text came before it.

        Markers are left out of the text, which goes on behind them.

        >>> import fretsaw
        >>> tok = fretsaw.get("gpt2")
        >>> stream = tok.stream(markers=["<think>", "</think>"])
        >>> stream.push_many(tok.encode_ids("<think>so</think>yes")), stream.events
        ('soyes', [('<think>', 0), ('</think>', 2)])
        """

    @property
    def pending(self) -> bytes:
        """What is held back, as UTF-8: what a stop may begin with, then what the decoder holds back.

        That is the bytes of an unfinished character, or, with decoders that hold back other things, the
        text that they are if nothing follows.

        >>> import fretsaw
        >>> stream = fretsaw.get("gpt2").stream()
        >>> stream.push(47249), stream.pending
        ('', b'\\xf0\\x9f\\x98')
        """

    def copy(self) -> Stream:
        """A stream that goes on from here on its own.

        >>> import fretsaw
        >>> stream = fretsaw.get("gpt2").stream()
        >>> stream.push(47249), stream.copy().push(222), stream.finish()
        ('', '😀', '\\ufffd')
        """

    def __copy__(self) -> Stream: ...

@final
class GrowingText:
    """A text that grows, and its ids; made by `Tokenizer.start`.

    `len(text)` is the number of ids. Safe to use from several threads; an addition while another
    thread's is under way is a `RuntimeError`.

    >>> import fretsaw
    >>> tok = fretsaw.get("gpt2")
    >>> text = tok.start("Hello wor")
    >>> text.ids, tok.extend(text, "ld!"), text.ids
    ([15496, 476], (1, [995, 0]), [15496, 995, 0])
    """

    @property
    def ids(self) -> list[int]:
        """The ids of the whole text.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").start("Hello").ids
        [15496]
        """

    def copy(self) -> GrowingText:
        """A text that grows on its own from here.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").start("Hello").copy().ids
        [15496]
        """

    def __copy__(self) -> GrowingText: ...
    def __len__(self) -> int:
        """The number of ids."""

@final
class TextIndex:
    """A text whose parts can be counted; made by `Tokenizer.index`.

    `len(index)` is the number of characters.

    >>> import fretsaw
    >>> index = fretsaw.get("gpt2").index("Hello world")
    >>> index.count(0, 5), index.count(0, 11)
    (1, 2)
    """

    def count(self, start: int, end: int) -> int:
        """How many ids the characters from `start` to `end` have, encoded on their own.

        In nearly constant time with byte-level vocabularies, else linear in the part. Raises
        `IndexError` where that is no part of the text, and `EncodeError`.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").index("Hello world").count(3, 8)
        2
        """

    def __len__(self) -> int:
        """The number of characters."""

@final
class Tokenizer:
    """A tokenizer: text to ids and back, exactly as the library of its file format does it.

    Immutable and safe to use from any thread; can be pickled. Text from outside belongs through
    `special="none"` or `trusted=`, so that it can't forge control tokens.

    >>> import fretsaw
    >>> tok = fretsaw.get("gpt2")
    >>> tok.encode("Hello world").ids
    [15496, 995]
    >>> tok.decode([15496, 995])
    'Hello world'
    """

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike[str],
        *,
        pattern: str | None = None,
        special_tokens: dict[str, int] | None = None,
        cache: bool = False,
        mmap: bool = True,
    ) -> Tokenizer:
        """Loads a tokenizer file, or a folder that holds one.

        A tokenizer.json, a tekken.json, a SentencePiece `.model`, the vocabulary in a GGUF file (of
        which only the metadata is read), a vocab.txt of BERT, the vocabularies of RWKV and CLIP, the
        pair vocab.json and merges.txt, a compiled file (see `compile`), whatever it is called and
        whether packed with gzip or not; with `pattern`, the ranks of a `.tiktoken` file. `pattern` is
        what splits the text (fancy-regex, as in tiktoken), `special_tokens` are strings and their
        ids; neither stands in a `.tiktoken` file.

        With `cache` a compiled file is kept beside the source, under its name with `.fret` at the
        end, and loaded instead as long as the source's content is what it was made from; where it
        can't be written, loading goes on after one warning. A compiled file is mapped, and must not
        be cut short meanwhile: it is only ever replaced as a whole here. `mmap=False` reads it.

        Raises `UnsupportedError`, naming JSON path and value, where the file asks for what is not
        done exactly, `SpecError` where it is broken, and `OSError` where it can't be read.

        >>> import fretsaw
        >>> fretsaw.Tokenizer.from_file("no/such/file")
        Traceback (most recent call last):
        FileNotFoundError: cannot read no/such/file: No such file or directory (os error 2)
        """

    @classmethod
    def from_pretrained(
        cls, name_or_path: str | os.PathLike[str], revision: str = "main", token: str | None = None
    ) -> Tokenizer:
        """Loads a local folder or file, or a repository of the Hugging Face hub.

        The hub is asked through the package huggingface_hub (the extra `hub`), with its cache and its
        environment variables; `HF_HUB_OFFLINE=1` does with what the cache has. Raises `ImportError`
        without that package, what it raises where the repository can't be had, and what `from_file`
        raises.

        >>> import fretsaw, pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     fretsaw.get("gpt2").save(pathlib.Path(folder, "tokenizer.json"))
        ...     tok = fretsaw.Tokenizer.from_pretrained(folder)
        >>> tok.encode("Hello world").ids
        [15496, 995]
        """

    def save_as(
        self, path: str | os.PathLike[str], format: str, *, without: Sequence[str] | None = None
    ) -> list[Path]:
        """Writes the tokenizer in another format; the paths of all files that were written.

        `format` is `"tokenizer.json"`, `"tiktoken"` (ranks alone: pattern and special tokens have no
        place there), `"vocab+merges"` (`path` is a folder then), `"vocab.txt"`, `"sentencepiece"` or
        `"fret"`. A template of chats goes beside it as `chat_template.jinja`. `without` names parts
        that are left out: `"post_processor"`, `"truncation"`, `"padding"`.

        Raises `UnsupportedError` naming the field that the format can't carry, `ValueError` for
        other names, and `OSError` where a file can't be written.

        >>> import fretsaw, os, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> paths = fretsaw.get("cl100k_base").save_as(os.path.join(folder, "x.json"), "tokenizer.json")
        >>> fretsaw.Tokenizer.from_file(paths[0]).encode("Hello world").ids
        [9906, 1917]
        >>> fretsaw.get("cl100k_base").save_as(os.path.join(folder, "vocab.txt"), "vocab.txt")
        Traceback (most recent call last):
        fretsaw.UnsupportedError: `model` is not WordPiece, which vocab.txt can't carry; write another format
        """

    def compile(self, path: str | os.PathLike[str]) -> None:
        """Writes the whole tokenizer into one file that `from_file` maps and uses in place.

        Loading it takes a millisecond or less for each 50,000 tokens. The truncation and padding set
        now go along, `encode_special_tokens` does not. The file is for machines of the same byte
        order and this version of the format; anything else is a `SpecError` when it is loaded. It is
        replaced at once, or left as it was. Raises `OSError` where it can't be written.

        >>> import fretsaw, os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "gpt2.fret")
        >>> fretsaw.get("gpt2").compile(path)
        >>> fretsaw.Tokenizer.from_file(path).encode("Hello world").ids
        [15496, 995]
        """

    @classmethod
    def _from_cache(cls, path: str | os.PathLike[str], source: bytes) -> Tokenizer | None:
        """The tokenizer in a compiled file, if this version made it of `source`."""

    def _to_cache(self, path: str | os.PathLike[str], source: bytes) -> None:
        """Writes the file that `_from_cache` reads."""

    @classmethod
    def from_str(cls, json: str | bytes) -> Tokenizer:
        """Loads the content of a file in any format but `.tiktoken`; errors as for `from_file`.

        >>> import fretsaw
        >>> fretsaw.Tokenizer.from_str("{}")
        Traceback (most recent call last):
        fretsaw.SpecError: `model` is missing (at `$`)
        """

    @classmethod
    def from_buffer(cls, buffer: bytes) -> Tokenizer:
        """Loads the content of a file; the same as `from_str`.

        >>> import fretsaw
        >>> data = fretsaw.get("byte").to_str().encode()
        >>> fretsaw.Tokenizer.from_buffer(data).encode("é").ids
        [195, 169]
        """

    def encode(
        self,
        sequence: str | _Words,
        pair: str | _Words | None = None,
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
        *,
        special: Literal["all", "none", "error"] | Collection[str] | None = None,
        trusted: Sequence[tuple[int, int]] | None = None,
        seed: int | None = None,
    ) -> Encoding:
        """Encodes a text or a pair of texts; with `is_pretokenized` words, or two lists of them.

        Each word is encoded like a text of its own. The truncation and padding set are applied, and
        `add_special_tokens` says whether the post-processor puts its tokens around the text.

        `special` says which added tokens match in the text: `"all"`, `"none"`, `"error"` (one that
        stands there is an `EncodeError`), a set of their strings (a `ValueError` if one is no added
        token), or `None` for what the file's own library does. `trusted` are half-open spans in
        characters: an added token matches only if it lies wholly inside one of them; a span outside
        the text is an `EncodeError`. It goes with a single text, else it is a `TypeError`.

        A lone surrogate in the text is an `EncodeError`, and so is a truncation that can't be done.
        What is no text, or no list, tuple or array of them where words are wanted, is a `TypeError`.

        The random choices of a model that makes any (`dropout` of BPE, `alpha` of Unigram) follow from
        `seed` and, in a batch, the text's place in it; without a seed they are others each time.

        >>> import fretsaw
        >>> tok = fretsaw.get("gpt2")
        >>> tok.encode("Hello", " world").sequence_ids
        [0, 1]
        >>> tok.encode(["Hello", "world"], is_pretokenized=True).offsets
        [(0, 5), (0, 5)]
        >>> tok.encode("<|endoftext|>").ids, tok.encode("<|endoftext|>", special="none").ids
        ([50256], [27, 91, 437, 1659, 5239, 91, 29])
        >>> tok.encode("<|endoftext|>Hi<|endoftext|>", trusted=[(0, 13)]).ids
        [50256, 17250, 27, 91, 437, 1659, 5239, 91, 29]
        """

    def encode_ids(
        self,
        text: str,
        *,
        add_special_tokens: bool = True,
        special: Literal["all", "none", "error"] | Collection[str] | None = None,
        trusted: Sequence[tuple[int, int]] | None = None,
        seed: int | None = None,
    ) -> list[int]:
        """The ids of a text, without an `Encoding`; options and errors as for `encode`.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").encode_ids("Hello world")
        [15496, 995]
        """

    def count(
        self,
        text: str,
        *,
        add_special_tokens: bool = True,
        special: Literal["all", "none", "error"] | Collection[str] | None = None,
        trusted: Sequence[tuple[int, int]] | None = None,
        seed: int | None = None,
    ) -> int:
        """How many ids a text has; options and errors as for `encode`.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").count("Hello world")
        2
        """

    def encode_batch(
        self,
        input: Sequence[_Item],
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
        *,
        special: Literal["all", "none", "error"] | Collection[str] | None = None,
        threads: int = 0,
        seed: int | None = None,
    ) -> list[Encoding]:
        """Encodes many texts, pairs of texts or both, in order, on `threads` threads.

        A pair is a tuple or list of two. With `is_pretokenized`, each item is words, or two lists of
        them. 0 threads are as many as the process may use CPUs; the result never depends on it.
        Where padding is set without a length, all are filled up to the longest. Errors as for
        `encode`, naming the index of the item.

        >>> import fretsaw
        >>> [enc.ids for enc in fretsaw.get("gpt2").encode_batch(["Hello", ("Hello", " world")])]
        [[15496], [15496, 995]]
        """

    def encode_batch_fast(
        self,
        input: Sequence[_Item],
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
        *,
        special: Literal["all", "none", "error"] | Collection[str] | None = None,
        threads: int = 0,
        seed: int | None = None,
    ) -> list[Encoding]:
        """The same as `encode_batch`, which works out only what is asked for.

        >>> import fretsaw
        >>> [enc.ids for enc in fretsaw.get("gpt2").encode_batch_fast(["Hello", " world"])]
        [[15496], [995]]
        """

    def async_encode(
        self,
        sequence: str | _Words,
        pair: str | _Words | None = None,
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
        *,
        special: Literal["all", "none", "error"] | Collection[str] | None = None,
        trusted: Sequence[tuple[int, int]] | None = None,
        seed: int | None = None,
    ) -> Coroutine[Any, Any, Encoding]:
        """`encode` on another thread, to be awaited.

        >>> import asyncio, fretsaw
        >>> asyncio.run(fretsaw.get("gpt2").async_encode("Hello world")).ids
        [15496, 995]
        """

    def async_encode_batch(
        self,
        input: Sequence[_Item],
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
        *,
        special: Literal["all", "none", "error"] | Collection[str] | None = None,
        threads: int = 0,
        seed: int | None = None,
    ) -> Coroutine[Any, Any, list[Encoding]]:
        """`encode_batch` on another thread, to be awaited.

        >>> import asyncio, fretsaw
        >>> encs = asyncio.run(fretsaw.get("gpt2").async_encode_batch(["Hello", " world"]))
        >>> [enc.ids for enc in encs]
        [[15496], [995]]
        """

    def async_encode_batch_fast(
        self,
        input: Sequence[_Item],
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
        *,
        special: Literal["all", "none", "error"] | Collection[str] | None = None,
        threads: int = 0,
        seed: int | None = None,
    ) -> Coroutine[Any, Any, list[Encoding]]:
        """The same as `async_encode_batch`.

        >>> import asyncio, fretsaw
        >>> encs = asyncio.run(fretsaw.get("gpt2").async_encode_batch_fast(["Hello", " world"]))
        >>> [enc.ids for enc in encs]
        [[15496], [995]]
        """

    def post_process(
        self, encoding: Encoding, pair: Encoding | None = None, add_special_tokens: bool = True
    ) -> Encoding:
        """Cuts one encoding or two as truncation says, puts special tokens around, fills them up.

        The two given stay as they are. Raises `EncodeError` where truncation or the post-processor
        can't be applied.

        >>> import copy, fretsaw
        >>> from fretsaw.spec import BertProcessing
        >>> tok = copy.copy(fretsaw.get("gpt2"))
        >>> tok.post_processor = BertProcessing(sep=("B", 33), cls=("A", 32))
        >>> hello = tok.encode("Hello", add_special_tokens=False)
        >>> world = tok.encode(" world", add_special_tokens=False)
        >>> tok.post_process(hello, world).ids
        [32, 15496, 33, 995, 33]
        """

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """How many special tokens truncation leaves room for, beside a text or a pair.

        >>> import copy, fretsaw
        >>> from fretsaw.spec import BertProcessing
        >>> tok = copy.copy(fretsaw.get("gpt2"))
        >>> tok.post_processor = BertProcessing(sep=("B", 33), cls=("A", 32))
        >>> tok.num_special_tokens_to_add(False), tok.num_special_tokens_to_add(True)
        (2, 3)
        """

    @overload
    def encode_batch_flat(
        self,
        texts: Sequence[str],
        *,
        add_special_tokens: bool = True,
        special: Literal["all", "none", "error"] | Collection[str] | None = None,
        threads: int = 0,
        seed: int | None = None,
        padding: Literal[False] = False,
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
        """Encodes many texts into two arrays, or with `padding` into matrices.

        The first array, of shape (ids,), holds the ids of all texts; the second, of shape
        (texts + 1,), says where each text starts among them: text `i` has the ids from
        `row_offsets[i]` up to `row_offsets[i + 1]`. With `padding` each text is a row of a
        `PaddedBatch`, filled up as `enable_padding` says; `ValueError` if that was not called, and
        `EncodeError` for a text that is longer than a fixed length. Threads and other errors as for
        `encode_batch`.

        >>> import fretsaw
        >>> tok = fretsaw.get("gpt2")
        >>> ids, row_offsets = tok.encode_batch_flat(["Hello world", "", "é"])
        >>> ids.tolist(), row_offsets.tolist()
        ([15496, 995, 2634], [0, 2, 2, 3])
        >>> tok.enable_padding(pad_id=50256, pad_token="<|endoftext|>")
        >>> batch = tok.encode_batch_flat(["Hello world", "é"], padding=True)
        >>> batch.ids.tolist(), batch.attention_mask.tolist()
        ([[15496, 995], [2634, 50256]], [[1, 1], [1, 0]])
        """

    @overload
    def encode_batch_flat(
        self,
        texts: Sequence[str],
        *,
        add_special_tokens: bool = True,
        special: Literal["all", "none", "error"] | Collection[str] | None = None,
        threads: int = 0,
        seed: int | None = None,
        padding: Literal[True],
    ) -> PaddedBatch: ...
    def encode_files(
        self,
        paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        separator: str | None = None,
        field: str = "text",
        add_special_tokens: bool = True,
        special: Literal["all", "none", "error"] | Collection[str] | None = None,
        threads: int = 0,
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
        """Encodes the documents of files into two arrays, as `encode_batch_flat` does with texts.

        A file of text is one document, or what is between `separator`s; `"\\n"` stands for lines, which
        keep their ends. `.jsonl` has a document under `field` of each line. Both may be packed as `.gz`
        or `.zst`. Memory: that of the arrays, the largest document, and 64 MiB of text with its ids.

        Raises `EncodeError` for a document that can't be encoded, `OSError`.

        >>> import tempfile, fretsaw
        >>> from pathlib import Path
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder, "a.txt")
        ...     _ = path.write_text("Hello world|Hello")
        ...     ids, row_offsets = fretsaw.get("gpt2").encode_files(path, separator="|")
        >>> ids.tolist(), row_offsets.tolist()
        ([15496, 995, 15496], [0, 2, 3])
        """

    def encode_arrow(
        self,
        array: Any,
        *,
        add_special_tokens: bool = True,
        special: Literal["all", "none", "error"] | Collection[str] | None = None,
        threads: int = 0,
    ) -> ArrowLists | ArrowListStream:
        """Encodes an Arrow array of text into lists of `uint32`; a stream of arrays into such a stream.

        `array` is anything with Arrow's PyCapsule interface whose type is string, large_string,
        string_view, binary, a dictionary of these, one column of them or null: of pyarrow, Polars,
        DuckDB, pandas ... What comes back has that interface too, for any of them. Nulls stay null.
        Nothing is done in Python row by row.

        Raises `TypeError` for what is no text, `EncodeError` for one that can't be encoded.

        >>> import fretsaw
        >>> import polars as pl
        >>> lists = fretsaw.get("gpt2").encode_arrow(pl.Series(["Hello world", None]))
        >>> pl.Series(lists).to_list()
        [[15496, 995], None]
        """

    def encode_batch_ids(
        self,
        texts: Sequence[str],
        *,
        add_special_tokens: bool = True,
        special: Literal["all", "none", "error"] | Collection[str] | None = None,
        threads: int = 0,
        seed: int | None = None,
    ) -> list[list[int]]:
        """The ids of many texts as lists, without `Encoding` objects.

        The quickest way to lists of `int`; threads and errors as for `encode_batch`.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").encode_batch_ids(["Hello world", "", "é"])
        [[15496, 995], [], [2634]]
        """

    def count_batch(
        self,
        texts: Sequence[str],
        *,
        add_special_tokens: bool = True,
        special: Literal["all", "none", "error"] | Collection[str] | None = None,
        threads: int = 0,
        seed: int | None = None,
    ) -> list[int]:
        """How many ids each of many texts has; threads and errors as for `encode_batch`.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").count_batch(["Hello world", "", "é"])
        [2, 0, 1]
        """

    def decode(self, ids: _Ids, *, skip_special_tokens: bool | None = None) -> str:
        """The text of ids.

        `skip_special_tokens=None` does as the format's own library: tokenizer.json leaves special
        tokens out. So it is with ids that no token has: passed over, or a `DecodeError`. Bytes that
        are not UTF-8 become U+FFFD, one per maximal ill-formed part. A number that is no id at all
        is an `OverflowError`.

        >>> import fretsaw
        >>> tok = fretsaw.get("gpt2")
        >>> tok.decode([15496, 50256]), tok.decode([15496, 50256], skip_special_tokens=False)
        ('Hello', 'Hello<|endoftext|>')
        """

    def decode_batch(
        self,
        batch: Sequence[_Ids] | npt.NDArray[np.integer[Any]],
        *,
        skip_special_tokens: bool | None = None,
        threads: int = 0,
    ) -> list[str]:
        """The texts of many lists of ids, in order; as `decode`, on `threads` threads.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").decode_batch([[15496], [995]])
        ['Hello', ' world']
        """

    def async_decode_batch(
        self,
        batch: Sequence[_Ids] | npt.NDArray[np.integer[Any]],
        *,
        skip_special_tokens: bool | None = None,
        threads: int = 0,
    ) -> Coroutine[Any, Any, list[str]]:
        """`decode_batch` on another thread, to be awaited.

        >>> import asyncio, fretsaw
        >>> asyncio.run(fretsaw.get("gpt2").async_decode_batch([[15496], [995]]))
        ['Hello', ' world']
        """

    def decode_bytes(self, ids: _Ids, *, skip_special_tokens: bool | None = None) -> bytes:
        """The bytes that ids stand for, which need not be UTF-8; options as for `decode`.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").decode_bytes([47249])
        b'\\xf0\\x9f\\x98'
        """

    def token_bytes(self, id: int) -> bytes:
        """The bytes that one id stands for. Raises `DecodeError` where no token has the id.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").token_bytes(995)
        b' world'
        """

    def token_table(self) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
        """What `token_bytes` gives for every id as one array of bytes, and where each starts in it.

        The second array has one item more than there are ids. An id that no token has stands for nothing.

        >>> import fretsaw
        >>> data, offsets = fretsaw.get("gpt2").token_table()
        >>> len(offsets), data[offsets[995] : offsets[996]].tobytes()
        (50258, b' world')
        """

    def token_to_id(self, token: str) -> int | None:
        """The id of a token string, spelled as in the vocabulary, or `None`.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").token_to_id("Ġworld")
        995
        """

    def id_to_token(self, id: int) -> str | None:
        """The token string of an id, spelled as in the vocabulary, or `None`.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").id_to_token(995)
        'Ġworld'
        """

    def get_vocab(self, with_added_tokens: bool = True) -> dict[str, int]:
        """Token strings and their ids, with or without added tokens.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").get_vocab()["Ġworld"]
        995
        """

    def get_vocab_size(self, with_added_tokens: bool = True) -> int:
        """How many tokens there are, with or without added tokens.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").get_vocab_size()
        50257
        """

    def normalize(self, text: str) -> str:
        """The normalized text.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").normalize("Hello")
        'Hello'
        """

    def pre_tokenize(self, text: str) -> list[tuple[str, tuple[int, int]]]:
        """The pieces that the pre-tokenizer cuts a text into, spelled as the model sees them.

        Each with its half-open span in characters of the text. Raises `EncodeError` where a
        pattern takes too many steps.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").pre_tokenize("Hello world")
        [('Hello', (0, 5)), ('Ġworld', (5, 11))]
        """

    def to_str(self) -> str:
        """The content of a tokenizer.json that Hugging Face loads and that gives the same outputs.

        Raises `UnsupportedError` where that format can't carry the tokenizer, as with the ranks of
        a `.tiktoken` file. `alpha` and `nbest_size` of a Unigram model are left out, as there.

        >>> import fretsaw
        >>> tok = fretsaw.get("byte")
        >>> fretsaw.Tokenizer.from_str(tok.to_str()).encode("é").ids
        [195, 169]
        """

    def encode_pieces(self, text: str) -> list[tuple[int, str, int, int]]:
        r"""The pieces of a text: id, string, and where in the text they stand, in bytes.

        For a tokenizer from a SentencePiece model; a `ValueError` for any other. The string of an
        unknown piece is its text; of the pieces of one character's bytes the last has its place, the
        others none.

        >>> import fretsaw
        >>> pieces = [b"\n\x05<unk>\x18\x02", b"\n\x03\xe2\x96\x81", b"\n\x01a", b"\n\x02aa"]
        >>> model = b"".join(b"\n" + bytes([len(piece)]) + piece for piece in pieces)
        >>> tok = fretsaw.Tokenizer.from_str(model)
        >>> tok.encode_pieces("a é")
        [(1, '▁', 0, 0), (2, 'a', 0, 1), (1, '▁', 1, 2), (0, 'é', 2, 4)]
        """

    def nbest_pieces(
        self, text: str, size: int
    ) -> list[tuple[list[tuple[int, str, int, int]], float]]:
        r"""The best ways to cut a text, at most `size`, each with the sum of its scores.

        For a Unigram model of SentencePiece; a `ValueError` for any other. With `size` 1 the sum is 0,
        as in sentencepiece.

        >>> import fretsaw
        >>> pieces = [b"\n\x05<unk>\x18\x02", b"\n\x03\xe2\x96\x81", b"\n\x01a", b"\n\x02aa"]
        >>> model = b"".join(b"\n" + bytes([len(piece)]) + piece for piece in pieces)
        >>> tok = fretsaw.Tokenizer.from_str(model)
        >>> [[piece for _, piece, *_ in way] for way, _ in tok.nbest_pieces("aa", 2)]
        [['▁', 'aa'], ['▁', 'a', 'a']]
        """

    def sample_pieces(
        self, text: str, *, nbest_size: int | None = None, alpha: float = 0.1, seed: int = 0
    ) -> list[tuple[int, str, int, int]]:
        r"""A way to cut a text that is chosen by chance, the same for the same `seed`.

        For a Unigram or BPE model of SentencePiece; a `ValueError` for any other. `alpha` weighs the
        sums of scores (Unigram) or is the probability with which a merge is left out (BPE). With
        `nbest_size` above 1 one of so many best ways is chosen, with 0 or 1 the best (Unigram).

        >>> import fretsaw
        >>> pieces = [b"\n\x05<unk>\x18\x02", b"\n\x03\xe2\x96\x81", b"\n\x01a", b"\n\x02aa"]
        >>> model = b"".join(b"\n" + bytes([len(piece)]) + piece for piece in pieces)
        >>> tok = fretsaw.Tokenizer.from_str(model)
        >>> len({len(tok.sample_pieces("aa", seed=seed)) for seed in range(50)})
        2
        """

    def decode_pieces(self, pieces: list[str]) -> str:
        r"""The text of pieces that come as strings; one that is none stands for itself.

        For a tokenizer from a SentencePiece model; a `ValueError` for any other.

        >>> import fretsaw
        >>> pieces = [b"\n\x05<unk>\x18\x02", b"\n\x03\xe2\x96\x81", b"\n\x01a", b"\n\x02aa"]
        >>> model = b"".join(b"\n" + bytes([len(piece)]) + piece for piece in pieces)
        >>> tok = fretsaw.Tokenizer.from_str(model)
        >>> tok.decode_pieces(["▁", "aa", "▁", "bcd"])
        'aa bcd'
        """

    def piece_table(self) -> tuple[list[float], list[str], list[str]]:
        r"""What a SentencePiece model says of its pieces: scores, types, and four names.

        Types are `Normal`, `Unknown`, `Control`, `UserDefined`, `Unused` and `Byte`; the names are
        those of the unknown piece, of start and end of a text, and of padding.

        >>> import fretsaw
        >>> pieces = [b"\n\x05<unk>\x18\x02", b"\n\x03\xe2\x96\x81", b"\n\x01a", b"\n\x02aa"]
        >>> model = b"".join(b"\n" + bytes([len(piece)]) + piece for piece in pieces)
        >>> tok = fretsaw.Tokenizer.from_str(model)
        >>> tok.piece_table()[1:]
        (['Unknown', 'Normal', 'Normal', 'Normal'], ['<unk>', '<s>', '</s>', '<pad>'])
        """

    def stream(
        self,
        *,
        skip_special_tokens: bool | None = None,
        stop: Sequence[str] | None = None,
        stop_ids: _Ids | None = None,
        include_stop: bool = False,
        prefill: _Ids | None = None,
        markers: Sequence[str] | None = None,
    ) -> Stream:
        """A stream that decodes ids one at a time; `skip_special_tokens` as for `decode`.

        It ends at the first of the strings `stop`, or at one of the `stop_ids`, which are part of its
        text with `include_stop`. `prefill` are the ids of the prompt, whose text is not given.
        `markers` are left out of the text and reported by `Stream.events`. Where matches overlap, the
        one that ends first counts, a stop before an equal marker. Raises `ValueError` where a string is
        empty or all have more than 16 MiB, and `DecodeError` for `prefill` as `decode` does.

        >>> import fretsaw
        >>> stream = fretsaw.get("gpt2").stream(stop=["\\n"], prefill=[15496])
        >>> stream.push(995), stream.push(198), stream.stopped
        (' world', '', '\\n')
        """

    def fits(
        self,
        text: str,
        max_tokens: int,
        *,
        add_special_tokens: bool = True,
        special: Literal["all", "none", "error"] | Collection[str] | None = None,
    ) -> bool:
        """Whether a text has at most `max_tokens` ids: the same as `count(text) <= max_tokens`.

        With byte-level vocabularies it stops reading where that is clear. Raises `EncodeError`.

        >>> import fretsaw
        >>> tok = fretsaw.get("gpt2")
        >>> tok.fits("Hello world", 2), tok.fits("Hello world!", 2)
        (True, False)
        """

    def truncate(
        self,
        text: str,
        max_tokens: int,
        direction: Literal["right", "left"] = "right",
        *,
        add_special_tokens: bool = True,
        special: Literal["all", "none", "error"] | Collection[str] | None = None,
    ) -> tuple[str, int]:
        """Cuts a text to at most `max_tokens` ids on one side: what is left, and how many it has.

        What is left is what the first ids stand for (the last ones with `direction="left"`), in whole
        characters, and has at most so many when it is encoded on its own. No more of the text is read
        than that takes. Raises `EncodeError`, also where the special tokens alone are too many.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").truncate("Hello world!", 2)
        ('Hello world', 2)
        """

    def chunk(
        self,
        text: str,
        max_tokens: int,
        overlap: int = 0,
        boundary: Literal["token", "sentence", "paragraph"] = "token",
        *,
        add_special_tokens: bool = True,
        special: Literal["all", "none", "error"] | Collection[str] | None = None,
    ) -> list[str]:
        """A text in parts of at most `max_tokens` ids each, encoded on their own.

        A part begins with about the last `overlap` ids of the one before, if that leaves room. With
        `boundary` a part ends behind a paragraph or a sentence if one ends in it. Takes linear time.
        Raises `ValueError` where `overlap` is not less than `max_tokens`, and `EncodeError`, also where a
        single character has more ids.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").chunk("One two. Three four", 4, boundary="sentence")
        ['One two. ', 'Three four']
        """

    def index(
        self,
        text: str,
        *,
        add_special_tokens: bool = True,
        special: Literal["all", "none", "error"] | Collection[str] | None = None,
    ) -> TextIndex:
        """An index of a text that counts the ids of any part of it. Raises `EncodeError`.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").index("Hello world").count(5, 11)
        1
        """

    def start(
        self,
        text: str | None = None,
        *,
        add_special_tokens: bool = True,
        special: Literal["all", "none", "error"] | Collection[str] | None = None,
        trusted: Sequence[tuple[int, int]] | None = None,
    ) -> GrowingText:
        """A text that grows, with the ids that `encode_ids` gives. Raises `EncodeError`.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").start("Hello").ids
        [15496]
        """

    def extend(
        self,
        state: GrowingText,
        more: str,
        *,
        trusted: Sequence[tuple[int, int]] | None = None,
    ) -> tuple[int, list[int]]:
        """Adds to a text: how many of its ids stay the first ones, and all that follow those now.

        Together they are the ids of the whole. Byte-level vocabularies encode only what stands behind
        the last word that is complete, others the whole text. `trusted` are spans in characters of
        `more`; without them all of it is. Raises `ValueError` for a text of another tokenizer, and
        `EncodeError`, which leaves the text as it was.

        >>> import fretsaw
        >>> tok = fretsaw.get("gpt2")
        >>> text = tok.start("Hello wor")
        >>> tok.extend(text, "ld!")
        (1, [995, 0])
        """

    def render_chat(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        documents: Sequence[Mapping[str, Any]] | None = None,
        add_generation_prompt: bool = False,
        chat_template: str | None = None,
        trust_template_output: bool = False,
        **variables: Any,
    ) -> Prompt:
        """Messages as the prompt that a chat template makes of them; its own text alone is trusted.

        The template is the one of the folder that the tokenizer was loaded from, by name where it has
        several, or `chat_template` itself. Rendered as transformers does it, in Jinja2's sandbox, with the
        same text; tools are JSON schemas. A role that is a plain name is trusted, nothing else of a message
        is. Raises `EncodeError` where a template mixes text so that it can't be told apart, unless
        `trust_template_output`; `ValueError` without a template; `ImportError` without Jinja2; and what
        Jinja2 raises.

        >>> import fretsaw
        >>> template = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"
        >>> tok = fretsaw.get("gpt2")
        >>> tok.render_chat([{"role": "user", "content": "Hi"}], chat_template=template)
        Prompt('<user>Hi', spans=[(0, 6)])
        """

    def pickle_by_path(self, path: str | os.PathLike[str]) -> Tokenizer:
        """The same tokenizer, whose pickles are a path and a fingerprint, for as long as it is not changed.

        `path` is a file or a folder as `from_file` takes it; who reads a pickle loads it there, and gets a
        `SpecError` if it has another fingerprint by then. Raises `ValueError` if it has another one now,
        and what `from_file` raises.

        >>> import fretsaw, pickle, tempfile
        >>> tok = fretsaw.get("byte")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     tok.save(f"{folder}/tokenizer.json")
        ...     by_path = tok.pickle_by_path(f"{folder}/tokenizer.json")
        ...     len(pickle.dumps(by_path)) < 300, pickle.loads(pickle.dumps(by_path)).encode("Hi").ids
        (True, [72, 105])
        """

    def _found_at(self, path: str, has_chat: bool) -> Tokenizer:
        """The same tokenizer, which was found at a path, perhaps without its chat template."""

    def _with_chat(self, chat: str) -> Tokenizer:
        """The same tokenizer with a chat template as `fretsaw._chat.read` gives it."""

    @property
    def chat_template(self) -> str | None:
        """The template of chats (Jinja) that a GGUF file has along; compiled files keep it.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").chat_template is None
        True
        """

    @property
    def fingerprint(self) -> str:
        """SHA-256 of what the tokenizer was made from, 64 hexadecimal digits.

        Equal for tokenizers whose every output is equal by construction.

        >>> import fretsaw
        >>> len(fretsaw.get("gpt2").fingerprint)
        64
        """

    def add_tokens(self, tokens: Sequence[str | AddedToken]) -> int:
        """Adds tokens that match in the text before the model sees it; returns how many are new.

        One that is there with the same fields is passed over. A string stands for an `AddedToken`
        with the default fields. Ids are the model's where it has the string, else the next free ones.

        >>> import copy, fretsaw
        >>> tok = copy.copy(fretsaw.get("gpt2"))
        >>> tok.add_tokens(["<note>", "<note>"]), tok.encode("a<note>").ids
        (1, [64, 50257])
        """

    def add_special_tokens(self, tokens: Sequence[str | AddedToken]) -> int:
        """The same for special tokens, which decoding leaves out.

        >>> import copy, fretsaw
        >>> tok = copy.copy(fretsaw.get("gpt2"))
        >>> tok.add_special_tokens(["<end>"]), tok.decode(tok.encode("a<end>").ids)
        (1, 'a')
        """

    @property
    def encode_special_tokens(self) -> bool:
        """Whether special tokens in the text are text, where a call does not say. Can be set.

        >>> import copy, fretsaw
        >>> tok = copy.copy(fretsaw.get("gpt2"))
        >>> tok.encode_special_tokens = True
        >>> len(tok.encode("<|endoftext|>"))
        7
        """

    @encode_special_tokens.setter
    def encode_special_tokens(self, value: bool) -> None: ...
    def get_added_tokens_decoder(self) -> dict[int, AddedToken]:
        """The added tokens by id.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").get_added_tokens_decoder()[50256].content
        '<|endoftext|>'
        """

    def enable_truncation(
        self,
        max_length: int,
        stride: int = 0,
        strategy: str = "longest_first",
        direction: str = "right",
    ) -> None:
        """Cuts every encoding to `max_length` ids, special tokens among them.

        `strategy` is "longest_first", "only_first" or "only_second", `direction` the side that is
        cut, "right" or "left". Raises `ValueError` where `stride` leaves no room. `count` is not
        affected.

        >>> import copy, fretsaw
        >>> tok = copy.copy(fretsaw.get("gpt2"))
        >>> tok.enable_truncation(2)
        >>> tok.encode("one two three").ids, tok.count("one two three")
        ([505, 734], 3)
        """

    def no_truncation(self) -> None:
        """Encodings are no longer cut.

        >>> import copy, fretsaw
        >>> tok = copy.copy(fretsaw.get("gpt2"))
        >>> tok.enable_truncation(2)
        >>> tok.no_truncation()
        >>> tok.encode("one two three").ids
        [505, 734, 1115]
        """

    @property
    def truncation(self) -> dict[str, Any] | None:
        """The arguments of `enable_truncation` as they are set, or `None`.

        >>> import copy, fretsaw
        >>> tok = copy.copy(fretsaw.get("gpt2"))
        >>> tok.enable_truncation(2)
        >>> tok.truncation
        {'max_length': 2, 'stride': 0, 'strategy': 'longest_first', 'direction': 'right'}
        """

    def enable_padding(
        self,
        direction: str = "right",
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",
        length: int | None = None,
        pad_to_multiple_of: int | None = None,
    ) -> None:
        """Fills every encoding up with `pad_id`: to `length`, or to the longest of a batch.

        >>> import copy, fretsaw
        >>> tok = copy.copy(fretsaw.get("gpt2"))
        >>> tok.enable_padding(pad_id=50256, pad_token="<|endoftext|>")
        >>> [enc.ids for enc in tok.encode_batch(["one two", "a"])]
        [[505, 734], [64, 50256]]
        """

    def no_padding(self) -> None:
        """Encodings are no longer filled up.

        >>> import copy, fretsaw
        >>> tok = copy.copy(fretsaw.get("gpt2"))
        >>> tok.enable_padding(length=2)
        >>> tok.no_padding()
        >>> tok.encode("a").ids
        [64]
        """

    @property
    def padding(self) -> dict[str, Any] | None:
        """The arguments of `enable_padding` as they are set, or `None`.

        >>> import copy, fretsaw
        >>> tok = copy.copy(fretsaw.get("gpt2"))
        >>> tok.enable_padding(length=4)
        >>> tok.padding["length"]
        4
        """

    @property
    def normalizer(self) -> spec.Normalizer | None:
        """The normalizer, as an object of `fretsaw.spec`, or `None`. Can be set.

        >>> import copy, fretsaw
        >>> tok = copy.copy(fretsaw.get("gpt2"))
        >>> from fretsaw.spec import Lowercase
        >>> tok.normalizer = Lowercase()
        >>> tok.encode("ABC").ids == fretsaw.get("gpt2").encode("abc").ids
        True
        """

    @normalizer.setter
    def normalizer(self, value: spec.Normalizer | None) -> None: ...
    @property
    def pre_tokenizer(self) -> spec.PreTokenizer | None:
        """The pre-tokenizer, as an object of `fretsaw.spec`, or `None`. Can be set.

        >>> import fretsaw
        >>> fretsaw.get("gpt2").pre_tokenizer.use_regex
        True
        """

    @pre_tokenizer.setter
    def pre_tokenizer(self, value: spec.PreTokenizer | None) -> None: ...
    @property
    def post_processor(self) -> spec.PostProcessor | None:
        """The post-processor, as an object of `fretsaw.spec`, or `None`. Can be set.

        >>> import copy, fretsaw
        >>> tok = copy.copy(fretsaw.get("gpt2"))
        >>> from fretsaw.spec import BertProcessing
        >>> tok.post_processor = BertProcessing(sep=("B", 33), cls=("A", 32))
        >>> tok.encode("x").ids
        [32, 87, 33]
        """

    @post_processor.setter
    def post_processor(self, value: spec.PostProcessor | None) -> None: ...
    @property
    def decoder(self) -> spec.Decoder | None:
        """The decoder, as an object of `fretsaw.spec`, or `None`. Can be set.

        >>> import copy, fretsaw
        >>> tok = copy.copy(fretsaw.get("gpt2"))
        >>> tok.decoder = None
        >>> tok.decode([15496, 995])
        'Hello Ġworld'
        """

    @decoder.setter
    def decoder(self, value: spec.Decoder | None) -> None: ...
    @property
    def model(self) -> spec.Model:
        """The model, as an object of `fretsaw.spec`, with its whole vocabulary. Can be set.

        >>> import fretsaw
        >>> len(fretsaw.get("gpt2").model.merges)
        50000
        """

    @model.setter
    def model(self, value: spec.Model) -> None: ...
    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a tokenizer.json that Hugging Face loads and that gives the same outputs.

        The file is replaced at once, or left as it was. Raises `UnsupportedError` where the format
        can't carry the tokenizer, as with the ranks of a `.tiktoken` file, and `OSError`. `alpha` and
        `nbest_size` of a Unigram model are left out, as there.

        >>> import fretsaw, pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "tokenizer.json")
        ...     fretsaw.get("gpt2").save(path)
        ...     again = fretsaw.Tokenizer.from_file(path)
        >>> again.encode("Hello world").ids
        [15496, 995]
        """

    def train(
        self, files: Sequence[str | os.PathLike[str]], trainer: Trainer | None = None
    ) -> None:
        """Trains the model on text files, line by line, and becomes what comes out.

        `trainer` is one of `fretsaw.trainers`; without it, the one of the model's kind with its
        defaults. Raises `TrainError`, as where a file is not UTF-8, and `OSError`.

        >>> import fretsaw, pathlib, tempfile
        >>> from fretsaw.spec import BPE, Spec
        >>> from fretsaw.trainers import BpeTrainer
        >>> tok = fretsaw.Tokenizer.from_str(Spec(BPE({}, [])).to_json())
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "text")
        ...     _ = path.write_text("hug hugs pug")
        ...     tok.train([path], BpeTrainer(vocab_size=8))
        >>> tok.encode("hugs").ids
        [7, 4]
        """

    def train_from_iterator(
        self,
        iterator: Iterable[str | Iterable[str]],
        trainer: Trainer | None = None,
        length: int | None = None,
    ) -> None:
        """The same on texts, or on lists of texts; `length` is for Hugging Face's users and not used.

        >>> import fretsaw
        >>> from fretsaw.spec import Spec, WhitespaceSplit, WordLevel
        >>> from fretsaw.trainers import WordLevelTrainer
        >>> spec = Spec(WordLevel({}, unk_token="?"), pre_tokenizer=WhitespaceSplit())
        >>> tok = fretsaw.Tokenizer.from_str(spec.to_json())
        >>> tok.train_from_iterator(["b a", "b"], WordLevelTrainer(special_tokens=["?"]))
        >>> tok.encode("a b c").ids
        [2, 1, 0]
        """

    def _train(
        self,
        counts: PieceCounts,
        options: dict[str, Any],
        tell: Callable[[str, int, int], object] | None = None,
        kept: Checkpoint | None = None,
    ) -> None:
        """Becomes what training on counts makes of it; what `tell` raises ends it.

        What was learned goes to `kept` when that is due and when training is stopped.
        """

    def _train_parity(
        self,
        languages: Sequence[PieceCounts],
        dev: Sequence[PieceCounts] | None,
        options: dict[str, Any],
        sharing: dict[str, Any],
        tell: Callable[[str, int, int], object] | None = None,
    ) -> None:
        """The same on counts by language, which are compared by those in `dev`."""

    def __copy__(self) -> Tokenizer: ...
    def __deepcopy__(self, memo: object, /) -> Tokenizer: ...
    def _named(self, name: str) -> Tokenizer:
        """The same tokenizer under the name by which `fretsaw.get` finds it."""

    @classmethod
    def _from_tiktoken(
        cls, ranks: bytes, pattern: str, special_tokens: dict[str, int]
    ) -> Tokenizer:
        """Loads the content of a `.tiktoken` file."""

    @classmethod
    def _from_ranks(
        cls,
        ranks: dict[bytes, int],
        pattern: str,
        special_tokens: dict[str, int],
        tekken: bool = False,
    ) -> Tokenizer:
        """Makes a tokenizer from the ranks of tokens, as tiktoken does, or with tekken's defaults."""

    @classmethod
    def _from_pairs(
        cls,
        data: bytes,
        more: list[tuple[bytes, int]],
        pattern: str,
        special_tokens: dict[str, int],
    ) -> Tokenizer:
        """Makes a tokenizer from ranks as pairs and `more` tokens with ranks of their own."""

    def _to_ranks(self) -> tuple[dict[bytes, int], str, dict[str, int], bool] | None:
        """The arguments with which `_from_ranks` makes this tokenizer; `None` where none do."""

@final
class PieceCounter:
    """Counts the pieces of texts as a tokenizer cuts them; safe to use from any thread.

    >>> import fretsaw
    >>> from fretsaw._native import PieceCounter
    >>> counter = PieceCounter(fretsaw.get("gpt2"))
    >>> counter.count_texts(["a b b"])
    >>> counter.finish().as_dict()
    {'a': 1, 'Ġb': 2}
    """

    def __new__(
        cls,
        tokenizer: Tokenizer,
        threads: int = 0,
        max_distinct: int | None = None,
        max_chars: int | None = None,
    ) -> PieceCounter: ...
    def count_texts(self, texts: Sequence[str]) -> None:
        """Counts the pieces of texts.

        >>> import fretsaw
        >>> from fretsaw._native import PieceCounter
        >>> PieceCounter(fretsaw.get("gpt2")).count_texts(["a", "b"])
        """

    def count_block(self, block: TextBlock) -> None:
        """Counts the pieces of the documents of a block.

        Raises `TrainError` where one can't be taken, and counts nothing then.

        >>> import fretsaw, pyarrow
        >>> from fretsaw._native import PieceCounter, TextBlock
        >>> counter = PieceCounter(fretsaw.get("gpt2"))
        >>> [block] = TextBlock.of_rows("a.parquet", 0, pyarrow.array(["a", "b"]))
        >>> counter.count_block(block)
        >>> counter.finish().as_dict()
        {'a': 1, 'b': 1}
        """

    def finish(self) -> PieceCounts:
        """The counts of all pieces; nothing more can be counted then.

        >>> import fretsaw
        >>> from fretsaw._native import PieceCounter
        >>> len(PieceCounter(fretsaw.get("gpt2")).finish())
        0
        """

    @property
    def distinct(self) -> int:
        """How many distinct pieces there are so far, or more where threads met the same.

        >>> import fretsaw
        >>> from fretsaw._native import PieceCounter
        >>> PieceCounter(fretsaw.get("gpt2")).distinct
        0
        """

    def state(self) -> tuple[int, bytes] | None:
        """How many calls were counted, and all that was; `None` if one was stopped within.

        >>> import fretsaw
        >>> from fretsaw._native import PieceCounter
        >>> counter = PieceCounter(fretsaw.get("gpt2"))
        >>> counter.count_texts(["a"])
        >>> calls, counted = counter.state()
        >>> calls
        1
        """

    def restore(self, calls: int, state: bytes) -> None:
        """Goes on from a state, forgetting what was counted here; `TrainError` where it is damaged.

        >>> import fretsaw
        >>> from fretsaw._native import PieceCounter
        >>> counter, other = (PieceCounter(fretsaw.get("gpt2")) for _ in range(2))
        >>> counter.count_texts(["a"])
        >>> other.restore(*counter.state())
        >>> other.finish().as_dict()
        {'a': 1}
        """

@final
class PieceCounts:
    """Pieces of text with their counts, from `fretsaw.count_pieces` or a dict; can be pickled.

    >>> import fretsaw
    >>> len(fretsaw.PieceCounts({"a": 2, "b": 1}))
    2
    """

    def __new__(cls, counts: dict[str, int]) -> PieceCounts: ...
    def merge(self, other: PieceCounts) -> PieceCounts:
        """These and other counts together.

        >>> import fretsaw
        >>> fretsaw.PieceCounts({"a": 2}).merge(fretsaw.PieceCounts({"a": 1})).as_dict()
        {'a': 3}
        """

    @staticmethod
    def _from_bytes(bytes: bytes) -> PieceCounts:
        """What a pickle holds; `ValueError` for anything else."""

    def as_dict(self) -> dict[str, int]:
        """The pieces, in the order of their UTF-8, with their counts.

        >>> import fretsaw
        >>> fretsaw.PieceCounts({"b": 2, "a": 1}).as_dict()
        {'a': 1, 'b': 2}
        """

    def __len__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    def __reduce__(self) -> tuple[object, ...]: ...

@final
class TextBlocks:
    """The blocks of a file of text or jsonl, unpacked where its name says that it is packed.

    With `plain`, it is text whatever its name. A thread reads ahead. Raises `OSError`.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from fretsaw._native import TextBlocks
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "a.jsonl"
    >>> path.write_text('{"text": "Hello"}')
    17
    >>> [block.texts() for block in TextBlocks(path, "line", "text")]
    [['Hello']]
    """

    def __new__(
        cls,
        path: str | os.PathLike[str],
        by: str,
        field: str,
        replace: bool = False,
        plain: bool = False,
        block_bytes: int = 1 << 20,
    ) -> TextBlocks: ...
    def __iter__(self) -> TextBlocks: ...
    def __next__(self) -> TextBlock: ...

@final
class TextBlock:
    """A block of whole documents, from `TextBlocks` or of rows of a table.

    >>> import pyarrow
    >>> from fretsaw._native import TextBlock
    >>> [block.texts() for block in TextBlock.of_rows("a.parquet", 0, pyarrow.array(["a", "b"]))]
    [['a', 'b']]
    """

    @staticmethod
    def of_rows(
        path: str | os.PathLike[str], first: int, array: object, replace: bool = False
    ) -> list[TextBlock]:
        """The rows of an Arrow array of text, which speaks for itself by the PyCapsule interface.

        `first` is the number of the first row; rows without text are passed over. Raises `TypeError`
        for what is no such array, `ValueError` where its parts don't fit together.

        >>> import pyarrow
        >>> from fretsaw._native import TextBlock
        >>> [block.texts() for block in TextBlock.of_rows("a", 0, pyarrow.array(["a", None]))]
        [['a']]
        """

    @property
    def size(self) -> int:
        """How many bytes it has.

        >>> import pyarrow
        >>> from fretsaw._native import TextBlock
        >>> TextBlock.of_rows("a", 0, pyarrow.array(["ab"]))[0].size
        2
        """

    def texts(self) -> list[str]:
        """Its documents; `TrainError` where one can't be taken.

        >>> import pyarrow
        >>> from fretsaw._native import TextBlock
        >>> TextBlock.of_rows("a", 0, pyarrow.array(["ab"]))[0].texts()
        ['ab']
        """

def checksum(path: str | os.PathLike[str], opened: object = None) -> tuple[int, str]:
    """Size and XXH3 of 128 bits of a file, or of what `opened` reads; raises `OSError`."""

@final
class ArrowLists:
    """Lists of ids, for whoever takes an Arrow array by the PyCapsule interface.

    >>> import fretsaw, polars
    >>> len(fretsaw.get("gpt2").encode_arrow(polars.Series(["Hello world", None])))
    2
    """

    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...
    def __len__(self) -> int: ...

@final
class ArrowListStream:
    """Lists of ids in several arrays, for whoever takes an Arrow stream by the PyCapsule interface.

    >>> import fretsaw, polars
    >>> text = polars.Series(["Hello world", None])
    >>> polars.Series(fretsaw.get("gpt2").encode_arrow(text)).to_list()
    [[15496, 995], None]
    """

    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...
    def __len__(self) -> int: ...

@final
class ShardJob:
    """A job that writes shards: inputs are opened and read block by block, until there are no more.

    `fretsaw.bulk.tokenize` is what to use. Threads do the work in between; what goes wrong there is
    raised by the next call, as `BulkError` or `OSError`.

    >>> import tempfile, fretsaw
    >>> from fretsaw._native import ShardJob
    >>> folder = tempfile.TemporaryDirectory()
    >>> encoding = {"add_special_tokens": False}
    >>> job = ShardJob(fretsaw.get("gpt2"), encoding, {"folder": folder.name, "inputs": []})
    >>> job.finish()
    >>> job.closed()
    []
    """

    def __new__(
        cls,
        tokenizer: Tokenizer,
        encoding: Mapping[str, object],
        shards: Mapping[str, object],
        workers: int = 1,
        checkpoint: Sequence[int] = ...,
    ) -> ShardJob: ...
    def open(
        self,
        file: int,
        path: str | os.PathLike[str],
        by: str,
        field: str,
        at: int,
        opened: object = None,
    ) -> None:
        """Opens an input of text or jsonl at a byte of its text, in `opened` if that is given.

        >>> import tempfile, fretsaw
        >>> from pathlib import Path
        >>> from fretsaw._native import ShardJob
        >>> folder = tempfile.TemporaryDirectory()
        >>> text = Path(folder.name) / "text.txt"
        >>> text.write_text("Hello world")
        11
        >>> shards = {"folder": folder.name, "inputs": ["text.txt"], "token_bytes": 2}
        >>> job = ShardJob(fretsaw.get("gpt2"), {"add_special_tokens": False}, shards)
        >>> job.open(0, text, "line", "text", 0)
        """

    def step(self) -> tuple[int, str] | None:
        """Sends a block of the open input on its way; at its end gives its size and hash.

        >>> import tempfile, fretsaw
        >>> from pathlib import Path
        >>> from fretsaw._native import ShardJob
        >>> folder = tempfile.TemporaryDirectory()
        >>> text = Path(folder.name) / "text.txt"
        >>> text.write_text("Hello world")
        11
        >>> shards = {"folder": folder.name, "inputs": ["text.txt"], "token_bytes": 2}
        >>> job = ShardJob(fretsaw.get("gpt2"), {"add_special_tokens": False}, shards)
        >>> job.open(0, text, "line", "text", 0)
        >>> job.step()
        >>> job.step()
        (11, '7351f89812f97382b91d05b31e04dd7f')
        """

    def rows(self, file: int, first: int, array: Any) -> None:
        """Sends rows of a column, an Arrow array of text, the first of which is this one of the input.

        >>> import tempfile, fretsaw
        >>> from fretsaw._native import ShardJob
        >>> folder = tempfile.TemporaryDirectory()
        >>> shards = {"folder": folder.name, "inputs": ["text.txt"], "token_bytes": 2}
        >>> job = ShardJob(fretsaw.get("gpt2"), {"add_special_tokens": False}, shards)
        >>> import pyarrow as pa
        >>> job.rows(0, 0, pa.array(["Hello", " world"]))
        >>> job.finish()
        >>> [shard["tokens"] for shard in job.closed()]
        [2]
        """

    def encoded(self, block: bytes) -> None:
        """Sends a block that a `BlockEncoder` made.

        >>> import tempfile, fretsaw
        >>> from fretsaw._native import ShardJob
        >>> folder = tempfile.TemporaryDirectory()
        >>> shards = {"folder": folder.name, "inputs": ["text.txt"], "token_bytes": 2}
        >>> job = ShardJob(fretsaw.get("gpt2"), {"add_special_tokens": False}, shards)
        >>> job.encoded(b"?")
        Traceback (most recent call last):
        fretsaw.BulkError: an encoded block is damaged; encode it again
        """

    def finish(self) -> None:
        """Waits until everything is written.

        >>> import tempfile, fretsaw
        >>> from fretsaw._native import ShardJob
        >>> folder = tempfile.TemporaryDirectory()
        >>> shards = {"folder": folder.name, "inputs": ["text.txt"], "token_bytes": 2}
        >>> job = ShardJob(fretsaw.get("gpt2"), {"add_special_tokens": False}, shards)
        >>> job.finish()
        """

    def stop(self) -> None:
        """Ends the threads and leaves what is not written behind.

        >>> import tempfile, fretsaw
        >>> from fretsaw._native import ShardJob
        >>> folder = tempfile.TemporaryDirectory()
        >>> shards = {"folder": folder.name, "inputs": ["text.txt"], "token_bytes": 2}
        >>> job = ShardJob(fretsaw.get("gpt2"), {"add_special_tokens": False}, shards)
        >>> job.stop()
        """

    def progress(self) -> list[int]:
        """Bytes read of the open input, bytes of text, documents, tokens, rejected, duplicates, left out.

        >>> import tempfile, fretsaw
        >>> from fretsaw._native import ShardJob
        >>> folder = tempfile.TemporaryDirectory()
        >>> shards = {"folder": folder.name, "inputs": ["text.txt"], "token_bytes": 2}
        >>> job = ShardJob(fretsaw.get("gpt2"), {"add_special_tokens": False}, shards)
        >>> job.progress()
        [0, 0, 0, 0, 0, 0, 0]
        """

    def closed(self) -> list[dict[str, Any]]:
        """The shards that became whole since the last call.

        >>> import tempfile, fretsaw
        >>> from fretsaw._native import ShardJob
        >>> folder = tempfile.TemporaryDirectory()
        >>> shards = {"folder": folder.name, "inputs": ["text.txt"], "token_bytes": 2}
        >>> job = ShardJob(fretsaw.get("gpt2"), {"add_special_tokens": False}, shards)
        >>> job.closed()
        []
        """

@final
class BlockEncoder:
    """Encodes parts of inputs, on any machine, for `ShardJob.encoded`.

    >>> import fretsaw
    >>> from fretsaw._native import BlockEncoder
    >>> encoder = BlockEncoder(fretsaw.get("gpt2"), {"add_special_tokens": False}, 2)
    """

    def __new__(
        cls, tokenizer: Tokenizer, encoding: Mapping[str, object], token_bytes: int
    ) -> BlockEncoder: ...
    def encode(
        self,
        file: int,
        path: str | os.PathLike[str],
        by: str,
        field: str,
        start: int,
        end: int,
        opened: object = None,
    ) -> list[bytes]:
        """The blocks of the documents that begin in a range of bytes of an input.

        >>> import tempfile, fretsaw
        >>> from fretsaw._native import BlockEncoder
        >>> encoder = BlockEncoder(fretsaw.get("gpt2"), {"add_special_tokens": False}, 2)
        >>> with tempfile.NamedTemporaryFile() as file:
        ...     encoder.encode(0, file.name, "line", "text", 0, 100)
        []
        """

    def encode_rows(self, file: int, first: int, array: Any) -> list[bytes]:
        """The blocks of rows of a column, as `ShardJob.rows` takes them.

        >>> import fretsaw
        >>> import pyarrow as pa
        >>> from fretsaw._native import BlockEncoder
        >>> encoder = BlockEncoder(fretsaw.get("gpt2"), {"add_special_tokens": False}, 2)
        >>> len(encoder.encode_rows(0, 0, pa.array(["Hello", " world"])))
        1
        """
