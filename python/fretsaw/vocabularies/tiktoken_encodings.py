"""The encodings of tiktoken 0.14.0 that come with the package: ranks, pattern, special tokens."""

from dataclasses import dataclass
from importlib import resources

from .pairs import unpack

__all__ = ["ENCODINGS", "TiktokenEncoding", "packed_pairs", "read_pairs"]


@dataclass(frozen=True)
class TiktokenEncoding:
    """What tiktoken makes an encoding of."""

    pattern: str
    """What splits the text, in fancy-regex's syntax."""
    special_tokens: dict[str, int]
    pairs: str
    """Name of the file that holds the ranks."""
    last_rank: int
    runs_of_spaces: tuple[int, ...] = ()
    """Lengths of more tokens, which are spaces only; the last one has the last rank."""

    def ranks(self) -> dict[bytes, int]:
        """The ranks of all tokens, a new dictionary on each call.

        >>> ENCODINGS["cl100k_base"].ranks()[b" world"]
        1917
        """
        tokens, _, _ = read_pairs(self.pairs)
        ranks = dict(zip(tokens, range(len(tokens)), strict=True))
        ranks |= self.more_tokens()
        return ranks

    def more_tokens(self) -> list[tuple[bytes, int]]:
        """The tokens that `pairs` does not hold, with their ranks.

        >>> ENCODINGS["p50k_base"].more_tokens()[0]
        (b'  ', 50257)
        """
        first = self.last_rank + 1 - len(self.runs_of_spaces)
        return [(b" " * run, first + at) for at, run in enumerate(self.runs_of_spaces)]


def read_pairs(name: str) -> tuple[list[bytes], list[int], list[int]]:
    """What `unpack` says of a file of the package."""
    return unpack(packed_pairs(name))


def packed_pairs(name: str) -> bytes:
    """A file of the package, as it is."""
    return resources.files(__package__).joinpath(f"{name}.pairs").read_bytes()


_END_OF_TEXT = "<|endoftext|>"
_END_OF_PROMPT = "<|endofprompt|>"
_FILL_IN = ("<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>")

_R50K = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"

_CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)

_O200K = "|".join(
    [
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
)

_HARMONY_NAMES = {
    "<|startoftext|>": 199998,
    _END_OF_TEXT: 199999,
    "<|return|>": 200002,
    "<|constrain|>": 200003,
    "<|channel|>": 200005,
    "<|start|>": 200006,
    "<|end|>": 200007,
    "<|message|>": 200008,
    "<|call|>": 200012,
}


def _harmony() -> dict[str, int]:
    """Every id from 199998 to 201087 has a name; 200018 has two, of which the
    first is what it decodes to."""
    named = set(_HARMONY_NAMES.values())
    reserved = {f"<|reserved_{id}|>": id for id in range(200000, 201088) if id not in named}
    return {_END_OF_PROMPT: 200018} | _HARMONY_NAMES | reserved


_P50K_SPACES = tuple(range(2, 26))

ENCODINGS = {
    "r50k_base": TiktokenEncoding(_R50K, {_END_OF_TEXT: 50256}, "r50k_base", 50255),
    "p50k_base": TiktokenEncoding(
        _R50K, {_END_OF_TEXT: 50256}, "r50k_base", 50280, runs_of_spaces=_P50K_SPACES
    ),
    "p50k_edit": TiktokenEncoding(
        _R50K,
        {_END_OF_TEXT: 50256} | {name: 50281 + at for at, name in enumerate(_FILL_IN)},
        "r50k_base",
        50280,
        runs_of_spaces=_P50K_SPACES,
    ),
    "cl100k_base": TiktokenEncoding(
        _CL100K,
        {_END_OF_TEXT: 100257}
        | {name: 100258 + at for at, name in enumerate(_FILL_IN)}
        | {_END_OF_PROMPT: 100276},
        "cl100k_base",
        100255,
    ),
    "o200k_base": TiktokenEncoding(
        _O200K, {_END_OF_TEXT: 199999, _END_OF_PROMPT: 200018}, "o200k_base", 199997
    ),
    "o200k_harmony": TiktokenEncoding(_O200K, _harmony(), "o200k_base", 199997),
}
"""By name, as in tiktoken. Its `gpt2` is `r50k_base`; ours has Hugging Face's defaults."""
