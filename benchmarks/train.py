"""Times training beside its peers on one text: seconds, processor seconds and peak memory.

Every cell runs in a process of its own. Peers that are not installed are left out: Hugging Face
tokenizers, gigabpe and sentencepiece. `--generated-bytes` makes a larger text of the same sentences,
shuffled by a seed into distinct documents.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ENGLISH = ("en_prose", "enwiki_xml", "wikitext2_valid_test", "markdown")
EASTERN = ("zh_cn", "ja_nekodearu")
SEED = 7


def text_of(names: tuple[str, ...], size_bytes: int) -> bytes:
    """Texts of the data folder up to a size, repeated with their lines shuffled if they are shorter."""
    folder = Path(os.environ["FRETSAW_DATA"], "text")
    whole = b"".join(gzip.decompress((folder / f"{name}.txt.gz").read_bytes()) for name in names)
    lines = whole.splitlines(keepends=True)
    rng = random.Random(SEED)
    while len(whole) < size_bytes:
        rng.shuffle(lines)
        whole += b"".join(lines)
    return whole[: whole.rindex(b"\n", 0, size_bytes) + 1]


def with_fretsaw(model: str, path: str, size: int) -> None:
    """Ours."""
    import fretsaw
    from fretsaw import spec

    if model == "wordpiece":
        pipeline = spec.Spec(
            spec.WordPiece({}, unk_token="[UNK]"),
            normalizer=spec.BertNormalizer(),
            pre_tokenizer=spec.BertPreTokenizer(),
        )
        fretsaw.train(Path(path), spec=pipeline, vocab_size=size)
    elif model == "unigram":
        fretsaw.train(Path(path), model="unigram", vocab_size=size, threads=2)
    else:
        fretsaw.train(Path(path), vocab_size=size)


def with_hugging_face(model: str, path: str, size: int) -> None:
    """Hugging Face tokenizers."""
    import tokenizers
    from tokenizers import models, normalizers, pre_tokenizers, trainers

    options = {"vocab_size": size, "show_progress": False}
    if model == "wordpiece":
        tokenizer = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer()
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.train([path], trainers.WordPieceTrainer(**options))
        return
    if model == "unigram":
        tokenizer = tokenizers.Tokenizer(models.Unigram())
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        unknown = {"special_tokens": ["<unk>"], "unk_token": "<unk>"}
        tokenizer.train([path], trainers.UnigramTrainer(**options, **unknown))
        return
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train([path], trainers.BpeTrainer(initial_alphabet=alphabet, **options))


def with_gigabpe(model: str, path: str, size: int) -> None:
    """The package gigabpe, which has byte-level BPE alone."""
    import gigabpe

    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        gigabpe.train_tokenizer([path], vocab_size=size, output=out.name, pretokenizer="bytelevel")


def with_sentencepiece(model: str, path: str, size: int) -> None:
    """SentencePiece. Its BPE is another one: no byte level, words behind marks."""
    import sentencepiece

    with tempfile.TemporaryDirectory() as folder:
        sentencepiece.SentencePieceTrainer.train(
            input=path,
            model_prefix=f"{folder}/m",
            vocab_size=size,
            model_type=model,
            num_threads=2,
            minloglevel=2,
            hard_vocab_limit=False,
            max_sentence_length=1 << 24,
        )


ENGINES = {
    "fretsaw": with_fretsaw,
    "tokenizers": with_hugging_face,
    "gigabpe": with_gigabpe,
    "sentencepiece": with_sentencepiece,
}


def cell(engine: str, model: str, path: str, size: int) -> dict[str, float]:
    """One training in a process of its own."""
    command = [sys.executable, __file__, "--cell", engine, model, path, str(size)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def run_cell(engine: str, model: str, path: str, size: int) -> None:
    """Trains and prints what it took; imports are not timed."""
    importlib.import_module(engine)
    start, processor = time.perf_counter(), time.process_time()
    ENGINES[engine](model, path, size)
    taken = {"seconds": time.perf_counter() - start, "cpu": time.process_time() - processor}
    status = Path("/proc/self/status").read_text()
    taken["peak_mb"] = int(status.split("VmHWM:")[1].split()[0]) / 1024
    print(json.dumps(taken))


def compare(label: str, model: str, text: bytes, size: int, engines: list[str]) -> None:
    """A table of all engines on one text."""
    print(f"{label}, {model} {size:,}, {len(text) / 1e6:.0f} MB")
    with tempfile.NamedTemporaryFile(suffix=".txt") as file:
        file.write(text)
        file.flush()
        cells = {engine: cell(engine, model, file.name, size) for engine in engines}
    ours = cells["fretsaw"]
    for engine, found in cells.items():
        times = found["seconds"] / ours["seconds"]
        print(
            f"  {engine:<14} {found['seconds']:>8.2f} s {found['cpu']:>8.2f} s of processor"
            f" {found['peak_mb']:>7.0f} MB {times:>7.1f} times ours",
            flush=True,
        )


def main() -> None:
    """Command line."""
    if sys.argv[1:2] == ["--cell"]:
        engine, model, path, size = sys.argv[2:]
        run_cell(engine, model, path, int(size))
        return
    parser = argparse.ArgumentParser(description="Time training beside its peers.")
    parser.add_argument("--generated-bytes", type=int, default=0)
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--models", default="bpe,wordpiece,unigram")
    parser.add_argument("--quality", action="store_true", help="how likely text is, not how fast")
    options = parser.parse_args()
    engines = [name for name in options.engines.split(",") if importlib.util.find_spec(name)]
    words = [name for name in engines if name != "gigabpe"]
    if options.quality:
        importlib.import_module("train_quality").compare(words)
        return
    chosen = options.models.split(",")
    pairs = [name for name in engines if name != "sentencepiece"]
    if "bpe" in chosen:
        compare("English and markup", "bpe", text_of(ENGLISH, 40_000_000), 32_000, engines)
        if options.generated_bytes:
            text = text_of(ENGLISH, options.generated_bytes)
            compare("generated", "bpe", text, 32_000, pairs)
        compare("Chinese and Japanese", "bpe", text_of(EASTERN, 2_300_000), 32_000, pairs)
    if "wordpiece" in chosen:
        own = [name for name in words if name != "sentencepiece"]
        compare("English", "wordpiece", text_of(ENGLISH, 10_000_000), 30_000, own)
    if "unigram" in chosen:
        compare("English", "unigram", text_of(ENGLISH, 10_000_000), 8_000, words)
        compare("English and markup", "unigram", text_of(ENGLISH, 40_000_000), 32_000, words)


if __name__ == "__main__":
    main()
