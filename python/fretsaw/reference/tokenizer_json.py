"""Reading and writing tokenizer.json, the part of it that this specification can encode exactly.

What is read: the models, the pre-tokenizers ByteLevel (as the last step), Digits, Metaspace and
WhitespaceSplit; the normalizers Lowercase, Prepend, Replace with a literal text, Strip; a template
around a single text; the decoders but CTC; added tokens. Settings that can't change an id are passed
over. Everything else is refused by name, so that a file that loads is a file whose ids are right.
What is written: byte-level BPE.

Cost: O(file).
Source: Hugging Face tokenizers 0.23.3, which fields it reads and what it makes of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from .added_tokens import AddedToken
from .bpe import BytePairEncoder
from .decimals import read_decimal
from .decode import ByteLevelDecoder, Decoder
from .json_fields import read_flag, read_list, read_object, unsupported
from .json_models import Model, read_model
from .json_stages import read_decoder, read_normalizer, read_post_processor, read_pre_tokenizer
from .normalize import Normalizer
from .pre_tokenize import ByteLevel, Step
from .template import TEXT, Template

FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")


def _byte_level() -> list[Decoder] | None:
    return [ByteLevelDecoder()]


@dataclass(frozen=True)
class Spec:
    """The contents of a file, as plain data."""

    model: Model
    added_tokens: list[AddedToken]
    steps: list[Step]
    normalizer: list[Normalizer] = field(default_factory=list)
    template: Template = (TEXT,)
    decoder: list[Decoder] | None = field(default_factory=_byte_level)


def read(text: str) -> Spec:
    """Read a tokenizer.json; raises ValueError naming the field that is wrong or not supported."""
    data = read_object(json.loads(text, parse_float=read_decimal), "the file")
    if data.get("version", "1.0") != "1.0":
        raise unsupported("version", data["version"])
    for name in ("truncation", "padding"):
        if data.get(name) is not None:
            raise unsupported(name, data[name])
    steps = read_pre_tokenizer(data.get("pre_tokenizer"))
    byte_level = bool(steps) and isinstance(steps[-1], ByteLevel)
    return Spec(
        model=read_model(data.get("model"), byte_level),
        added_tokens=[
            _read_added(token, f"added_tokens[{index}]")
            for index, token in enumerate(read_list(data.get("added_tokens", []), "added_tokens"))
        ],
        steps=steps,
        normalizer=read_normalizer(data.get("normalizer")),
        template=read_post_processor(data.get("post_processor")),
        decoder=read_decoder(data.get("decoder")),
    )


def write(spec: Spec, added_ids: Mapping[str, int]) -> str:
    """Write a tokenizer.json that Hugging Face loads and that gives the same ids.

    Raises ValueError for anything but byte-level BPE.
    """
    plain = not spec.normalizer and spec.decoder == [ByteLevelDecoder()]
    if not isinstance(spec.model, BytePairEncoder) or not plain or list(spec.template) != [TEXT]:
        raise ValueError("only byte-level BPE without normalizer and template can be written")
    steps: list[dict[str, Any]] = [
        {"type": type(step).__name__, **asdict(step)} for step in spec.steps
    ]
    steps[-1]["trim_offsets"] = True
    data = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": added_ids[token.content], **asdict(token)} for token in spec.added_tokens
        ],
        "normalizer": None,
        "pre_tokenizer": steps[0]
        if len(steps) == 1
        else {"type": "Sequence", "pretokenizers": steps},
        "post_processor": None,
        "decoder": steps[-1],
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": spec.model.ignore_merges,
            "vocab": spec.model.vocab,
            "merges": [list(pair) for pair in spec.model.merges()],
        },
    }
    return json.dumps(data, ensure_ascii=False, indent=2)


def _read_added(token: Any, where: str) -> AddedToken:
    fields = read_object(token, where)
    if not isinstance(fields.get("content"), str):
        raise ValueError(f"{where}.content: {fields.get('content')!r} is not a string")
    return AddedToken(
        fields["content"], *(read_flag(fields.get(flag), f"{where}.{flag}") for flag in FLAGS)
    )
