"""The compiled file from its promise: a loaded one gives what the original gives, in everything.

Every output is compared, of a file of each kind, of random pipelines and of the data folder. What is
damaged, cut, foreign or of the future is refused. Sidecars go by content, built-in vocabularies too.
"""

from __future__ import annotations

import base64
import copy
import gzip
import importlib.metadata
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from frozen import golden_ids, golden_strings, sampled
from random_pipelines import make_case
from small_tokenizers import Added, tokenizer_json

import fretsaw
from fretsaw import spec

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from oracle.tables import ALL_NAMES

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

Tokenizer = fretsaw.Tokenizer

ADVICE = "compile the tokenizer again"
MAPS = Path("/proc/self/maps")
HELLO = [15496, 995]
MIB = 1 << 20
PATTERN = r"\S+|\s+"
PIPELINES = 60
RANKS = b"YQ== 0\nYg== 1\nIA== 2\nYWI= 3\nYyA= 5\nYw== 4\n"
SEED = 58

ADDED = (
    Added("<s>", special=True),
    Added("<m>", lstrip=True, rstrip=True, special=True),
    Added("{u}", single_word=True),
    Added("(N)", normalized=True),
)
TEXTS = [
    *("", "ab abc  abc", "<s>", "a <m>  {u} (n)(N)é"),
    *("it's 1212 é\n\n", "\x00\ufeffab 中🙂", "c ab"),
]

TOKENS = ["<unk>", "a", "b", "c", "▁", "▁a", "ab", "##b", "##c", "é", "abc"]
VOCAB = {token: place for place, token in enumerate(TOKENS)}
BYTES = {f"<0x{byte:02X}>": 20 + byte for byte in range(256)}
METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
TEKKEN = {
    "config": {"pattern": PATTERN, "default_vocab_size": 259, "default_num_special_tokens": 2,
               "num_vocab_tokens": 257, "version": "v3"},
    "vocab": [{"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": None}
              for rank, token in enumerate([*(bytes([byte]) for byte in range(256)), b"ab"])],
    "special_tokens": [{"rank": 0, "token_str": "<unk>", "is_control": True},
                       {"rank": 1, "token_str": "<s>", "is_control": True}],
}  # fmt: skip

MODELS: dict[str, dict[str, Any]] = {
    "BPE": {"unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True,
            "vocab": VOCAB | BYTES, "merges": ["▁ a", "a b", "ab c"]},
    "WordPiece": {"unk_token": "<unk>", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 20, "vocab": VOCAB},
    "Unigram": {"unk_id": 0, "byte_fallback": True,
                "vocab": [*([token, -9.5] for token in VOCAB | BYTES), ["ab", -0.5]]},
    "WordLevel": {"unk_token": "?", "vocab": {"ab": 900, "?": 7, "abc": 3, "c": 65_540}},
}  # fmt: skip


def made(model: str, **fields: Any) -> str:
    """A tokenizer.json around a model."""
    unknown = {"id": 0, **asdict(Added("<unk>", special=True))}
    options = {"type": model, **MODELS[model]}
    return json.dumps({"version": "1.0", "added_tokens": [unknown], "model": options, **fields})


KINDS: dict[str, str | bytes] = {
    "byte-level": tokenizer_json(ADDED),
    "no rules": tokenizer_json(ignore_merges=True, merges=()),
    "BPE": made("BPE", decoder={"type": "ByteFallback"}),
    "WordPiece": made("WordPiece", pre_tokenizer={"type": "BertPreTokenizer"}),
    "Unigram": made("Unigram", pre_tokenizer=METASPACE, decoder=METASPACE),
    "WordLevel": made("WordLevel", pre_tokenizer={"type": "WhitespaceSplit"}),
    "tekken.json": json.dumps(TEKKEN),
    "x.tiktoken": RANKS,
}
"""The content of a file of each kind; one that is no tokenizer.json is called by its name."""

each_kind = pytest.mark.parametrize("kind", KINDS)


def load(kind: str, folder: Path, **options: Any) -> Tokenizer:
    """The tokenizer of a file of `KINDS`, which is written to the folder."""
    content, path = KINDS[kind], folder / (kind if "." in kind else "tokenizer.json")
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    if content is RANKS:
        options |= {"pattern": PATTERN, "special_tokens": {"<s>": 6, "<e>": 9}}
    return Tokenizer.from_file(path, **options)


def compiled(tok: Tokenizer, path: Path, **options: Any) -> Tokenizer:
    """A tokenizer by way of a compiled file."""
    tok.compile(path)
    return Tokenizer.from_file(path, **options)


def small() -> Tokenizer:
    return Tokenizer.from_str(tokenizer_json(ADDED))


def outcome(call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """The result, or type and message of the error."""
    try:
        return call(*arguments, **options)
    except Exception as error:
        return type(error), str(error)


def facts(tok: Tokenizer) -> dict[str, Any]:
    """What can be asked of a tokenizer without a text."""
    vocab = tok.get_vocab()
    ids = [*range(300), *list(vocab.values())[::97], *range(2**32 - 1, 2**32 + 2)]
    ids += range(max(vocab.values()) - 40, max(vocab.values()) + 3)
    return {
        "get_vocab": vocab,
        "get_vocab(False)": tok.get_vocab(False),
        "sizes": (tok.get_vocab_size(), tok.get_vocab_size(False)),
        "added": tok.get_added_tokens_decoder(),
        "fingerprint": tok.fingerprint,
        "settings": (tok.truncation, tok.padding),
        "to_str": outcome(tok.to_str),
        "id_to_token": [outcome(tok.id_to_token, id_) for id_ in ids],
        "token_bytes": [outcome(tok.token_bytes, id_) for id_ in ids],
        "token_to_id": [tok.token_to_id(token) for token in [*list(vocab)[::97], "", "none such"]],
    } | {
        name: outcome(getattr, tok, name)
        for name in ("normalizer", "pre_tokenizer", "model", "post_processor", "decoder")
    }


def encoded(tok: Tokenizer, text: str, **options: Any) -> Any:
    encoding = outcome(tok.encode, text, **options)
    return encoding if isinstance(encoding, tuple) else (encoding.ids, encoding.tokens)


def streamed(tok: Tokenizer, ids: list[int], skip: bool | None) -> list[str]:
    stream = tok.stream(skip_special_tokens=skip)
    return [*(stream.push(id_) for id_ in ids), stream.finish()]


def of_text(tok: Tokenizer, text: str, some: set[str]) -> Iterator[Any]:
    """What a tokenizer makes of a text; `some` are some of its added tokens."""
    yield encoded(tok, text)
    yield encoded(tok, text, add_special_tokens=False)
    for special in ("none", "all", "error", some):
        yield encoded(tok, text, special=special)
    middle = len(text) // 2
    for trusted in ([(0, middle)], [(middle // 2, len(text))]):
        yield encoded(tok, text, trusted=trusted)
    yield outcome(tok.count, text)
    yield outcome(tok.normalize, text)
    yield outcome(tok.pre_tokenize, text)


def of_ids(tok: Tokenizer, ids: list[int]) -> Iterator[Any]:
    """What a tokenizer makes of ids."""
    for skip in (True, False, None):
        yield outcome(tok.decode, ids, skip_special_tokens=skip)
        yield outcome(tok.decode_bytes, ids, skip_special_tokens=skip)
        yield outcome(streamed, tok, ids, skip)


def of_batch(tok: Tokenizer, texts: list[str]) -> Iterator[Any]:
    """What a tokenizer makes of many texts at once."""
    flat = outcome(tok.encode_batch_flat, texts)
    yield flat if isinstance(flat[0], type) else [array.tolist() for array in flat]
    batch = outcome(tok.encode_batch, texts, special="all")
    yield batch if isinstance(batch, tuple) else [(row.ids, row.tokens) for row in batch]
    yield outcome(tok.encode_batch_ids, texts)


def assert_same_outputs(one: Tokenizer, other: Tokenizer, texts: list[str]) -> None:
    added = [token.content for token in one.get_added_tokens_decoder().values()]
    texts, some = [*texts, *(f"a{token} {token}b" for token in added[:8])], set(added[:40:2])
    for text in texts:
        assert list(of_text(other, text, some)) == list(of_text(one, text, some)), repr(text)
        ids = outcome(one.encode_ids, text, special="all")
        if isinstance(ids, list):
            assert list(of_ids(other, ids)) == list(of_ids(one, ids)), ids
    assert list(of_batch(other, texts)) == list(of_batch(one, texts))


def assert_same(one: Tokenizer, other: Tokenizer, texts: list[str], unlike: str = "") -> None:
    """All is the same; `unlike` is the fact that may differ."""
    found = facts(other)
    for name, fact in facts(one).items():
        assert name == unlike or found[name] == fact, name
    assert_same_outputs(one, other, texts)


@each_kind
def test_every_output_is_the_same(tmp_path: Path, kind: str) -> None:
    tok = load(kind, tmp_path)
    path, again = tmp_path / "a", tmp_path / "b"
    assert_same(tok, compiled(tok, path), TEXTS)
    assert_same(tok, Tokenizer.from_str(path.read_bytes()), TEXTS)
    stored = Tokenizer.from_file(str(path), mmap=False)
    assert_same(tok, stored, TEXTS)
    stored.compile(again)
    assert again.read_bytes() == path.read_bytes()


@each_kind
def test_copies_need_no_file(tmp_path: Path, kind: str) -> None:
    tok = load(kind, tmp_path)
    stored = compiled(tok, tmp_path / "x.fret")
    pickles = [pickle.dumps(stored, protocol) for protocol in (2, pickle.HIGHEST_PROTOCOL)]
    copies = [copy.copy(stored), copy.deepcopy(stored)]
    del stored
    (tmp_path / "x.fret").unlink()
    for copied in [*copies, *map(pickle.loads, pickles)]:
        assert_same(tok, copied, TEXTS)


CHANGES: dict[str, Callable[[Tokenizer], Any]] = {
    "add_tokens": lambda tok: tok.add_tokens(["abc", "zz", "<s>", spec.AddedToken("c", lstrip=True)]),
    "add_special_tokens": lambda tok: tok.add_special_tokens(["<new>", "ab"]),
    "normalizer": lambda tok: setattr(tok, "normalizer", spec.Lowercase()),
    "no normalizer": lambda tok: setattr(tok, "normalizer", None),
    "pre_tokenizer": lambda tok: setattr(tok, "pre_tokenizer", spec.WhitespaceSplit()),
    "no post_processor": lambda tok: setattr(tok, "post_processor", None),
    "decoder": lambda tok: setattr(tok, "decoder", spec.Fuse()),
    "model": lambda tok: setattr(tok, "model", spec.WordLevel({"ab": 0, "?": 1}, "?")),
    "its own model": lambda tok: setattr(tok, "model", tok.model),
    "enable_truncation": lambda tok: tok.enable_truncation(3, direction="left"),
    "enable_padding": lambda tok: tok.enable_padding(length=9, pad_id=1, pad_token="<p>"),
    "neither of them": lambda tok: (tok.no_truncation(), tok.no_padding()),
    "encode_special_tokens": lambda tok: setattr(tok, "encode_special_tokens", True),
}  # fmt: skip
SETTINGS = ("enable_truncation", "enable_padding", "neither of them")
"""Changes after which the fingerprint of a compiled file is another one: it is over all of it."""


@each_kind
def test_a_change_does_the_same(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x.fret"
    load(kind, tmp_path).compile(path)
    content = path.read_bytes()
    for name, change in CHANGES.items():
        if "." in kind and name.startswith("add_"):
            continue  # Without a tokenizer.json, added tokens have no ids of their own.
        tok, stored = load(kind, tmp_path), Tokenizer.from_file(path)
        assert outcome(change, stored) == outcome(change, tok), name
        assert_same(tok, stored, TEXTS)
        if name != "encode_special_tokens":
            again = compiled(stored, tmp_path / "changed.fret")
            assert_same(tok, again, TEXTS, "fingerprint" if name in SETTINGS else "")
    assert path.read_bytes() == content


def test_the_settings_of_the_time_go_along(tmp_path: Path) -> None:
    tok = small()
    tok.enable_truncation(5, stride=2, strategy="only_first", direction="left")
    tok.enable_padding("left", 7, 1, "<pad>", pad_to_multiple_of=4)
    wanted = copy.copy(tok)
    tok.compile(tmp_path / "x.fret")
    tok.no_truncation()
    tok.enable_padding(length=30)
    stored = Tokenizer.from_file(tmp_path / "x.fret")
    assert_same(wanted, stored, TEXTS, "fingerprint")
    assert {len(row) for row in stored.encode_batch(TEXTS)} == {8}


def test_random_pipelines(tmp_path: Path) -> None:
    loaded = 0
    for index in range(PIPELINES):
        case = make_case(SEED, index)
        # Rules that another one overrules do not go along.
        model = case.document["model"]
        if "merges" in model:
            model["merges"] = list({str(rule): rule for rule in model["merges"]}.values())
        try:
            tok = Tokenizer.from_str(json.dumps(case.document))
        except fretsaw.SpecError:
            continue
        loaded += 1
        stored = compiled(tok, tmp_path / "x.fret")
        assert_same(tok, stored, case.texts)
        for ids in case.ids:
            assert list(of_ids(tok, ids)) == list(of_ids(stored, ids)), (index, ids)
        for later in case.later:
            tokens = [
                one if isinstance(one, str) else spec.AddedToken(**one) for one in later.tokens
            ]
            method = "add_special_tokens" if later.special else "add_tokens"
            found, wanted = (outcome(getattr(one, method), tokens) for one in (stored, tok))
            assert found == wanted, index
        assert_same(tok, stored, case.texts[:6])
        assert_same(tok, compiled(stored, tmp_path / "y.fret"), case.texts[:6])
    assert loaded > 0.85 * PIPELINES


@pytest.mark.parametrize("name", ALL_NAMES)
def test_every_file_of_the_data_folder(data_dir: Path, tmp_path: Path, name: str) -> None:
    content = gzip.decompress((data_dir / "tokenizers" / f"{name}.json.gz").read_bytes())
    tok = Tokenizer.from_str(content)
    stored = compiled(tok, tmp_path / "x.fret")
    assert_same_outputs(tok, stored, [text for _, text in sampled(golden_strings(), 150)])
    assert stored.fingerprint == tok.fingerprint
    assert stored.get_vocab_size() == tok.get_vocab_size()
    ids = range(0, tok.get_vocab_size() + 3, 19)
    assert [stored.id_to_token(id_) for id_ in ids] == [tok.id_to_token(id_) for id_ in ids]


def test_threads_share_a_loaded_one(tmp_path: Path, gpt2: Tokenizer) -> None:
    texts = [text for _, text in sampled(golden_strings(), 2_000)]

    def ask(tok: Tokenizer) -> Any:
        return tok.get_vocab(), tok.to_str(), tok.encode_batch_ids(texts, threads=2)

    with ThreadPoolExecutor(3) as threads:
        answers = list(threads.map(ask, [compiled(gpt2, tmp_path / "x.fret")] * 3))
    assert answers == [ask(gpt2)] * 3
    assert answers[0][2] == [golden_ids("gpt2")[at] for at, _ in sampled(golden_strings(), 2_000)]


@pytest.mark.parametrize("name", ["tokenizer.json", "vocab.json", "merges.txt", "x.tiktoken", "é"])
def test_content_counts_whatever_the_name(tmp_path: Path, name: str) -> None:
    assert_same(small(), compiled(small(), tmp_path / name), TEXTS)
    assert_same(small(), Tokenizer.from_file(tmp_path / name, cache=True), TEXTS)
    assert os.listdir(tmp_path) == [name]


def test_a_file_is_replaced_at_once(tmp_path: Path, gpt2: Tokenizer) -> None:
    path, kept = tmp_path / "x.fret", tmp_path / "kept"
    mapped, read = compiled(gpt2, path), Tokenizer.from_file(path, mmap=False)
    before = path.read_bytes()
    os.link(path, kept)
    small().compile(str(path))
    assert kept.read_bytes() == before != path.read_bytes()
    assert_same(small(), Tokenizer.from_file(path), TEXTS)
    path.unlink()
    kept.unlink()
    for tok in (mapped, read):
        assert_same_outputs(gpt2, tok, [text for _, text in sampled(golden_strings(), 100)])
    assert os.listdir(tmp_path) == []


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"as it was")
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "none" / "x.fret", tmp_path / "file" / "x.fret", tmp_path / "folder"):
        with pytest.raises(OSError, match=path.name):
            small().compile(path)
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


@pytest.mark.skipif(not MAPS.exists(), reason="the platform does not list what is mapped")
def test_what_is_mapped(tmp_path: Path, gpt2_json: bytes) -> None:
    source, sidecar = tmp_path / "tokenizer.json", tmp_path / "tokenizer.json.fret"
    source.write_bytes(gpt2_json)
    Tokenizer.from_file(source, cache=True)
    for path, options in ((sidecar, {}), (source, {"cache": True})):
        for mmap in (True, False):
            tok = Tokenizer.from_file(path, mmap=mmap, **options)
            assert (str(sidecar) in MAPS.read_text()) == mmap
            assert tok.encode_ids("Hello world") == HELLO
            del tok
            assert str(sidecar) not in MAPS.read_text()


def refused(content: bytes, message: str = ADVICE) -> None:
    with pytest.raises(fretsaw.SpecError) as caught:
        Tokenizer.from_str(content)
    assert message in str(caught.value)


def flipped(content: bytes, at: int, bits: int) -> bytes:
    return content[:at] + bytes([content[at] ^ bits]) + content[at + 1 :]


@pytest.fixture(scope="module")
def stored_small(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A small compiled file."""
    path = tmp_path_factory.mktemp("compiled") / "x.fret"
    small().compile(path)
    return path.read_bytes()


def test_every_wrong_byte_is_seen(stored_small: bytes) -> None:
    for at in range(len(stored_small)):
        for bits in (1 << at % 8, 0xFF):
            # Without its first bytes nothing says that it is a compiled file.
            refused(flipped(stored_small, at, bits), ADVICE if at >= 8 else "")


def test_every_length_is_seen(stored_small: bytes) -> None:
    for length in range(len(stored_small)):
        refused(stored_small[:length], ADVICE if length >= 8 else "")
    refused(stored_small + b"\0")


def test_a_wrong_byte_of_a_large_file_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "x.fret"
    fretsaw.get("cl100k_base").compile(path)
    content = path.read_bytes()
    size = len(content)
    assert size > 5 * MIB
    edges = {edge + by for edge in range(MIB, size, MIB) for by in (-1, 0, 31, 32)}
    for at in sorted({8, 16, 24, 32, 40, *edges, *range(64, size, size // 20), size - 1}):
        refused(flipped(content, at, 0x40))
    for length in (8, 39, 40, MIB, size // 2, size - MIB, size - 1):
        refused(content[:length])


@pytest.mark.parametrize("mmap", [True, False])
def test_what_stands_in_a_file_is_looked_at(
    tmp_path: Path, stored_small: bytes, gpt2_json: bytes, mmap: bool
) -> None:
    future, other_order = bytearray(stored_small), bytearray(stored_small)
    future[8:12] = (int.from_bytes(future[8:12], sys.byteorder) + 1).to_bytes(4, sys.byteorder)
    other_order[8:12] = reversed(other_order[8:12])
    damaged = [
        bytes(future), bytes(other_order), stored_small[:-1], flipped(stored_small, 5_000, 1),
        stored_small[:8], stored_small[:40] + gpt2_json, stored_small[:8] + bytes(10_000),
        stored_small[:8] + b"\xff" * 10_000,
    ]  # fmt: skip
    foreign = [b"", b"\0" * 100, b"FRETSAW", gzip.compress(stored_small), b" " + stored_small]
    path = tmp_path / "x.fret"
    for content in [*damaged, *foreign]:
        path.write_bytes(content)
        for options in ({}, {"cache": True}):
            with pytest.raises(fretsaw.SpecError, match=ADVICE if content in damaged else "."):
                Tokenizer.from_file(path, mmap=mmap, **options)
    assert os.listdir(tmp_path) == ["x.fret"]


def state(path: Path) -> tuple[int, int, bytes]:
    """A file's identity, time and content."""
    return path.stat().st_ino, path.stat().st_mtime_ns, path.read_bytes()


def cached(path: Path, **options: Any) -> Tokenizer:
    return Tokenizer.from_file(path, cache=True, **options)


@each_kind
def test_a_sidecar_gives_the_same(tmp_path: Path, kind: str) -> None:
    tok = load(kind, tmp_path)
    (name,) = os.listdir(tmp_path)
    for mmap in (True, True, False):
        assert_same(tok, load(kind, tmp_path, cache=True, mmap=mmap), TEXTS)
    assert sorted(os.listdir(tmp_path)) == [name, f"{name}.fret"]
    assert_same(tok, Tokenizer.from_file(tmp_path / f"{name}.fret"), TEXTS)


@pytest.mark.parametrize("opened", ["vocab.json", "merges.txt", "."])
def test_the_sidecar_of_a_pair(tmp_path: Path, opened: str) -> None:
    (tmp_path / "vocab.json").write_text(json.dumps({**VOCAB, "bc": 11, "Ġ": 12}))
    merges, sidecar = tmp_path / "merges.txt", tmp_path / "vocab.json.fret"
    kept = []
    # The second file has other content of the same size and time.
    for rules, ids in ("a b\nab c\n", [10]), ("b c\nab c\n", [1, 11]), ("a b\nab c\n", [10]):
        merges.write_text(f"#version: 0.2\n{rules}")
        os.utime(merges, ns=(10**18, 10**18))
        assert [cached(tmp_path / opened).encode_ids("abc") for _ in range(2)] == [ids, ids]
        kept.append(sidecar.read_bytes())
    assert kept[0] == kept[2] != kept[1]
    assert sorted(os.listdir(tmp_path)) == ["merges.txt", "vocab.json", sidecar.name]


def test_content_counts_for_a_sidecar(tmp_path: Path) -> None:
    source, sidecar = tmp_path / "tokenizer.json", tmp_path / "tokenizer.json.fret"
    one, other = (tokenizer_json(merges=[rule]) for rule in (("a", "b"), ("b", "c")))
    assert len(one) == len(other)
    kept = []
    for content, ids in (one, [256, 99]), (other, [97, 256]), (one, [256, 99]):
        source.write_text(content)
        os.utime(source, ns=(10**18, 10**18))
        for opened in (source, tmp_path):
            assert cached(opened).encode_ids("abc") == ids
        made = state(sidecar)
        kept.append(made[2])
        os.utime(source)
        tok = cached(source)
        tok.add_tokens(["abc"])
        assert cached(source).encode_ids("abc") == ids
        assert state(sidecar) == made
    assert kept[0] == kept[2] != kept[1]
    source.write_text("{}")
    with pytest.raises(fretsaw.SpecError):
        cached(source)
    assert state(sidecar) == made


@pytest.mark.parametrize("mmap", [True, False])
def test_a_damaged_sidecar_is_made_anew(
    tmp_path: Path, stored_small: bytes, gpt2: Tokenizer, mmap: bool
) -> None:
    tok = load("WordPiece", tmp_path, cache=True)
    sidecar = tmp_path / "tokenizer.json.fret"
    sound = sidecar.read_bytes()
    wrong = [b"", sound[:5], sound[:-1], sound + b"x", b"{}", stored_small]
    wrong += [flipped(sound, at, 4) for at in (0, 9, 13, 20, 30, 50, len(sound) // 2)]
    for content in wrong:
        sidecar.write_bytes(content)
        stored = cached(tmp_path, mmap=mmap)
        assert list(of_batch(stored, TEXTS)) == list(of_batch(tok, TEXTS))
        assert sidecar.read_bytes() == sound
    gpt2.compile(sidecar)
    assert_same(tok, cached(tmp_path, mmap=mmap), TEXTS)


def test_threads_make_one_sidecar(tmp_path: Path, gpt2_json: bytes) -> None:
    (tmp_path / "tokenizer.json").write_bytes(gpt2_json)
    with ThreadPoolExecutor(4) as threads:
        for tok in threads.map(cached, [tmp_path] * 4):
            assert tok.encode_ids("Hello world") == HELLO
    assert sorted(os.listdir(tmp_path)) == ["tokenizer.json", "tokenizer.json.fret"]


BUILT_IN = """
import json, pathlib, sys, fretsaw
texts = ["Hello world", "naïve <|endoftext|>  12345 世界", "\\n\\n x"]
found = {}
for name in sys.argv[1:]:
    tok = fretsaw.get(name)
    ids = [tok.encode_ids(text, special=special) for text in texts for special in ("none", "all")]
    found[name] = [ids, tok.fingerprint, repr(tok), [tok.decode(row) for row in ids]]
print(json.dumps(found))
lines = pathlib.Path("/proc/self/maps").read_text().splitlines()
print(*sorted({line.split()[-1] for line in lines if line.endswith(".fret")}))
"""
NAMED = ["cl100k_base", "gpt2", "p50k_edit", "r50k_base"]
VERSION = importlib.metadata.version("fretsaw")


def built_in(folder: Path, *names: str, **cache: str) -> tuple[Any, list[str], str]:
    """The answers of a process whose home is the folder, what it mapped, standard error."""
    environment = {name: value for name, value in os.environ.items() if name != "FRETSAW_CACHE"}
    environment |= {"HOME": str(folder), "XDG_CACHE_HOME": str(folder / ".cache"), **cache}
    command = [sys.executable, "-W", "always", "-c", BUILT_IN, *names]
    options = {"cwd": folder, "env": environment, "text": True}
    done = subprocess.run(command, check=True, capture_output=True, **options)
    answers, mapped = done.stdout.splitlines()
    return json.loads(answers), mapped.split(), done.stderr


def test_built_in_vocabularies_are_kept(tmp_path: Path) -> None:
    folder = tmp_path / "not" / "there"
    plain, mapped, _ = built_in(tmp_path, *NAMED, FRETSAW_CACHE="")
    assert mapped == [] == list(tmp_path.rglob("*.fret"))
    first, mapped, _ = built_in(tmp_path, *NAMED, FRETSAW_CACHE=str(folder))
    assert mapped == []
    assert sorted(os.listdir(folder)) == [f"{name}-{VERSION}.fret" for name in NAMED]
    made = {path.name: state(path) for path in folder.iterdir()}
    second, mapped, errors = built_in(tmp_path, *NAMED, FRETSAW_CACHE=str(folder))
    assert plain == first == second
    assert (len(mapped), errors) == (len(NAMED), "")
    assert {path.name: state(path) for path in folder.iterdir()} == made
    # Damaged in some way each, or another one's: that of r50k_base has the tokens of gpt2.
    for at, name in enumerate(NAMED):
        sound = made[f"{name}-{VERSION}.fret"][2]
        wrong = [b"", sound[:-1], flipped(sound, len(sound) // 2, 1)][at % 3]
        if name == "gpt2":
            wrong = made[f"r50k_base-{VERSION}.fret"][2]
        (folder / f"{name}-{VERSION}.fret").write_bytes(wrong)
    third, mapped, errors = built_in(tmp_path, *NAMED, FRETSAW_CACHE=str(folder))
    assert (third, mapped, errors) == (plain, [], "")
    for path in folder.iterdir():
        assert path.read_bytes() == made[path.name][2]


def test_the_platform_has_a_folder_for_caches(tmp_path: Path) -> None:
    for mapped in (False, True):
        assert bool(built_in(tmp_path, "gpt2")[1]) == mapped
        (path,) = tmp_path.rglob("*.fret")
        assert path.name == f"gpt2-{VERSION}.fret"


def test_a_folder_that_cannot_be_written_is_one_warning(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"in the way")
    folder = str(tmp_path / "file")
    found, _, errors = built_in(tmp_path, "gpt2", "p50k_base", FRETSAW_CACHE=folder)
    assert found["gpt2"][0][0] == found["p50k_base"][0][0] == HELLO
    assert errors.count("RuntimeWarning") == 1
