"""The tokenizers whose digests are frozen, and how the oracle for one is made from its file."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Final

import tiktoken
import tokenizers
from tokenizers import Tokenizer

ORACLE_VERSIONS: Final = {"tokenizers": "0.23.3", "tiktoken": "0.14.0"}

# Every file of the data folder, by what its model is.
TABLES: Final[dict[str, tuple[str, ...]]] = {
    "byte-level BPE": (
        "cl100k-gpt35turbo", "claude", "clip-vit", "deepseek-llm", "deepseek-v3", "deepseek-v4",
        "falcon", "gpt-neox", "gpt-oss", "gpt2", "llama3.1", "mistral-nemo-tekken", "modernbert",
        "o200k-gpt4o", "phi-2", "qwen3", "roberta-base", "smollm2", "smollm2-pad192", "starcoder2",
        "whisper-large-v3",
    ),
    "BPE": ("chatglm", "envit5", "gemma1", "gemma3", "llama2", "mistral-v0.1", "mistral-v0.3"),
    "WordPiece": ("bert-base-cased", "bert-base-chinese", "bert-base-uncased", "minilm-l6-v2"),
    "Unigram": (
        "albert-v5save", "mbart-zero-scores", "t5-custom-32k", "t5-small", "t5-v1_1-xxl",
        "xlm-roberta", "xlnet-base-cased",
    ),
}  # fmt: skip

ALL_NAMES: Final = tuple(sorted(name for names in TABLES.values() for name in names))


def data_folder() -> Path:
    """The folder that FRETSAW_DATA names."""
    value = os.environ.get("FRETSAW_DATA")
    if not value:
        raise SystemExit("set FRETSAW_DATA to the folder with tokenizers/, native/ and text/")
    return Path(value)


def check_versions() -> None:
    """Stops if an oracle is not the version that the frozen values are made with."""
    found = {"tokenizers": tokenizers.__version__, "tiktoken": tiktoken.__version__}
    if found != ORACLE_VERSIONS:
        raise SystemExit(f"oracles are {found}, the frozen values need {ORACLE_VERSIONS}")


def load_tokenizer(name: str) -> Tokenizer:
    """The oracle for a file of the data folder, by its name without the suffix."""
    path = data_folder() / "tokenizers" / f"{name}.json.gz"
    return Tokenizer.from_str(gzip.decompress(path.read_bytes()).decode("utf-8"))


def model_of(name: str) -> str:
    """What kind of model a file holds."""
    return next(model for model, names in TABLES.items() if name in names)
