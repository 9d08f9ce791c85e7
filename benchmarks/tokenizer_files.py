"""The tokenizer.json files that are measured: of the data folder, or those that come with the tests."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

from definitions import Definitions

FIXTURES = Path(__file__).resolve().parent.parent / "tests" / "fixtures"


def file_of(name: str, definitions: Definitions) -> bytes:
    """The content of a tokenizer.json, or that of a stand-in; raises `FileNotFoundError`."""
    stand_in = definitions.stand_ins.get(name)
    if stand_in is None:
        return _read(name)
    # One model's split over the vocabulary of another.
    spec = json.loads(_read(stand_in["vocabulary"]))
    split = json.loads(_read(stand_in["pre_tokenizer"]))
    spec["pre_tokenizer"] = split["pre_tokenizer"]
    return json.dumps(spec, ensure_ascii=False).encode()


def _read(name: str) -> bytes:
    folder = os.environ.get("FRETSAW_DATA")
    places = [Path(folder, "tokenizers")] if folder else []
    for place in [*places, FIXTURES]:
        path = place / f"{name}.json.gz"
        if path.exists():
            return gzip.decompress(path.read_bytes())
    raise FileNotFoundError(f"{name}: in no folder of tokenizers (FRETSAW_DATA names one)")
