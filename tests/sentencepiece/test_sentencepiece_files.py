"""A tokenizer of a SentencePiece model goes into pickles and compiled files, and is looked into."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest
from click.testing import CliRunner
from sentencepiece_trained import trained

import fretsaw
from fretsaw.cli import main

TEXT = "the tokens again, é\n  x"
KINDS = pytest.mark.parametrize("kind", ["unigram", "bpe", "char", "word"])


@KINDS
def test_pickles_and_compiled_files(kind: str, tmp_path: Path) -> None:
    tok = fretsaw.Tokenizer.from_str(trained(kind, "plain"))
    tok.enable_truncation(5)
    tok.compile(tmp_path / "m.fret")
    made = [pickle.loads(pickle.dumps(tok)), copy.deepcopy(tok)]
    for other in [*made, fretsaw.Tokenizer.from_file(tmp_path / "m.fret")]:
        assert other.fingerprint == tok.fingerprint
        assert other.truncation == tok.truncation
        encoding = tok.encode(TEXT)
        assert other.encode(TEXT) == encoding
        assert other.decode(encoding.ids) == tok.decode(encoding.ids)


@KINDS
def test_what_a_tokenizer_json_can_not_carry(kind: str, tmp_path: Path) -> None:
    tok = fretsaw.Tokenizer.from_str(trained(kind, "plain"))
    with pytest.raises(fretsaw.UnsupportedError, match="SentencePiece"):
        tok.to_str()
    with pytest.raises(fretsaw.UnsupportedError, match="SentencePiece"):
        tok.train_from_iterator(["a"])


@KINDS
def test_inspect(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "m.model"
    path.write_bytes(trained(kind, "plain"))
    for arguments in (["inspect", "-t", str(path)], ["inspect", "--json", "-t", str(path)]):
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 0, result.output
        assert str(fretsaw.Tokenizer.from_file(path).get_vocab_size()) in result.output
