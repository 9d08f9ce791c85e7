"""From pre-tokens to ids."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from ._component import Component
from ._faults import not_among
from ._fields import Flag, IdKind, Kind, LeftOut, OptionalKind, OptionalText, Size, Text
from ._vocabulary import AlphaKind, DropoutKind, MergesKind, ScoredKind, VocabKind

__all__ = ["BPE", "Unigram", "WordLevel", "WordPiece"]

Vocab = Annotated[dict[str, int], VocabKind()]
DefaultFlag = Annotated[Flag, LeftOut.MISSING_OR_NULL]


class UnkIdKind(Kind):
    """A place in the vocabulary, or None."""

    def take(self, value: object) -> object:
        return None if value is None else IdKind(64).take(value)


@dataclass(frozen=True, repr=False)
class BPE(Component):
    """Byte-pair encoding; merges are pairs of tokens, the first merges first.

    >>> from fretsaw.spec import BPE
    >>> model = BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")])
    >>> model.merges, model.fuse_unk
    ((('a', 'b'),), False)
    """

    vocab: Vocab
    merges: Annotated[Sequence[tuple[str, str]], MergesKind()]
    dropout: Annotated[float | None, DropoutKind(), LeftOut.MISSING_OR_NULL] = None
    unk_token: OptionalText = None
    continuing_subword_prefix: OptionalText = None
    end_of_word_suffix: OptionalText = None
    fuse_unk: DefaultFlag = False
    byte_fallback: DefaultFlag = False
    ignore_merges: DefaultFlag = False


@dataclass(frozen=True, repr=False)
class Unigram(Component):
    """The most probable segmentation: tokens with scores, whose ids are their places.

    With `alpha` the segmentation is chosen by chance: of all, or of the `nbest_size` best ones. Scores
    count the less the nearer `alpha` is to 0; 0 and None stand for no sampling, and for no limit. Like
    Hugging Face's, a tokenizer.json has no place for the two: neither `Spec.to_json` nor
    `Tokenizer.save` writes them. Pickles, copies and compiled files of a tokenizer keep them.

    >>> from fretsaw.spec import Unigram
    >>> Unigram([("<unk>", 0.0), ("a", -1.5)], unk_id=0).vocab[1]
    ('a', -1.5)

    >>> import dataclasses, fretsaw
    >>> tok = fretsaw.Tokenizer.from_str(
    ...     '{"model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["a", -1], ["aa", -2]]}}'
    ... )
    >>> tok.model = dataclasses.replace(tok.model, alpha=0.5, nbest_size=8)
    >>> sorted({tuple(tok.encode_ids("aaa", seed=seed)) for seed in range(99)})
    [(1, 1, 1), (1, 2), (2, 1)]
    """

    vocab: Annotated[Sequence[tuple[str, float]], ScoredKind()]
    unk_id: Annotated[int | None, UnkIdKind(), LeftOut.MISSING_OR_NULL] = None
    byte_fallback: Annotated[Flag, LeftOut.MISSING] = False
    alpha: Annotated[float | None, AlphaKind(), LeftOut.ALWAYS] = None
    nbest_size: Annotated[int | None, OptionalKind(IdKind(64)), LeftOut.ALWAYS] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.unk_id is not None and self.unk_id >= len(self.vocab):
            fault = not_among(self.unk_id, "the index of an entry of the vocabulary")
            raise fault.under("Unigram.unk_id").in_python()


@dataclass(frozen=True, repr=False)
class WordPiece(Component):
    """Greedy longest match.

    >>> from fretsaw.spec import WordPiece
    >>> WordPiece({"[UNK]": 0, "a": 1, "##b": 2}).max_input_chars_per_word
    100
    """

    vocab: Vocab
    unk_token: Text = "[UNK]"
    continuing_subword_prefix: Text = "##"
    max_input_chars_per_word: Size = 100


@dataclass(frozen=True, repr=False)
class WordLevel(Component):
    """One id a word.

    >>> from fretsaw.spec import WordLevel
    >>> WordLevel({"<unk>": 0, "Hello": 1})
    WordLevel(vocab={'<unk>': 0, 'Hello': 1}, unk_token='<unk>')
    """

    vocab: Vocab
    unk_token: Text = "<unk>"
