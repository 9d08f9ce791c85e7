"""GPT-2's and SmolLM2's own files: known ids, then the oracle's for random texts and ids."""

from __future__ import annotations

import gzip
import pathlib
import random

import pytest
import tokenizers

from fretsaw.reference import StreamDecoder, Tokenizer

FRAGMENTS = [" ", "  ", "\n", "'s", "'S", "the", " The", "é", "e\u0301", "हिन्दी", "猫", "แมว", "😀", "👍🏽",
             "12345", "½", "\u3000", "\u200d", "<|endoftext|>", "<|im_start|>",
             "def f(x):\n    return"]  # fmt: skip


def read(data_dir: pathlib.Path, name: str) -> str:
    path = data_dir / "tokenizers" / f"{name}.json.gz"
    if not path.exists():
        pytest.skip(f"{path.name} is not in the data folder")
    return gzip.decompress(path.read_bytes()).decode()


def random_text(source: random.Random) -> str:
    parts = []
    for _ in range(source.randrange(10)):
        code_point = source.randrange(source.choice([0x80, 0x3000, 0xD800, 0x30000, 0x110000]))
        foreign = "?" if 0xD800 <= code_point < 0xE000 else chr(code_point)
        parts.append(source.choice([foreign, source.choice(FRAGMENTS)]))
    return "".join(parts)


def test_known_ids_of_gpt2(data_dir: pathlib.Path) -> None:
    tokenizer = Tokenizer.from_str(read(data_dir, "gpt2"))
    assert tokenizer.model.merges()[0] == ("Ġ", "t")
    assert tokenizer.model.rules[tokenizer.model.vocab["Ġ"], tokenizer.model.vocab["t"]] == (0, 256)
    assert tokenizer.encode("Hello world<|endoftext|>") == [15496, 995, 50256]
    assert tokenizer.encode("😀") == [47249, 222]
    stream = StreamDecoder(tokenizer)
    assert [stream.push(47249), stream.push(222), stream.finish()] == ["", "😀", ""]
    assert tokenizer.encode("<|endoftext|>", special="none") == [27, 91, 437, 1659, 5239, 91, 29]


def test_digits_of_smollm2_are_tokens_of_their_own(data_dir: pathlib.Path) -> None:
    tokenizer = Tokenizer.from_str(read(data_dir, "smollm2"))
    assert tokenizer.tokens(tokenizer.encode("12345")) == list("12345")
    assert tokenizer.encode("<|im_start|>") == [1]


def test_bytes_that_smollm2_has_no_token_for_are_lost_as_in_the_oracle(
    data_dir: pathlib.Path,
) -> None:
    file = read(data_dir, "smollm2")
    ours, oracle = Tokenizer.from_str(file), tokenizers.Tokenizer.from_str(file)
    text = "a\x06b\U00040b32c"
    assert ours.encode(text) == oracle.encode(text).ids
    assert ours.decode(ours.encode(text)) == "ab\ufffd\ufffd\ufffdc"


@pytest.mark.parametrize("name", ["gpt2", "smollm2"])
def test_equals_the_oracle(data_dir: pathlib.Path, name: str) -> None:
    file = read(data_dir, name)
    ours, oracle = Tokenizer.from_str(file), tokenizers.Tokenizer.from_str(file)
    source = random.Random(7)
    for _ in range(1000):
        text = random_text(source)
        want = oracle.encode(text).ids
        assert ours.encode(text) == want, text
        ids = [*want, *(source.randrange(60000) for _ in range(8))]
        decoded = oracle.decode(ids)
        assert ours.decode(ids) == decoded, ids
        stream = StreamDecoder(ours)
        assert "".join([*map(stream.push, ids), stream.finish()]) == decoded, ids


def test_the_file_we_write_loads_with_the_same_ids(data_dir: pathlib.Path) -> None:
    ours = Tokenizer.from_str(read(data_dir, "smollm2"))
    oracle = tokenizers.Tokenizer.from_str(ours.to_json())
    source = random.Random(8)
    for _ in range(300):
        text = random_text(source)
        assert oracle.encode(text).ids == ours.encode(text), text
