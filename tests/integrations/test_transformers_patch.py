"""What `patch` and `unpatch` reach: imports, classes, workers, and what falls back."""

import json
import multiprocessing
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from datasets import Dataset, disable_caching
from tokenizers import models, pre_tokenizers
from transformers import AutoTokenizer, BertTokenizer, PreTrainedTokenizerFast
from transformers.tokenization_utils_tokenizers import TokenizersBackend
from transformers_folders import CONFIGS, load, plain

import fretsaw
from fretsaw.integrations.transformers import patch, unpatch
from fretsaw.integrations.transformers._backend import Backend
from fretsaw.integrations.transformers._calls import fits

FolderOf = Callable[[str], Path]


def runs_on(tokenizer: Any) -> type:
    """The class of what encodes."""
    tokenizer("a")
    backend = tokenizer.backend_tokenizer
    return type(backend._truth) if isinstance(backend, Backend) else type(backend)


@pytest.mark.parametrize("name", sorted(CONFIGS))
def test_every_class_runs_on_fretsaw(name: str, folder_of: FolderOf):
    tokenizer = load(folder_of(name), True)
    usual = load(folder_of(name), False)
    assert runs_on(tokenizer) is fretsaw.Tokenizer
    assert runs_on(usual) is tokenizers.Tokenizer
    assert type(tokenizer) is type(usual)


def test_ways_to_make_one(folder_of: FolderOf, patched: None):
    folder = folder_of("bert")
    file = str(folder / "tokenizer.json")
    original = tokenizers.Tokenizer.from_file(file)
    made = [
        AutoTokenizer.from_pretrained(folder),
        BertTokenizer.from_pretrained(folder),
        PreTrainedTokenizerFast(tokenizer_file=file),
        PreTrainedTokenizerFast(tokenizer_object=original),
        BertTokenizer(vocab=original.get_vocab(False)),
    ]
    assert {runs_on(tokenizer) for tokenizer in made} == {fretsaw.Tokenizer}
    assert isinstance(original, tokenizers.Tokenizer)


def test_patch_and_unpatch(folder_of: FolderOf):
    before = dict(vars(TokenizersBackend))
    old = load(folder_of("bert"), False)
    patch()
    patch()
    new = AutoTokenizer.from_pretrained(folder_of("bert"))
    assert runs_on(old) is tokenizers.Tokenizer
    assert old("Hello")["input_ids"] == new("Hello")["input_ids"]
    unpatch()
    unpatch()
    assert dict(vars(TokenizersBackend)) == before
    assert runs_on(new) is fretsaw.Tokenizer
    assert runs_on(AutoTokenizer.from_pretrained(folder_of("bert"))) is tokenizers.Tokenizer


SCRIPT = """
import sys
import fretsaw
assert not {"transformers", "tokenizers", "huggingface_hub"} & set(sys.modules)
if sys.argv[2] == "after":
    from transformers import AutoTokenizer
from fretsaw.integrations.transformers import patch
assert sys.argv[2] == "after" or "transformers" not in sys.modules
patch()
from transformers import AutoTokenizer
tokenizer = AutoTokenizer.from_pretrained(sys.argv[1])
print(type(tokenizer.backend_tokenizer).__name__, tokenizer("Hello world")["input_ids"])
"""


@pytest.mark.parametrize("when", ["before", "after"])
def test_before_and_after_the_import(when: str, folder_of: FolderOf):
    command = [sys.executable, "-c", SCRIPT, str(folder_of("bert")), when]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.stdout == "Backend [101, 7592, 2088, 102]\n", result.stderr


def test_without_transformers(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "transformers.tokenization_utils_tokenizers", None)
    with pytest.raises(ImportError, match=r"fretsaw\[transformers\]"):
        patch()


def test_other_versions_go_the_usual_way(folder_of: FolderOf, monkeypatch: pytest.MonkeyPatch):
    import transformers

    assert fits()
    monkeypatch.setattr(transformers, "__version__", "5.999.0")
    assert not fits()
    usual = TokenizersBackend._encode_plus
    patch()
    try:
        assert TokenizersBackend._encode_plus is usual
        tokenizer = AutoTokenizer.from_pretrained(folder_of("bert"))
        assert tokenizer("Hello world")["input_ids"] == [101, 7592, 2088, 102]
    finally:
        unpatch()


def encode_in_worker(given: tuple[Any, list[str]]) -> tuple[str, list[list[int]]]:
    """For another process."""
    tokenizer, texts = given
    return runs_on(tokenizer).__module__, tokenizer(texts)["input_ids"]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers(method: str, folder_of: FolderOf, monkeypatch: pytest.MonkeyPatch):
    path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", path)
    tokenizer = load(folder_of("smollm2"), True)
    tokenizer.add_tokens("<new>")
    texts = ["Hello <new> world", "x"]
    here = tokenizer(texts)["input_ids"]
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        module, there = pool.submit(encode_in_worker, (tokenizer, texts)).result()
    assert (module, there) == ("fretsaw", here)


@pytest.mark.parametrize("workers", [None, 2])
def test_datasets(workers: int | None, folder_of: FolderOf, patched: None):
    disable_caching()
    texts = [f"Text number {at}, naïve." for at in range(50)]
    rows = Dataset.from_dict({"text": texts})
    options = {"truncation": True, "max_length": 8, "padding": "max_length"}
    found = []
    for on_fretsaw in (False, True):
        tokenizer = load(folder_of("bert"), on_fretsaw)
        mapped = rows.map(
            lambda batch, tokenizer=tokenizer: tokenizer(batch["text"], **options),
            batched=True,
            batch_size=10,
            num_proc=workers,
        )
        found.append(mapped.to_dict())
    assert found[0] == found[1]


def test_a_component_in_python_falls_back(
    folder_of: FolderOf, monkeypatch: pytest.MonkeyPatch, patched: None
):
    class Halves:
        """Cuts a text in two."""

        def pre_tokenize(self, text: Any) -> None:
            text.split(lambda _, part: [part[: len(str(part)) // 2], part[len(str(part)) // 2 :]])

    monkeypatch.setattr("fretsaw.integrations.transformers._truth._warned", set())
    tokenizer = AutoTokenizer.from_pretrained(folder_of("bert"))
    backend = tokenizer.backend_tokenizer
    tokenizer("a")
    before = backend.pre_tokenizer
    backend.pre_tokenizer = pre_tokenizers.PreTokenizer.custom(Halves())
    with pytest.warns(RuntimeWarning, match="runs on tokenizers"):
        assert tokenizer.tokenize("abcdef") == ["abc", "def"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tokenizer.tokenize("abcdef") == ["abc", "def"]
        assert runs_on(tokenizer) is tokenizers.Tokenizer
        backend.pre_tokenizer = before
        assert runs_on(tokenizer) is fretsaw.Tokenizer


def test_a_file_that_is_refused_falls_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, patched: None
):
    """Two tokens with one id: tokenizers takes it."""
    monkeypatch.setattr("fretsaw.integrations.transformers._truth._warned", set())
    vocab = {"a": 0, "b": 0, "[UNK]": 1}
    path = tmp_path / "tokenizer.json"
    tokenizers.Tokenizer(models.WordLevel({"a": 0}, unk_token="[UNK]")).save(str(path))
    document = json.loads(path.read_text())
    document["model"]["vocab"] = vocab
    path.write_text(json.dumps(document))
    with pytest.raises(fretsaw.UnsupportedError) as refusal:
        fretsaw.Tokenizer.from_file(path)
    with pytest.warns(RuntimeWarning, match="runs on tokenizers") as warned:
        ours = PreTrainedTokenizerFast(tokenizer_file=str(path))
    assert str(refusal.value) in str(warned[0].message)
    unpatch()
    usual = PreTrainedTokenizerFast(tokenizer_file=str(path))
    assert plain(ours(["b", "c"], padding=False)) == plain(usual(["b", "c"], padding=False))


@pytest.mark.parametrize("content", ["", "{", "[]", '{"model": 3}', "\ufeff{}", "AA== 0"])
def test_broken_files(content: str, tmp_path: Path):
    path = tmp_path / "tokenizer.json"
    path.write_text(content)
    errors = []
    for on in (False, True):
        if on:
            patch()
        try:
            PreTrainedTokenizerFast(tokenizer_file=str(path))
        except Exception as error:
            errors.append((type(error), str(error)))
        finally:
            unpatch()
    assert len(errors) == 2
    assert errors[0] == errors[1]


def test_the_interface_of_tokenizers(folder_of: FolderOf):
    """Every public name of `tokenizers.Tokenizer` is there, and what is not tried elsewhere works."""
    file = str(folder_of("bert") / "tokenizer.json")
    backend, original = Backend.from_file(file), tokenizers.Tokenizer.from_file(file)
    names = {name for name in dir(original) if not name.startswith("_")}
    assert names <= set(dir(backend))
    assert plain(backend.encode("Hello", "World")) == plain(original.encode("Hello", "World"))
    for one in (backend, original):
        one.enable_padding(pad_id=3, pad_token="[X]")
    batch = ["Hello", ("World", "there all")]
    for name in ("encode_batch", "encode_batch_fast"):
        ids = [[e.ids for e in getattr(one, name)(batch)] for one in (backend, original)]
        assert ids[0] == ids[1]
    again = [
        one.post_process(one.encode("a b"), one.encode("c"), True) for one in (backend, original)
    ]
    assert plain(again[0]) == plain(again[1])
    assert backend.decode_batch([[7592], [101, 2088]]) == ["hello", "world"]
    assert backend.decode([101, 7592], False) == original.decode([101, 7592], False)
    assert str(backend) == str(original)
    assert repr(backend) == repr(original)
    assert backend.to_str(pretty=True) == original.to_str(pretty=True)
    made = Backend.from_buffer(Path(file).read_bytes())
    assert made.to_str() == Backend.from_str(Path(file).read_text()).to_str()
