"""Times transformers with its tokenizers on fretsaw beside transformers as it is.

Every cell is one way to call a tokenizer. First both sides' results are compared, then come rounds in
which each side is timed in turn, in an order that changes. Reported are the medians in microseconds a
call and the median of the ratios of each round. Needs FRETSAW_DATA for vocabularies and texts; what
is not there is left out.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tokenizers
import transformers
from corpora import cut, load_corpus
from transformers import AutoTokenizer

import fretsaw
from fretsaw.integrations.transformers import patch, unpatch

FOLDERS = {
    "gpt2": {"tokenizer_class": "GPT2Tokenizer", "pad_token": "<|endoftext|>"},
    "bert-base-uncased": {"tokenizer_class": "BertTokenizer"},
    "llama3.1": {"tokenizer_class": "PreTrainedTokenizerFast", "pad_token": "<|eot_id|>"},
}
FIXTURES = Path(__file__).parent.parent / "tests" / "fixtures"
WANTED_RATIOS = {"140 bytes": 1.5, "512 x 140 bytes, padded and cut": 5.0}
"""What `--check` asks for."""


def load(name: str) -> Any:
    """The tokenizer of a folder that is made for it."""
    paths = [FIXTURES / f"{name}.json.gz"]
    if "FRETSAW_DATA" in os.environ:
        paths.append(Path(os.environ["FRETSAW_DATA"], "tokenizers", f"{name}.json.gz"))
    packed = next((path for path in paths if path.exists()), None)
    if packed is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "tokenizer.json").write_bytes(gzip.decompress(packed.read_bytes()))
        config = FOLDERS[name] | {"model_max_length": 1024}
        Path(folder, "tokenizer_config.json").write_text(json.dumps(config))
        return AutoTokenizer.from_pretrained(folder)


def cells() -> dict[str, tuple[int, Callable[[Any], Any]]]:
    """How often each call is made in a round, and the call."""
    data = load_corpus("en_prose", 1 << 20).text.encode()
    text = cut(data, len(data) // 2, 140)
    batch = [cut(data, at * 2000, 140) for at in range(512)]
    padded = {"padding": True, "truncation": True, "max_length": 32}
    ids_alone = {"return_attention_mask": False, "return_token_type_ids": False}
    return {
        "140 bytes": (300, lambda tokenizer: tokenizer(text)),
        "140 bytes, ids alone": (300, lambda tokenizer: tokenizer(text, **ids_alone)),
        "140 bytes, offsets": (100, lambda t: t(text, return_offsets_mapping=True)),
        "512 x 140 bytes": (2, lambda tokenizer: tokenizer(batch)),
        "512 x 140 bytes, padded and cut": (2, lambda tokenizer: tokenizer(batch, **padded)),
        "512 x 140 bytes, padded and cut, ids alone": (
            2,
            lambda tokenizer: tokenizer(batch, **padded, **ids_alone),
        ),
        "512 x 140 bytes, padded and cut, arrays": (
            2,
            lambda tokenizer: tokenizer(batch, **padded, return_tensors="np"),
        ),
        "decode 64 ids": (300, lambda tokenizer: tokenizer.decode(list(range(100, 164)))),
    }


def as_lists(result: Any) -> Any:
    """A result in a form to be compared."""
    if isinstance(result, str):
        return result
    return {
        name: [list(row) if hasattr(row, "__iter__") else row for row in result[name]]
        for name in result
    }


def timed(call: Callable[[Any], Any], tokenizer: Any, count: int) -> float:
    """Seconds a call."""
    start = time.perf_counter()
    for _ in range(count):
        call(tokenizer)
    return (time.perf_counter() - start) / count


def measure(call: Callable[[Any], Any], count: int, sides: dict[bool, Any], rounds: int) -> Any:
    """Seconds a call in each round, by whether it was on fretsaw."""
    seconds: dict[bool, list[float]] = {False: [], True: []}
    for number in range(rounds + 1):
        for on_fretsaw in (number % 2 == 0, number % 2 != 0):
            if on_fretsaw:
                patch()
            spent = timed(call, sides[on_fretsaw], count)
            unpatch()
            if number:
                seconds[on_fretsaw].append(spent)
    return seconds


def main() -> None:
    """Prints a table; with `--check` ends with an error where a ratio is too small."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("names", nargs="*", default=list(FOLDERS))
    options = parser.parse_args()
    versions = f"transformers {transformers.__version__}, tokenizers {tokenizers.__version__}"
    print(
        f"{versions}, fretsaw {fretsaw._tokenizer.__version__}, Python {platform.python_version()}"
    )
    print(f"{os.cpu_count()} CPUs, {options.rounds} rounds, warm, en_prose\n")
    failed = False
    for name in options.names:
        sides = {False: load(name)}
        patch()
        sides[True] = load(name)
        unpatch()
        if sides[True] is None:
            print(f"{name}: no such vocabulary here")
            continue
        for label, (count, call) in cells().items():
            patch()
            ours = as_lists(call(sides[True]))
            unpatch()
            assert ours == as_lists(call(sides[False])), label
            seconds = measure(call, count, sides, options.rounds)
            ratios = [a / b for a, b in zip(seconds[False], seconds[True], strict=True)]
            before, after = (statistics.median(seconds[on]) * 1e6 for on in (False, True))
            ratio = statistics.median(ratios)
            low = ratio < WANTED_RATIOS.get(label, 0)
            failed |= low
            spread = f"{min(ratios):.1f} to {max(ratios):.1f}"
            print(
                f"{name:18} {label:44} {before:10.1f} us {after:10.1f} us "
                f"{ratio:6.2f} times ({spread}){'  too slow' if low else ''}"
            )
    if options.check and failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
