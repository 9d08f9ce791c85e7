"""Training byte-pair encoding for several languages at once, so that none is cut much finer."""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from . import _byte_level
from . import spec as parts
from ._count import Counting, Progress
from ._errors import TrainError
from ._native import PieceCounts, Tokenizer
from ._sources import Errors, Reading, Source
from ._train import is_byte_level, pipeline_of
from .trainers import BpeTrainer, Special, options_of

__all__ = ["train_parity_bpe"]

WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)


def train_parity_bpe(
    sources_by_language: Mapping[str, Source | PieceCounts],
    *,
    num_merges: int = 32_000,
    variant: Literal["base", "window"] = "base",
    ratio: Mapping[str, float] | None = None,
    dev: Mapping[str, Source | PieceCounts] | None = None,
    global_merges: int = 0,
    window_size: int = 100,
    alpha: float = 2.0,
    total_symbols: bool = False,
    spec: parts.Spec | None = None,
    min_frequency: int = 0,
    normalizer: parts.Normalizer | None = None,
    pre_tokenizer: parts.PreTokenizer | None = parts.ByteLevel(add_prefix_space=False),  # noqa: B008
    special_tokens: Special = (),
    limit_alphabet: int | None = None,
    initial_alphabet: Iterable[str] = (),
    continuing_subword_prefix: str | None = None,
    end_of_word_suffix: str | None = None,
    max_token_length: int | None = None,
    by: str = "line",
    field: str = "text",
    column: str = "text",
    errors: Errors = "strict",
    threads: int = 0,
    progress: Progress | None = None,
) -> Tokenizer:
    """Train byte-pair encoding so that all languages are cut about equally fine.

    Each merge is for the language that needs it most: the one whose text is the longest in tokens. That
    text is `dev`, best the same sentences in every language; or, with `ratio`, the language is chosen
    that has been compressed least in proportion to its ratio (raise one to give that language more);
    with neither, it is the training text. With `dev`, `ratio` has no part. With `variant="window"`
    no language has more than `alpha` / (number of languages) of the last `window_size` merges, as long
    as another one can have them. The first `global_merges` are those of all languages together. With
    `total_symbols`, `num_merges` counts special tokens and alphabet, too.

    Sources, pipeline and other options are those of `fretsaw.train`; instead of a source there may be
    counted pieces. The languages' order decides between equals. Vocabulary and merges are those of
    `ParityBpeTrainer` of Hugging Face tokenizers; like there, added tokens are not looked for in the
    text, and without a pre-tokenizer texts are stripped of white space.

    Raises `TrainError` where languages or options don't fit, and what `fretsaw.train` raises.

    >>> import fretsaw
    >>> tok = fretsaw.train_parity_bpe({"en": ["the the the"], "de": ["der der"]}, num_merges=3)
    >>> tok.model.merges
    (('t', 'h'), ('th', 'e'), ('e', 'r'))
    """
    if variant not in ("base", "window"):
        raise TrainError(f"variant is {variant!r}; it must be 'base' or 'window'")
    for name, given in (("ratio", ratio), ("dev", dev)):
        if given is not None and given.keys() != sources_by_language.keys():
            raise TrainError(
                f"{name} is for {', '.join(given)}; it must be for {', '.join(sources_by_language)}"
            )
    if spec is None:
        spec = pipeline_of("bpe", normalizer, pre_tokenizer, None)
    elif not isinstance(spec.model, parts.BPE):
        raise TrainError("the spec's model must be byte-pair encoding")
    alphabet = list(initial_alphabet)
    if is_byte_level(spec.pre_tokenizer):
        alphabet += _byte_level.CHARACTERS
    trainer = BpeTrainer(
        min_frequency=min_frequency,
        special_tokens=special_tokens,
        limit_alphabet=limit_alphabet,
        initial_alphabet=alphabet,
        continuing_subword_prefix=continuing_subword_prefix,
        end_of_word_suffix=end_of_word_suffix,
        max_token_length=max_token_length,
    )
    sharing = {
        "num_merges": num_merges,
        "total_symbols": total_symbols,
        "global_merges": global_merges,
        "ratio": None if ratio is None or dev is not None else _ordered(ratio, sources_by_language),
        "window": (window_size, alpha) if variant == "window" else None,
    }
    plain = Tokenizer.from_str(dataclasses.replace(spec, added_tokens=[]).to_json())
    counting = Counting(plain, Reading(by=by, field=field, column=column, errors=errors), threads)

    def counted(source: Source | PieceCounts) -> PieceCounts:
        if isinstance(source, PieceCounts):
            return source
        counts = counting.counts(source, progress)
        return counts if spec.pre_tokenizer is not None else _stripped(counts)

    languages = [counted(source) for source in sources_by_language.values()]
    texts = None
    if dev is not None:
        texts = [counted(source) for source in _ordered(dev, sources_by_language)]
    tok = Tokenizer.from_str(spec.to_json())
    tok._train_parity(languages, texts, options_of(trainer, threads), sharing, progress)
    return tok


def _ordered(values: Mapping[str, Any], languages: Mapping[str, Any]) -> list[Any]:
    return [values[language] for language in languages]


def _stripped(counts: PieceCounts) -> PieceCounts:
    """Pieces that are whole texts without white space around them."""
    stripped: dict[str, int] = {}
    for text, count in counts.as_dict().items():
        piece = text.strip(WHITE_SPACE)
        stripped[piece] = stripped.get(piece, 0) + count
    stripped.pop("", None)
    return PieceCounts(stripped)
