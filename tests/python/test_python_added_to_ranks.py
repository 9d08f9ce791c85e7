"""Tokens added to a tokenizer that is made of ranks, which brings its ids itself."""

import pathlib
import pickle

import fretsaw
from fretsaw import Tokenizer

RANKS = b"YQ== 0\nYg== 1\nYWI= 2\n"


def ranks() -> Tokenizer:
    return Tokenizer._from_tiktoken(RANKS, r"(?s).+", {"<s>": 6})


def test_new_tokens_come_behind_all_others():
    tok = fretsaw.get("cl100k_base")
    end = tok.get_vocab_size() + 1  # 100256 is no id
    assert tok.token_to_id("<|endofprompt|>") == 100276
    assert tok.add_tokens(["abcq", "zzq"]) == 2
    assert tok.add_special_tokens(["abcq", "<new>"]) == 2
    assert [tok.token_to_id(token) for token in ("abcq", "zzq", "<new>")] == [
        100277,
        100278,
        100279,
    ]
    assert tok.encode_ids("abcq!zzq<new>", special="all") == [100277, 0, 100278, 100279]
    assert tok.decode([100277, 0, 100278, 100279], skip_special_tokens=True) == "!zzq"
    assert tok.get_vocab_size() + 1 == end + 3


def test_a_token_that_is_there_keeps_its_id():
    tok = ranks()
    assert tok.add_tokens(["<s>"]) == 1
    assert tok.encode_ids("a<s>b", special="all") == [0, 6, 1]
    assert [token.content for token in tok.get_added_tokens_decoder().values()] == ["<s>"]
    assert tok.decode([0, 6, 1], skip_special_tokens=True) == "ab", "once special, always special"


def test_pickles_and_compiled_files_have_all_of_it(tmp_path: pathlib.Path):
    tok = ranks()
    tok.add_tokens(["new"])
    tok.enable_truncation(3)
    tok.compile(tmp_path / "a.fret")
    for other in (pickle.loads(pickle.dumps(tok)), Tokenizer.from_file(tmp_path / "a.fret")):
        assert other.encode_ids("anewb<s>", special="all") == [0, 7, 1]
        assert other.truncation == tok.truncation
        assert other.get_added_tokens_decoder() == tok.get_added_tokens_decoder()
        assert other.fingerprint == tok.fingerprint
        assert other.add_tokens(["newer"]) == 1
        assert other.token_to_id("newer") == 8


def test_settings_are_part_of_the_fingerprint():
    tok = ranks()
    before = tok.fingerprint
    tok.enable_truncation(3)
    assert tok.fingerprint != before
    tok.no_truncation()
    assert tok.fingerprint == before
