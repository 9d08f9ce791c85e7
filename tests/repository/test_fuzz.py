"""The fuzzers: which there are, and what is kept for them to start from."""

import re
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import fuzz  # noqa: E402

TARGETS = {
    *("encode", "decode", "tokenizer_json", "roundtrip", "compiled_file", "unigram", "wordpiece"),
    *("bpe_merge", "stream", "sentencepiece", "tiktoken", "gguf", "train", "scan"),
    "regex_dialect",
}
MOST_BYTES = 1_000_000


def test_every_target_is_there_and_says_what_it_compares():
    assert set(fuzz.targets()) == TARGETS
    for target in TARGETS:
        source = (ROOT / "fuzz" / "src" / "targets" / f"{target}.rs").read_text()
        assert source.startswith(f"//! `{target}`: "), target


def test_each_has_inputs_to_start_from_and_they_stay_small():
    packed = {path.stem: path for path in fuzz.KEPT.glob("*.zip")}
    assert set(packed) == TARGETS
    for target, path in packed.items():
        with zipfile.ZipFile(path) as archive:
            assert archive.namelist(), target
            assert archive.testzip() is None, target
    assert sum(path.stat().st_size for path in packed.values()) < MOST_BYTES


def test_the_crate_stays_out_of_the_workspace():
    assert 'exclude = ["fuzz"]' in (ROOT / "Cargo.toml").read_text()
    manifest = (ROOT / "fuzz" / "Cargo.toml").read_text()
    assert re.search(r"^\[workspace\]$", manifest, re.M)
    assert re.search(r"^debug-assertions = true$", manifest, re.M)


def test_the_documentation_names_every_target():
    text = (ROOT / "docs" / "testing.md").read_text()
    assert set(re.findall(r"^\| `(\w+)` \| ", text.split("## Fuzzers")[1], re.M)) == TARGETS
