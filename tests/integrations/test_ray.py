"""Counting on a local Ray cluster: the same counts and the same tokenizer as in one place."""

import pathlib
from collections.abc import Iterator

import pytest

import fretsaw
from fretsaw import spec
from fretsaw.integrations import ray as on_ray

LINES = [f"line {at} of größer texts, {at % 7} 漢字\n" for at in range(2000)]


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    yield
    ray.shutdown()


def test_the_result_is_that_of_one_machine(tmp_path: pathlib.Path):
    shards = []
    for number in range(7):
        path = tmp_path / f"{number}.txt"
        path.write_text("".join(LINES[number::7]), newline="")
        shards.append(path)
    pipeline = spec.Spec(
        spec.BPE({}, []), normalizer=spec.Lowercase(), pre_tokenizer=spec.ByteLevel()
    )
    counts = on_ray.count_pieces(shards, spec=pipeline)
    assert counts == fretsaw.count_pieces(LINES, spec=pipeline)
    assert on_ray.count_pieces(iter(shards), threads=2, spec=pipeline) == counts
    tok = fretsaw.train(counts=counts, spec=pipeline, vocab_size=400)
    assert tok.to_str() == fretsaw.train(shards, spec=pipeline, vocab_size=400).to_str()


def test_shards_of_texts_and_none_at_all():
    shards = (LINES[at : at + 100] for at in range(0, len(LINES), 100))
    assert on_ray.count_pieces(shards) == fretsaw.count_pieces(LINES)
    assert len(on_ray.count_pieces([])) == 0


def test_what_a_task_raises_comes_back(tmp_path: pathlib.Path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"good\nbad \xff")
    with pytest.raises(fretsaw.TrainError, match="not UTF-8 at byte offset 9"):
        on_ray.count_pieces([LINES[:5], path, LINES[5:]])
    with pytest.raises(fretsaw.TrainError, match="no file"):
        on_ray.count_pieces([tmp_path / "none"])
