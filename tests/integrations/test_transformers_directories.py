"""A folder as Hugging Face lays it out: `Tokenizer.from_file` gives what AutoTokenizer runs on.

Checked for tokenizers whose class takes the file as it is. A class that builds a tokenizer anew has
rules of its own, which no file says.
"""

import json
import random
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from tokenizers import models, normalizers, pre_tokenizers
from transformers import AutoTokenizer
from transformers_folders import load, make_folder

import fretsaw

TEXT = "a b <s> </s> [MASK] x  <extra> <old> <more> A Bx <s>a </s>b <odd>"
WORDS = ["[UNK]", "a", "b", "x", "<s>", "<odd>"]


def write(folder: Path, files: dict[str, Any]) -> Path:
    """Writes a folder with a small tokenizer.json and other files."""
    folder.mkdir()
    words = models.WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]")
    made = tokenizers.Tokenizer(words)
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.add_special_tokens(["[UNK]", "<old>"])
    made.add_tokens(["<more>"])
    made.save(str(folder / "tokenizer.json"))
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content))
    return folder


def known(tokenizer: Any) -> Any:
    """What depends on added tokens."""
    added = tokenizer.get_added_tokens_decoder().items()
    fields = ("content", "single_word", "lstrip", "rstrip", "normalized", "special")
    return {
        "added": {id: [getattr(token, name) for name in fields] for id, token in added},
        "ids": tokenizer.encode(TEXT).ids,
        "tokens": tokenizer.encode(TEXT).tokens,
        "text": tokenizer.decode(tokenizer.encode(TEXT).ids),
        "size": tokenizer.get_vocab_size(),
    }


def check(folder: Path) -> None:
    usual = AutoTokenizer.from_pretrained(folder).backend_tokenizer
    assert known(fretsaw.Tokenizer.from_file(folder)) == known(usual)


TOKEN = {"lstrip": True, "rstrip": False, "single_word": False, "normalized": False}
FAST = {"tokenizer_class": "PreTrainedTokenizerFast"}
FOLDERS: dict[str, dict[str, Any]] = {
    "no other files": {"tokenizer_config.json": FAST},
    "names": {
        "tokenizer_config.json": FAST
        | {"mask_token": "[MASK]", "bos_token": "<s>", "eos_token": "</s>", "unk_token": "[UNK]"}
    },
    "names with fields": {
        "tokenizer_config.json": FAST
        | {"mask_token": {"__type": "AddedToken", "content": "[MASK]", **TOKEN, "special": True}}
    },
    "a list": {
        "tokenizer_config.json": FAST
        | {
            "added_tokens_decoder": {
                "9": {"content": "</s>", **TOKEN, "special": False},
                "7": {"content": "<old>", **TOKEN, "special": False},
                "4": {"content": "<s>", **TOKEN, "special": True},
            },
            "eos_token": "</s>",
            "cls_token": "<new>",
        },
        "special_tokens_map.json": {"mask_token": "[MASK]"},
        "added_tokens.json": {"x": 3},
    },
    "extra ones": {
        "tokenizer_config.json": FAST
        | {"extra_special_tokens": ["<extra>", "<s>"], "image_token": "<odd>"}
    },
    "extra ones by their old name": {
        "tokenizer_config.json": FAST | {"additional_special_tokens": ["<extra>", "<extra>"]}
    },
    "extra ones with names": {
        "tokenizer_config.json": FAST
        | {"extra_special_tokens": {"one_token": "<extra>", "a_token": "</s>"}}
    },
    "older files": {
        "tokenizer_config.json": FAST | {"bos_token": "<s>"},
        "special_tokens_map.json": {
            "bos_token": "</s>",
            "mask_token": {"content": "[MASK]", **TOKEN},
            "additional_special_tokens": ["<extra>"],
        },
        "added_tokens.json": {"x": 12, "<extra>": 11, "[MASK]": 10, "<old>": 6},
    },
    "older files alone": {
        "tokenizer_config.json": FAST,
        "added_tokens.json": {"</s>": 3, "b": 4},
    },
}


@pytest.mark.parametrize("name", FOLDERS)
def test_files_together(name: str, tmp_path: Path):
    check(write(tmp_path / "folder", FOLDERS[name]))


def test_random_files(tmp_path: Path):
    chance = random.Random(5)
    contents = ["<s>", "</s>", "[MASK]", "<extra>", "<old>", "<more>", "x", "A", "<odd>", "[UNK]"]

    def token() -> Any:
        content = chance.choice(contents)
        if chance.random() < 0.5:
            return content
        flags = {name: chance.random() < 0.3 for name in (*TOKEN, "special")}
        return {"__type": "AddedToken", "content": content, **flags}

    def listed() -> Any:
        return {name: value for name, value in token_dict().items() if name != "__type"}

    def token_dict() -> Any:
        while not isinstance(made := token(), dict):
            pass
        return made

    names = ["bos_token", "eos_token", "unk_token", "pad_token", "mask_token"]
    for number in range(120):
        config: dict[str, Any] = dict(FAST)
        config |= {name: token() for name in names if chance.random() < 0.4}
        if chance.random() < 0.4:
            config["extra_special_tokens"] = [token() for _ in range(3)]
        files: dict[str, Any] = {"tokenizer_config.json": config}
        if chance.random() < 0.5:
            ids = chance.sample(range(12), 3)
            config["added_tokens_decoder"] = {str(id): listed() for id in ids}
        elif chance.random() < 0.7:
            files["special_tokens_map.json"] = {
                name: chance.choice(contents) for name in names if chance.random() < 0.4
            }
            files["added_tokens.json"] = dict(
                zip(chance.sample(contents, 3), chance.sample(range(12), 3), strict=True)
            )
        folder = write(tmp_path / str(number), files)
        check(folder)


@pytest.mark.parametrize("name", ["bert-file", "smollm2"])
def test_real_folders(name: str, data_dir: Path, tmp_path: Path):
    folder = make_folder(name, data_dir, tmp_path / name)
    check(folder)
    tokenizer = load(folder, False)
    tokenizer.add_tokens(["<new>", "naïve"])
    tokenizer.add_special_tokens({"extra_special_tokens": ["<odd>"]})
    tokenizer.save_pretrained(tmp_path / "again")
    check(tmp_path / "again")


def test_a_broken_file_is_named(tmp_path: Path):
    folder = write(tmp_path / "folder", {})
    (folder / "tokenizer_config.json").write_text('{"bos_token": ')
    with pytest.raises(fretsaw.SpecError, match="JSON"):
        fretsaw.Tokenizer.from_file(folder)
    (folder / "tokenizer_config.json").write_text("[]")
    with pytest.raises(fretsaw.SpecError, match=r"tokenizer_config\.json"):
        fretsaw.Tokenizer.from_file(folder)


def test_a_compiled_file_follows_them(tmp_path: Path):
    folder = write(tmp_path / "folder", FOLDERS["names"])
    first = fretsaw.Tokenizer.from_file(folder, cache=True)
    assert (
        first.encode(TEXT).ids == fretsaw.Tokenizer.from_file(folder, cache=True).encode(TEXT).ids
    )
    (folder / "tokenizer_config.json").write_text(
        json.dumps(FOLDERS["extra ones"]["tokenizer_config.json"])
    )
    again = fretsaw.Tokenizer.from_file(folder, cache=True)
    assert known(again) == known(fretsaw.Tokenizer.from_file(folder))
    assert known(again) != known(first)
