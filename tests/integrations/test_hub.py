"""`Tokenizer.from_pretrained`: a stand-in server, the cache on disk, offline, and local folders.

The library for the hub reads its environment when it is imported, so that each case is a process.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hub_server import Hub, commit_of, hash_of, serving
from tokenizers import Tokenizer, models

import fretsaw

SCRIPT = """
import json, sys
import fretsaw
for name, options in json.loads(sys.argv[1]):
    try:
        tokenizer = fretsaw.Tokenizer.from_pretrained(name, **options)
        result = [tokenizer.encode("a b <s>").ids, tokenizer.get_vocab_size()]
    except Exception as error:
        result = [kind.__name__ for kind in type(error).__mro__] + [str(error)]
    print(json.dumps(result))
"""


def tokenizer_json(word: str) -> bytes:
    made = Tokenizer(models.WordLevel({"a b <s>": 1, word: 2, "[UNK]": 0}, unk_token="[UNK]"))
    return made.to_str().encode()


CONFIG = json.dumps({"bos_token": "<s>"}).encode()
VOCAB = json.dumps({"a": 0, "b": 1, "Ġ": 2, "<": 3, "s": 4, ">": 5, "Ġb": 6}).encode()

Run = Callable[..., Any]


@pytest.fixture
def hub() -> Hub:
    return Hub(
        {
            "org/whole": {
                "main": {
                    "tokenizer.json": tokenizer_json("x"),
                    "tokenizer_config.json": CONFIG,
                    "model.safetensors": b"large",
                    "vocab.json": b"not needed",
                },
                "other": {"tokenizer.json": tokenizer_json("<s>")},
            },
            "org/pair": {"main": {"vocab.json": VOCAB, "merges.txt": "Ġ b\n".encode()}},
            "org/empty": {"main": {"README.md": b""}},
        }
    )


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Loads in a process of its own, with a cache of this test's."""

    def run(env: dict[str, str], *calls: tuple[str, dict[str, str]]) -> list[Any]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith("HF_")}
        command = [sys.executable, "-c", SCRIPT, json.dumps(calls)]
        result = subprocess.run(
            command,
            env=kept | {"HF_HOME": str(tmp_path / "home"), **env},
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
        )
        return [json.loads(line) for line in result.stdout.splitlines()]

    return run


OFFLINE = {"HF_HUB_OFFLINE": "1"}


def test_from_a_server_then_offline(hub: Hub, run: Run, tmp_path: Path):
    with serving(hub):
        whole, other, pair, *errors = run(
            {"HF_ENDPOINT": hub.endpoint},
            ("org/whole", {}),
            ("org/whole", {"revision": "other", "token": "secret"}),
            ("org/pair", {}),
            ("org/none", {}),
            ("org/whole", {"revision": "none"}),
            ("org/empty", {}),
        )
    assert whole == [[0, 3], 4]
    assert other == [[1], 3]
    assert pair == [[0, 6, 2, 3, 4, 5], 7]
    assert "RepositoryNotFoundError" in errors[0]
    assert "RevisionNotFoundError" in errors[1]
    assert "FileNotFoundError" in errors[2]
    assert "org/empty has no tokenizer.json" in errors[2][-1]
    asked = [path for path in hub.asked if path.startswith("/org/whole/")]
    assert {path.rpartition("/")[2] for path in asked} == {
        "tokenizer.json",
        "tokenizer_config.json",
    }
    assert "Bearer secret" in hub.tokens

    again = run(OFFLINE, ("org/whole", {}), ("org/whole", {"revision": "other"}), ("org/new", {}))
    assert again[:2] == [whole, other]
    assert "LocalEntryNotFoundError" in again[2]
    folder = tmp_path / "home" / "hub" / "models--org--whole"
    assert (folder / "refs" / "main").read_text() == commit_of("main")
    assert (folder / "snapshots" / commit_of("main") / "tokenizer.json").exists()


def test_a_cache_made_by_hand(run: Run, tmp_path: Path):
    """As other programs lay it out: blobs, links to them by commit, and names of commits."""
    content, commit = tokenizer_json("<s>"), commit_of("main")
    folder = tmp_path / "home" / "hub" / "models--org--made"
    (folder / "blobs").mkdir(parents=True)
    (folder / "blobs" / hash_of(content)).write_bytes(content)
    snapshot = folder / "snapshots" / commit
    snapshot.mkdir(parents=True)
    (snapshot / "tokenizer.json").symlink_to(f"../../blobs/{hash_of(content)}")
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text(commit)
    local = tmp_path / "org" / "local"
    local.mkdir(parents=True)
    (local / "tokenizer.json").write_bytes(tokenizer_json("y"))
    calls = ("org/made", {}), ("org/made", {"revision": commit}), ("org/local", {})
    assert run(OFFLINE, *calls) == [[[1], 3], [[1], 3], [[1], 3]]
    by_file = fretsaw.Tokenizer.from_pretrained(local / "tokenizer.json")
    assert by_file.token_to_id("y") == 2


def test_without_the_library(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(ImportError, match=r"pip install 'fretsaw\[hub\]'"):
        fretsaw.Tokenizer.from_pretrained("org/name")
