"""Whole encodings against the oracle as it runs: every field, look-up and change of an `Encoding`."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
import tokenizers
from compare_pipelines import silence
from frozen import PROVE

import fretsaw
from oracle import encoding_jobs, inputs
from oracle.encoding_fields import fields_of, look_ups
from oracle.encoding_jobs import FAILED, KINDS, Job, attempt, run
from oracle.random_strings import random_strings
from oracle.tables import ALL_NAMES

Load = Callable[[str], fretsaw.Tokenizer]
LoadOracle = Callable[[str], tokenizers.Tokenizer]

FEW: Final = ("albert-v5save", "bert-base-uncased", "gpt2", "llama2", "roberta-base", "t5-small")
SEED: Final = 3011
STRINGS: Final = 5_000 if PROVE else 200

each_file = pytest.mark.parametrize("name", ALL_NAMES if PROVE else FEW)


def assert_same(tok: fretsaw.Tokenizer, oracle: tokenizers.Tokenizer, job: Job) -> None:
    """Runs a job on both; the message is the job and the first field that differs."""
    ours, theirs = run(tok, job), run(oracle, job)
    if ours == theirs:
        return
    assert ours[0] == theirs[0], job
    for our, their in zip(both(ours), both(theirs), strict=True):
        assert (our == FAILED) == (their == FAILED), job
        for name in their if isinstance(their, dict) else ():
            assert (name, our[name]) == (name, their[name]), job


def both(outcome: list[Any]) -> list[Any]:
    """The encodings of a batch, and that of its first item alone."""
    _, batch, alone = outcome
    return [*(batch if isinstance(batch, list) else [batch]), alone]


@each_file
@pytest.mark.parametrize("kind", KINDS)
def test_random_strings(name: str, kind: str, load: Load, load_oracle: LoadOracle) -> None:
    tok, oracle = load(name), load_oracle(name)
    for block in encoding_jobs.blocks(kind, SEED, STRINGS):
        with silence():
            for job in block:
                assert_same(tok, oracle, job)


@each_file
def test_texts(name: str, load: Load, load_oracle: LoadOracle, data_dir: Path) -> None:
    assert data_dir.is_dir()
    tok, oracle = load(name), load_oracle(name)
    source = random.Random(f"texts of {name}")
    names = inputs.text_names()
    for text_name in names if PROVE else source.sample(names, 3):
        text = inputs.text_bytes(text_name).decode("utf-8")
        for _ in range(20 if PROVE else 2):
            start = source.randrange(max(1, len(text) - 3_000))
            assert_same(tok, oracle, Job([text[start : start + 3_000]]))


@each_file
def test_offsets_before_and_after_words(name: str, load: Load, load_oracle: LoadOracle) -> None:
    """They are summed from ids where nothing else is known, and else come with everything."""
    tok, oracle = load(name), load_oracle(name)
    texts = list(random_strings(SEED + 2, 0, 2_000 if PROVE else 200))
    for text in [*texts, *(" ".join(texts[at : at + 20]) for at in range(0, len(texts), 20))]:
        encoding, wanted = tok.encode(text), oracle.encode(text)
        assert encoding.offsets == wanted.offsets, text
        assert encoding.offsets == wanted.offsets, text
        assert encoding.word_ids == wanted.word_ids, text
        assert encoding.offsets == wanted.offsets, text


@each_file
def test_look_ups(name: str, load: Load, load_oracle: LoadOracle) -> None:
    tok, oracle = load(name), load_oracle(name)
    texts = [text[:30] for text in random_strings(SEED + 1, 0, 2_000 if PROVE else 60)]
    for one, other in zip(texts[::2], texts[1::2], strict=True):
        for items in ((one,), (one, other), (one.split(" "), other.split(), True)):
            ours, theirs = tok.encode(*items), oracle.encode(*items)
            assert look_ups(ours) == look_ups(theirs), items


@each_file
def test_changes(name: str, load: Load, load_oracle: LoadOracle) -> None:
    """Encodings are padded, cut, merged and processed again in random order, on both sides alike."""
    tok, oracle = load(name), load_oracle(name)
    texts = [text[:24] for text in random_strings(SEED + 2, 0, 400)]
    for number in range(2_000 if PROVE else 60):
        choices = random.Random(f"changes of {name} {number}")
        with silence():
            ours = changed(tok, choices, texts)
            choices = random.Random(f"changes of {name} {number}")
            theirs = changed(oracle, choices, texts)
        for our, their in zip(ours, theirs, strict=True):
            assert our == their, number


def changed(tok: Any, choices: random.Random, texts: list[str]) -> list[Any]:
    """What random changes make of encodings, step by step."""
    steps: list[Any] = []
    held = [tok.encode(choices.choice(texts), add_special_tokens=choices.random() < 0.5)]
    held.append(tok.encode(choices.choice(texts), choices.choice(texts)))
    for _ in range(choices.randrange(1, 7)):
        at, other = choices.randrange(len(held)), choices.randrange(len(held))
        numbers = [choices.randrange(9) for _ in range(3)]
        side, flag = choices.choice(["left", "right"]), choices.random() < 0.5
        kind = choices.choice(["pad", "truncate", "merge", "sequence", "process", "both", "pickle"])
        parts = [len(held[one].overflowing) + 1 for one in (at, other)]
        if kind in ("merge", "both") and parts[0] * parts[1] > 60:
            continue  # What overflows of both would be multiplied.
        done = attempt(lambda: step(tok, held, kind, at, other, numbers, side, flag))  # noqa: B023
        steps.append((kind, done if done == FAILED else [fields_of(one) for one in held]))
        if done == FAILED:
            break  # Where the oracle panics in the middle, what it leaves is nobody's promise.
        steps.append([certain(look_ups(one)) for one in held if len(one.overflowing) < 3])
    return steps


def certain(found: dict[str, Any]) -> dict[str, Any]:
    """Look-ups without `token_to_sequence`: of a token in two sequences the oracle gives either."""
    return {name: value for name, value in found.items() if "token_to_sequence" not in name}


def step(
    tok: Any,
    held: list[Any],
    kind: str,
    at: int,
    other: int,
    numbers: list[int],
    side: str,
    flag: bool,
) -> None:
    """One change of the encodings that are held."""
    length, stride, id_ = numbers
    if kind == "pad":
        held[at].pad(2 * length, direction=side, pad_id=id_, pad_type_id=stride, pad_token="<x>")
    elif kind == "truncate":
        held[at].truncate(length, stride=stride // 3, direction=side)
    elif kind == "merge":
        held.append(type(held[0]).merge([held[at], held[other]], growing_offsets=flag))
    elif kind == "sequence":
        held[at].set_sequence_id(stride % 3)
    elif kind == "process":
        held[at] = tok.post_process(held[at], add_special_tokens=flag)
    elif kind == "both":
        held[at] = tok.post_process(held[at], held[other], flag)
    else:
        held[at] = pickle.loads(pickle.dumps(held[at]))


def test_processors_in_a_row_for_a_pair() -> None:
    """A template behind another one sees just the two texts where no special tokens are added."""
    tok = fretsaw.Tokenizer.from_str(TWO_TEMPLATES)
    oracle = tokenizers.Tokenizer.from_str(TWO_TEMPLATES)
    ours, theirs = (one.encode("a", "b", add_special_tokens=False) for one in (tok, oracle))
    assert fields_of(ours) == fields_of(theirs)
    assert tok.num_special_tokens_to_add(True) == oracle.num_special_tokens_to_add(True) == 2
    with pytest.raises(fretsaw.EncodeError):
        tok.encode("a", "b")


_TEMPLATE: Final = (
    '{"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}}],'
    ' "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "x", "type_id": 0}},'
    ' {"Sequence": {"id": "B", "type_id": 1}}],'
    ' "special_tokens": {"x": {"id": "x", "ids": [2], "tokens": ["x"]}}}'
)
TWO_TEMPLATES: Final = (
    '{"version": "1.0", "truncation": null, "padding": null, "added_tokens": [],'
    ' "normalizer": null, "pre_tokenizer": null, "decoder": null, "post_processor": {"type":'
    f' "Sequence", "processors": [{_TEMPLATE}, {_TEMPLATE}]}}, "model": {{"type": "WordLevel",'
    ' "vocab": {"a": 0, "b": 1, "x": 2}, "unk_token": "x"}}'
)

UNKNOWN_IS_A_BYTE: Final = (
    '{"version": "1.0", "truncation": null, "padding": null, "added_tokens": [],'
    ' "normalizer": null, "pre_tokenizer": null, "decoder": null, "post_processor": null,'
    ' "model": {"type": "Unigram", "unk_id": 0, "byte_fallback": true,'
    ' "vocab": [["<0xEF>", 0.0], ["a", -1.0], ["<0xAC>", -2.0], ["<0x81>", -3.0]]}}'
)


@pytest.mark.parametrize("text", ["ﬁ", "aﬁa", "é", "aﬁé", "ﬁﬁ"])
def test_an_unknown_token_that_is_a_byte(text: str) -> None:
    ours = fretsaw.Tokenizer.from_str(UNKNOWN_IS_A_BYTE).encode(text)
    theirs = tokenizers.Tokenizer.from_str(UNKNOWN_IS_A_BYTE).encode(text)
    assert fields_of(ours) == fields_of(theirs)


METASPACE: Final = (
    '{"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "first", "split": true}'
)
SPELLED: Final = (
    '{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": false}'
)
BYTES: Final = "".join(f', "<0x{byte:02X}>": {byte + 9}' for byte in range(256))


@pytest.mark.parametrize("text", ["b𝔞 ", "b👍 bb▁", "𝔞𝔞 b", "ab é", "Â̧"])
@pytest.mark.parametrize("pre_tokenizer", [METASPACE, SPELLED, '{"type": "BertPreTokenizer"}'])
@pytest.mark.parametrize("more", ["", BYTES])
def test_tokens_that_merge_and_stand_for_other_text(
    text: str, pre_tokenizer: str, more: str
) -> None:
    """The unknown token `a` merges as the letter does, and a byte falls back in its spelling."""
    file = (
        f'{{"added_tokens": [], "pre_tokenizer": {pre_tokenizer}, "model": {{"type": "BPE",'
        f' "unk_token": "a", "byte_fallback": {"true" if more else "false"},'
        f' "vocab": {{"a": 0, "b": 1, "▁": 2, "ba": 3, "Ġ": 4{more}}}, "merges": ["b a"]}}}}'
    )
    ours = fretsaw.Tokenizer.from_str(file).encode(text)
    assert fields_of(ours) == fields_of(tokenizers.Tokenizer.from_str(file).encode(text))


@pytest.mark.parametrize("text", ["", " ", "\n", "<|endoftext|>", "<|endoftext|><|endoftext|>"])
@pytest.mark.parametrize("second", [None, "", "a", "<|endoftext|>"])
def test_little_or_nothing(
    text: str, second: str | None, load: Load, load_oracle: LoadOracle
) -> None:
    for name in ("gpt2", "smollm2"):
        ours, theirs = load(name).encode(text, second), load_oracle(name).encode(text, second)
        assert fields_of(ours) == fields_of(theirs)
        assert look_ups(ours) == look_ups(theirs)
