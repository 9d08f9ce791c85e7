"""How a vocabulary fits texts: compression, what is used of it, and its longest tokens."""

from dataclasses import asdict, dataclass
from typing import Any

from ._sources import Errors, Reading, Source, files_of
from ._tokenizer import Tokenizer

__all__ = ["Fit", "Report", "report"]

LONGEST = 20


@dataclass(frozen=True)
class Fit:
    """Sizes of one source and the tokens that it takes."""

    name: str
    characters: int
    bytes: int
    tokens: int

    @property
    def characters_per_token(self) -> float | None:
        """None where there are no tokens."""
        return self.characters / self.tokens if self.tokens else None

    @property
    def bytes_per_token(self) -> float | None:
        """None where there are no tokens."""
        return self.bytes / self.tokens if self.tokens else None

    def as_dict(self) -> dict[str, object]:
        """The fields, and what follows from them."""
        ratios = {
            "characters_per_token": self.characters_per_token,
            "bytes_per_token": self.bytes_per_token,
        }
        return asdict(self) | ratios


@dataclass(frozen=True)
class Report:
    """What `fretsaw.report` found."""

    vocab_size: int
    fits: list[Fit]
    """Each file, or the texts as one."""
    used: int
    """How many tokens of the vocabulary the texts have."""
    never_used: list[str]
    """The others, in the order of their ids."""
    longest: list[str]
    """The longest tokens by characters, of equal ones those with the lower ids first."""

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "vocab_size": self.vocab_size,
            "files": [fit.as_dict() for fit in self.fits],
            "used": self.used,
            "used_share": self.used / self.vocab_size if self.vocab_size else None,
            "never_used": self.never_used,
            "longest": self.longest,
        }


def report(
    tok: Tokenizer,
    source: Source,
    *,
    by: str = "line",
    field: str = "text",
    column: str = "text",
    errors: Errors = "strict",
) -> Report:
    """Encode a source, best one that the tokenizer was not trained on, and say how it fits.

    The source and its options are those of `fretsaw.train`, and so is what it raises. Special tokens
    in the text are text.

    >>> import fretsaw
    >>> found = fretsaw.report(fretsaw.get("gpt2"), ["Hello world"])
    >>> found.used, found.fits[0].characters_per_token
    (2, 5.5)
    """
    reading = Reading(by=by, field=field, column=column, errors=errors)
    files = files_of(source)
    used: set[int] = set()
    if files is None:
        fits = [_fit(tok, "texts", reading, source, used)]
    else:
        fits = [_fit(tok, str(file), reading, [file], used) for file in files]
    vocab = sorted((id_, token) for token, id_ in tok.get_vocab().items())
    longest = sorted(vocab, key=lambda entry: (-len(entry[1]), entry[0]))[:LONGEST]
    return Report(
        vocab_size=len(vocab),
        fits=fits,
        used=sum(id_ in used for id_, _ in vocab),
        never_used=[token for id_, token in vocab if id_ not in used],
        longest=[token for _, token in longest],
    )


def _fit(tok: Tokenizer, name: str, reading: Reading, source: Source, used: set[int]) -> Fit:
    characters = size = tokens = 0
    for batch in reading.texts(source):
        ids, _ = tok.encode_batch_flat(batch, add_special_tokens=False, special="none")
        used.update(ids.tolist())
        tokens += len(ids)
        characters += sum(map(len, batch))
        size += sum(len(text.encode()) for text in batch)
    return Fit(name, characters, size, tokens)
