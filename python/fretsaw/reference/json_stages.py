"""Reading the stages around the model: normalizer, pre_tokenizer, post_processor, decoder.

A `Sequence` is the list of its parts' steps. What is not read is refused by name.

Cost: O(file).
Source: Hugging Face tokenizers 0.23.3, the types, their fields and the defaults of those.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from .decode import (
    BPEDecoder,
    ByteFallback,
    ByteLevelDecoder,
    Decoder,
    Fuse,
    ReplaceDecoder,
    StripDecoder,
    WordPieceDecoder,
)
from .json_fields import (
    read_char,
    read_flag,
    read_list,
    read_literal,
    read_object,
    read_size,
    read_some_text,
    read_text,
    type_of,
    unsupported,
)
from .metaspace import SCHEMES, Metaspace
from .normalize import Lowercase, Normalizer, Prepend, Replace, Strip
from .pre_tokenize import ByteLevel, Digits, Step, WhitespaceSplit
from .template import TEXT, Template

Read = TypeVar("Read")
Reader = Callable[[dict[str, Any], str], Read]


def read_normalizer(stage: Any, where: str = "normalizer") -> list[Normalizer]:
    """Read a normalizer as a list of steps."""
    return [] if stage is None else _read_steps(stage, where, "normalizers", NORMALIZERS)


def read_pre_tokenizer(stage: Any, where: str = "pre_tokenizer") -> list[Step]:
    """Read a pre-tokenizer as a list of steps, of which at most the last one is a ByteLevel."""
    steps = [] if stage is None else _read_steps(stage, where, "pretokenizers", PRE_TOKENIZERS)
    if any(isinstance(step, ByteLevel) for step in steps[:-1]):
        raise unsupported(where, stage)
    return steps


def read_decoder(stage: Any, where: str = "decoder") -> list[Decoder] | None:
    """Read a decoder as a list of steps, or None if the file has none."""
    return None if stage is None else _read_steps(stage, where, "decoders", DECODERS)


def read_post_processor(stage: Any, where: str = "post_processor") -> Template:
    """Read what comes around a single text."""
    if stage is None or type_of(stage) == "ByteLevel":  # which concerns offsets only
        return [TEXT]
    if type_of(stage) != "TemplateProcessing":
        raise unsupported(where, stage)
    names = read_object(stage.get("special_tokens"), f"{where}.special_tokens")
    template: list[list[int] | None] = []
    for place, piece in enumerate(read_list(stage.get("single"), f"{where}.single")):
        at = f"{where}.single[{place}]"
        if "Sequence" in read_object(piece, at):
            if read_object(piece["Sequence"], at).get("id") != "A":
                raise unsupported(at, piece)
            template.append(TEXT)
        else:
            named = read_object(piece.get("SpecialToken"), f"{at}.SpecialToken")
            name = read_text(named.get("id"), f"{at}.SpecialToken.id")
            token = read_object(names.get(name), f"{where}.special_tokens[{name!r}]")
            ids = read_list(token.get("ids"), f"{where}.special_tokens[{name!r}].ids")
            template.append([read_size(token_id, at) for token_id in ids])
    return template


def _read_steps(stage: Any, where: str, parts: str, readers: dict[str, Reader[Read]]) -> list[Read]:
    if type_of(stage) == "Sequence":
        listed = read_list(stage.get(parts), f"{where}.{parts}")
        return [
            step
            for place, part in enumerate(listed)
            for step in _read_steps(part, f"{where}.{parts}[{place}]", parts, readers)
        ]
    if type_of(stage) not in readers:
        raise unsupported(where, stage)
    return [readers[stage["type"]](stage, where)]


def _metaspace(stage: dict[str, Any], where: str) -> Metaspace:
    scheme = stage.get("prepend_scheme", "always")
    if scheme not in SCHEMES:
        raise ValueError(f"{where}.prepend_scheme is {scheme!r}, not one of {', '.join(SCHEMES)}")
    if stage.get("add_prefix_space") is False and scheme != "never":
        raise ValueError(f"{where}.add_prefix_space is false, prepend_scheme is {scheme!r}")
    split = stage.get("split")
    replacement = read_char(stage.get("replacement"), f"{where}.replacement")
    return Metaspace(replacement, scheme, split is None or read_flag(split, f"{where}.split"))


def _byte_level(stage: dict[str, Any], where: str) -> ByteLevel:
    read_flag(stage.get("trim_offsets"), f"{where}.trim_offsets")
    prefix = read_flag(stage.get("add_prefix_space"), f"{where}.add_prefix_space")
    return ByteLevel(prefix, read_flag(stage.get("use_regex", True), f"{where}.use_regex"))


NORMALIZERS: dict[str, Reader[Normalizer]] = {
    "Lowercase": lambda stage, where: Lowercase(),
    "Prepend": lambda stage, where: Prepend(
        read_some_text(stage.get("prepend"), f"{where}.prepend")
    ),
    "Replace": lambda stage, where: Replace(
        read_literal(stage.get("pattern"), f"{where}.pattern"),
        read_text(stage.get("content"), f"{where}.content"),
    ),
    "Strip": lambda stage, where: Strip(
        read_flag(stage.get("strip_left"), f"{where}.strip_left"),
        read_flag(stage.get("strip_right"), f"{where}.strip_right"),
    ),
}

PRE_TOKENIZERS: dict[str, Reader[Step]] = {
    "ByteLevel": _byte_level,
    "Digits": lambda stage, where: Digits(
        read_flag(stage.get("individual_digits"), f"{where}.individual_digits")
    ),
    "Metaspace": _metaspace,
    "WhitespaceSplit": lambda stage, where: WhitespaceSplit(),
}

DECODERS: dict[str, Reader[Decoder]] = {
    "BPEDecoder": lambda stage, where: BPEDecoder(
        read_text(stage.get("suffix"), f"{where}.suffix")
    ),
    "ByteFallback": lambda stage, where: ByteFallback(),
    "ByteLevel": lambda stage, where: ByteLevelDecoder(),
    "Fuse": lambda stage, where: Fuse(),
    "Metaspace": _metaspace,
    "Replace": lambda stage, where: ReplaceDecoder(
        read_literal(stage.get("pattern"), f"{where}.pattern"),
        read_text(stage.get("content"), f"{where}.content"),
    ),
    "Strip": lambda stage, where: StripDecoder(
        read_char(stage.get("content"), f"{where}.content"),
        read_size(stage.get("start"), f"{where}.start"),
        read_size(stage.get("stop"), f"{where}.stop"),
    ),
    "WordPiece": lambda stage, where: WordPieceDecoder(
        read_text(stage.get("prefix"), f"{where}.prefix"),
        read_flag(stage.get("cleanup"), f"{where}.cleanup"),
    ),
}
