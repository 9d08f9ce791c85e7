"""`fretsaw.train`: sources, options, what is refused, progress, stopping."""

import gzip
import json
import pathlib
import pickle

import pytest

import fretsaw
from fretsaw import spec, trainers

TEXTS = ["low lower lowest\n", "new newer newest\n", "größer größte\n"] * 5
TEXT = "".join(TEXTS)
EXPECTED = fretsaw.train(TEXTS, vocab_size=290)


def vocab_of(source, **options) -> dict[str, int]:
    return fretsaw.train(source, vocab_size=290, **options).get_vocab()


def test_a_trained_tokenizer_encodes_saves_and_compiles(tmp_path: pathlib.Path):
    tok = fretsaw.train(TEXTS, vocab_size=300, special_tokens=["<s>", spec.AddedToken("</s>")])
    ids = tok.encode("<s>lowest größer</s>").ids
    assert (ids[0], ids[-1]) == (0, 1)
    assert tok.decode(ids) == "lowest größer"
    tok.save(tmp_path / "tokenizer.json")
    tok.compile(tmp_path / "tok.fret")
    for name in ("tokenizer.json", "tok.fret"):
        assert (
            fretsaw.Tokenizer.from_file(tmp_path / name).encode("<s>lowest größer</s>").ids == ids
        )


@pytest.mark.parametrize("name", ["a.txt", "b.text.gz", "noname"])
def test_text_files(tmp_path: pathlib.Path, name: str):
    path = tmp_path / name
    (gzip.open if name.endswith(".gz") else open)(path, "wb").write(TEXT.encode())
    assert vocab_of(path) == vocab_of(str(path)) == vocab_of([path]) == EXPECTED.get_vocab()
    assert vocab_of(str(tmp_path / "*")) == EXPECTED.get_vocab()


def test_zstandard_and_parquet(tmp_path: pathlib.Path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    packed = tmp_path / "a.txt.zst"
    with pa.CompressedOutputStream(str(packed), "zstd") as out:
        out.write(TEXT.encode())
    assert vocab_of(packed) == EXPECTED.get_vocab()
    table = pa.table({"body": [*TEXTS, None], "n": range(len(TEXTS) + 1)})
    parquet.write_table(table, tmp_path / "a.parquet")
    assert vocab_of(tmp_path / "a.parquet", column="body") == EXPECTED.get_vocab()
    with pytest.raises(fretsaw.TrainError, match="no column 'text'; it has body, n"):
        vocab_of(tmp_path / "a.parquet")
    with pytest.raises(fretsaw.TrainError, match=r"column 'n' of .* is int64, not text"):
        vocab_of(tmp_path / "a.parquet", column="n")


def test_jsonl(tmp_path: pathlib.Path):
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(json.dumps({"body": text}) for text in TEXTS) + "\n\n")
    assert vocab_of(path, field="body") == EXPECTED.get_vocab()
    with pytest.raises(fretsaw.TrainError, match=r"byte offset 0 of .* has no text under 'text'"):
        vocab_of(path)
    for line, message in (
        ('{"text": "a"}', None),
        ("[1]", r"the line at byte offset 14 of .* has no text under 'text'"),
        ('{"text": 1}', "the line at byte offset 14"),
        ('{"text": "a" x', "is not JSON at byte offset 27"),
        ('{"text"', "is not JSON at byte offset 20"),
    ):
        path.write_text('{"text": "a"}\n' + line)
        if message is None:
            assert fretsaw.count_pieces(path).as_dict() == {"a": 2}
            continue
        with pytest.raises(fretsaw.TrainError, match=message):
            vocab_of(path)
    path.write_bytes(b'{"text": "a"}\n{"text": "\xff"}')
    with pytest.raises(fretsaw.TrainError, match="not UTF-8 at byte offset 24"):
        vocab_of(path)
    assert "a" in fretsaw.train(path, errors="replace").get_vocab()


def test_what_a_text_is(tmp_path: pathlib.Path):
    path = tmp_path / "a.txt"
    path.write_text("a b|c\n|d e\n", newline="")

    def pieces(by: str) -> dict[str, int]:
        return fretsaw.count_pieces(path, pre_tokenizer=None, by=by).as_dict()

    assert pieces("line") == {"a b|c\n": 1, "|d e\n": 1}
    assert pieces("file") == {"a b|c\n|d e\n": 1}
    assert pieces("|") == {"a b": 1, "c\n": 1, "d e\n": 1}


def test_text_that_is_not_utf8(tmp_path: pathlib.Path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"good\nbad \xc3\n")
    with pytest.raises(fretsaw.TrainError, match=r"a\.txt is not UTF-8 at byte offset 9"):
        vocab_of(path)
    counts = fretsaw.count_pieces(path, pre_tokenizer=None, errors="replace")
    assert counts.as_dict() == {"bad \ufffd\n": 1, "good\n": 1}
    with pytest.raises(fretsaw.EncodeError, match="lone surrogate"):
        vocab_of(["a\ud800"])
    with pytest.raises(fretsaw.TrainError, match="errors is 'ignore'"):
        vocab_of(path, errors="ignore")


def test_blocks_end_where_lines_do(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "a.txt"
    path.write_bytes(b"bad \xff at 4" + TEXT.encode())
    for size in (1, 7, 64):
        monkeypatch.setattr("fretsaw._sources.BLOCK_BYTES", size)
        with pytest.raises(fretsaw.TrainError, match="byte offset 4;"):
            vocab_of(path)
    path.write_bytes(TEXT.encode())
    for separator in ("line", "w lo", "file"):
        one = fretsaw.count_pieces(path, by=separator)
        monkeypatch.setattr("fretsaw._sources.BLOCK_BYTES", 1 << 20)
        assert one == fretsaw.count_pieces(path, by=separator)


def test_sources_that_are_refused(tmp_path: pathlib.Path):
    with pytest.raises(fretsaw.TrainError, match="no file"):
        vocab_of(tmp_path / "none")
    (tmp_path / "a").write_text("a")
    with pytest.raises(fretsaw.TrainError, match=r"give them as pathlib\.Path"):
        vocab_of([str(tmp_path / "a")])
    with pytest.raises(fretsaw.TrainError, match="one of the two"):
        fretsaw.train()
    with pytest.raises(fretsaw.TrainError, match="must be one of bpe, unigram"):
        fretsaw.train(["a"], model="cbpe")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        vocab_of([1])


def test_limits(tmp_path: pathlib.Path):
    texts = ["a a a bb bb ccc d"]
    counts = fretsaw.count_pieces(texts, max_distinct=3)
    assert counts.as_dict() == {"Ġa": 2, "Ġbb": 2}  # those seen once are equally rare
    counts = fretsaw.count_pieces(texts, max_pretoken_chars=2)
    assert counts.as_dict() == {"a": 1, "b": 2, "cc": 1, "Ġa": 2, "Ġb": 2, "Ġc": 1, "Ġd": 1}
    tok = fretsaw.train(texts, vocab_size=260, max_distinct=1)
    assert tok.get_vocab() == fretsaw.train([], vocab_size=260).get_vocab()
    # However often rare pieces are dropped, counts do not depend on threads or blocks.
    lines = [
        " ".join(str((at * word) % 9973) for word in range(400)) + "\n" for at in range(12_000)
    ]
    path = tmp_path / "a.txt"
    path.write_text("".join(lines), newline="")
    one, other = (fretsaw.count_pieces(path, max_distinct=50, threads=n) for n in (1, 3))
    assert one == other == fretsaw.count_pieces(iter(lines), max_distinct=50)
    assert 0 < len(one) <= 50


def test_counts_apart():
    half = len(TEXTS) // 2
    counts = fretsaw.count_pieces(TEXTS[:half]).merge(fretsaw.count_pieces(TEXTS[half:]))
    assert counts == fretsaw.count_pieces(iter(TEXTS))
    assert pickle.loads(pickle.dumps(counts)) == counts
    with pytest.raises(ValueError, match="not counted pieces"):
        fretsaw.PieceCounts._from_bytes(b"\xff" * 24)
    tok = fretsaw.train(counts=counts, vocab_size=290)
    assert tok.to_str() == EXPECTED.to_str()


def test_models():
    tok = fretsaw.train(TEXTS, model="wordpiece", vocab_size=40, special_tokens=["[CLS]"])
    assert [tok.token_to_id(name) for name in ("[UNK]", "[CLS]")] == [0, 1]
    assert tok.encode("lowest?").tokens[-1] == "[UNK]"
    tok = fretsaw.train(TEXTS, model="wordlevel", special_tokens=["[PAD]", "[UNK]"])
    assert tok.encode("low lowish").ids == [tok.token_to_id("low"), 1]
    tok = fretsaw.train(TEXTS, model="unigram", vocab_size=320, byte_fallback=True)
    assert tok.get_vocab_size() <= 320
    assert tok.encode("newest").tokens[0].startswith("▁")
    assert tok.decode(tok.encode("newest 漢").ids) == "newest 漢"
    tok = fretsaw.train(
        TEXTS,
        vocab_size=300,
        pre_tokenizer=spec.Metaspace(),
        byte_fallback=True,
        character_coverage=0.9,
    )
    assert tok.token_to_id("<0x00>") == 0
    assert "ö" not in tok.get_vocab()
    assert tok.decode(tok.encode("größer").ids) == "größer"
    pipeline = spec.Spec(
        spec.BPE({}, [], unk_token="?"),
        normalizer=spec.Lowercase(),
        pre_tokenizer=spec.Sequence([spec.WhitespaceSplit(), spec.ByteLevel()]),
    )
    tok = fretsaw.train(["A b"], spec=pipeline, vocab_size=0)
    assert tok.get_vocab_size() == 256
    assert tok.model.unk_token == "?"
    assert tok.normalizer == spec.Lowercase()


def test_trainers_go_with_models():
    tok = fretsaw.Tokenizer.from_str(spec.Spec(spec.WordLevel({}, unk_token="?")).to_json())
    with pytest.raises(fretsaw.TrainError, match="`model` is WordLevel, which is not a BPE model"):
        tok.train_from_iterator(["a"], trainers.BpeTrainer())
    tok.train_from_iterator(["a"])
    assert tok.get_vocab() == {"a": 0}


def test_progress_and_stopping():
    told = []
    fretsaw.train(TEXTS, progress=lambda *one: told.append(one))
    assert ("pieces", len(fretsaw.count_pieces(TEXTS)), 0) in told
    stages = [stage for stage, _, _ in told]
    assert list(dict.fromkeys(stages)) == ["text", "pieces", "words", "pairs", "merges"]

    def stop(stage: str, done: int, total: int) -> None:
        if stage == "merges":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fretsaw.train(TEXTS, progress=stop)


@pytest.mark.parametrize("options", [{}, {"pre_tokenizer": spec.Whitespace()}])
def test_continuing_is_like_not_having_stopped(options: dict):
    # Counts of the same text go on where they were, but for what runs of one letter leave over.
    whole = fretsaw.train(TEXTS, vocab_size=320, **options)
    half = fretsaw.train(TEXTS, vocab_size=290, **options)
    rest = fretsaw.train(TEXTS, vocab_size=320, continue_from=half)
    assert rest.get_vocab() == whole.get_vocab()
    assert rest.model == whole.model


def test_continuing_keeps_every_id():
    marks = {"special_tokens": ["<s>"]}
    affixes = {"continuing_subword_prefix": "##", "end_of_word_suffix": "</w>"}
    for options in (marks, {**marks, **affixes, "pre_tokenizer": spec.WhitespaceSplit()}):
        first = fretsaw.train(["low lower lowest " * 4, "aaaa aaaaaa"], vocab_size=290, **options)
        first.add_tokens(["<note>"])
        size = first.get_vocab_size()
        tok = fretsaw.train(
            ["größer lowest größte newest " * 3, "aaaaaaaaa"],
            vocab_size=size + 12,
            continue_from=first,
            special_tokens=["<new>"],
        )
        assert first.get_vocab().items() <= tok.get_vocab().items()
        assert tok.token_to_id("<new>") == size
        old, new = first.model.merges, tok.model.merges
        assert new[: len(old)] == old
        assert len(new) > len(old)
        assert tok.encode("low<note>").ids == first.encode("low<note>").ids
        again = fretsaw.Tokenizer.from_str(tok.to_str())
        assert again.get_vocab() == tok.get_vocab()


def test_what_can_not_be_continued():
    with pytest.raises(fretsaw.TrainError, match="byte-pair encoding alone"):
        fretsaw.train(["a"], continue_from=fretsaw.train(["a"], model="wordlevel"))
    gaps = spec.Spec(spec.BPE({"a": 0, "b": 5}, []))
    with pytest.raises(fretsaw.TrainError, match="whose ids have gaps"):
        fretsaw.train(["a"], continue_from=fretsaw.Tokenizer.from_str(gaps.to_json()))
    with pytest.raises(fretsaw.TrainError, match="not both"):
        fretsaw.train(["a"], spec=gaps, continue_from=EXPECTED)
