"""Expected ids that other projects publish: kitoken's and llama.cpp's vectors.

Both were made without special tokens. kitoken's inputs spell control characters as escapes; a line
with any other escape is left out.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

import fretsaw

Load = Callable[[str], fretsaw.Tokenizer]

KITOKEN = {
    "clip-vit": "clip_base",
    "deepseek-v3": "r1",
    "gpt-neox": "gpt_neox",
    "gpt-oss": "gpt_oss",
    "gpt2": "gpt2",
    "llama3.1": "llama33",
    "mistral-nemo-tekken": "mistral2410",
    "modernbert": "modernbert",
}
LLAMA_CPP = {
    "deepseek-llm": "deepseek-llm",
    "falcon": "falcon",
    "gpt2": "gpt-2",
    "llama3.1": "llama-bpe",
    "qwen3": "qwen2",
    "starcoder2": "starcoder",
}
ESCAPES = {r"\n": "\n", r"\r": "\r", r"\t": "\t"}


def members(path: Path) -> dict[str, str]:
    """The text files of an archive by their names without folders."""
    with tarfile.open(fileobj=io.BytesIO(path.read_bytes())) as archive:
        files = [member for member in archive.getmembers() if member.isfile()]
        contents = {}
        for file in files:
            opened = archive.extractfile(file)
            assert opened is not None
            contents[Path(file.name).name] = opened.read().decode("utf-8")
        return contents


@pytest.fixture(scope="module")
def kitoken(data_dir: Path) -> dict[str, str]:
    return members(data_dir / "native" / "vectors" / "kitoken-vectors.tar.gz")


@pytest.fixture(scope="module")
def llama_cpp(data_dir: Path) -> dict[str, str]:
    return members(data_dir / "native" / "vectors" / "llama.cpp-vocab-vectors.tar.gz")


def ids_of(line: str) -> list[int]:
    return [int(number) for number in line.replace(",", " ").split()]


def unescaped(line: str) -> str | None:
    for escape, character in ESCAPES.items():
        line = line.replace(escape, character)
    return None if "\\" in line else line


@pytest.mark.parametrize("name", KITOKEN)
def test_kitoken_lines(name: str, load: Load, kitoken: dict[str, str]) -> None:
    tokenizer = load(name)
    checked = 0
    for size in ("small", "mixed"):
        lines = kitoken[f"{size}_input.txt"].split("\n")
        wanted = kitoken[f"{size}_tokens_{KITOKEN[name]}.txt"].split("\n")
        assert len(lines) == len(wanted)
        for line, want in zip(lines, wanted, strict=True):
            text = unescaped(line)
            if text is not None:
                assert tokenizer.encode_ids(text, add_special_tokens=False) == ids_of(want), line
                checked += 1
    assert checked > 100


@pytest.mark.parametrize("name", KITOKEN)
def test_kitoken_text(name: str, load: Load, kitoken: dict[str, str]) -> None:
    want = ids_of(kitoken[f"utf8_tokens_{KITOKEN[name]}.txt"])
    got = load(name).encode_ids(kitoken["utf8_input.txt"], add_special_tokens=False)
    assert got == want


@pytest.mark.parametrize("name", LLAMA_CPP)
def test_llama_cpp_inputs(name: str, load: Load, llama_cpp: dict[str, str]) -> None:
    stem = f"ggml-vocab-{LLAMA_CPP[name]}.gguf"
    texts = llama_cpp[f"{stem}.inp"].split("\n__ggml_vocab_test__\n")
    lines = llama_cpp[f"{stem}.out"].split("\n")
    assert len(texts) > 40
    for text, line in zip(texts, lines, strict=False):
        assert load(name).encode_ids(text, add_special_tokens=False) == ids_of(line), text
