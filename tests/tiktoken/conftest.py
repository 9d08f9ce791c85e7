"""tiktoken's own encodings without the network, and the texts to compare them on."""

import base64
import functools
import gzip
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import tiktoken
from rank_files import NAMES
from tiktoken_ext import openai_public

from fretsaw.vocabularies.tiktoken_encodings import ENCODINGS

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from oracle.random_strings import random_strings

SEED = 71_114

SAMPLES = [
    "",
    "hello world",
    "  Hello,\n\n  World!  ",
    "don't DON'T it's IT'S we'Ll they'RE 'tis ''s",
    "naïve café – “quotes” … 世界 👋🏽 👨‍👩‍👧 नमस्ते กำ ﷽",
    "1 12 123 1234 12345678901 ٣٤٥٦ ⅷ½ 3.14",
    "def f(x):\n\treturn x  # comment\r\n\r\n\n   \n",
    "a\u00a0b\u2003c\u3000d\u200be\u0085f\x1cg\x00h",
    "<|endoftext|> <|fim_prefix|>x<|endofprompt|><|start|>user<|message|>hi<|end|>",
    "iPhone HTMLParser XMLHttpRequest ǅungla ÀÉÎõü ßẞ",
    "\n \n  \n\t\n ",
    "   trailing   ",
    "/usr/bin/env\n//\r\n///",
    "e\u0301\u0301 \u0301 a\u0301b 각 가",
    "a" * 300 + " " * 300 + "\n" * 120 + "!" * 150 + "ab" * 120,
]


def ranks_of_file(name: str) -> dict[bytes, int]:
    """Ranks from the data folder, or else what comes with the package."""
    if "FRETSAW_DATA" not in os.environ:
        return ENCODINGS[name].ranks()
    path = Path(os.environ["FRETSAW_DATA"]) / "native" / "tiktoken" / f"{name}.tiktoken.gz"
    lines = (line.split() for line in gzip.decompress(path.read_bytes()).splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in lines}


@functools.cache
def made_by_tiktoken(name: str) -> tiktoken.Encoding:
    """An encoding from tiktoken's own definition, with the ranks put under it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            openai_public,
            "load_tiktoken_bpe",
            lambda url, expected_hash: ranks_of_file(Path(url).stem),
        )
        patch.setattr(
            openai_public,
            "data_gym_to_mergeable_bpe_ranks",
            lambda **files: ranks_of_file("r50k_base"),
        )
        return tiktoken.Encoding(**openai_public.ENCODING_CONSTRUCTORS[name]())


@pytest.fixture(scope="session")
def oracle() -> Callable[[str], tiktoken.Encoding]:
    """tiktoken's encoding of a name."""
    return made_by_tiktoken


@pytest.fixture(scope="session")
def texts() -> list[str]:
    """Samples and 2,000 random strings."""
    return [*SAMPLES, *random_strings(SEED, 0, 2000)]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that takes `name` runs for every encoding."""
    if "name" in metafunc.fixturenames:
        metafunc.parametrize("name", NAMES)
