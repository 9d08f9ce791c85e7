"""Every way to encode gives what tiktoken gives, errors included."""

import gzip
import pickle

import numpy as np
import pytest

import fretsaw
from fretsaw.integrations import tiktoken as ours

SPECIALS = [
    "<|endoftext|>",
    "a<|endoftext|>b <|endofprompt|><|endoftext|",
    "<|fim_prefix|>def <|fim_suffix|>\n<|fim_middle|>",
    "<|start|>user<|message|>hi<|end|><|return|><|reserved_200018|><|endofprompt|>",
    "<|reserved_201087|><|reserved_200000|><|startoftext|> ",
]
SURROGATES = [
    "a\udbc0z",
    "\ud83d\ude00",
    "\ude00\ud83d",
    "x\ud83d",
    "\udc00 <|endoftext|> \ud83d\ude00",
]


def outcome(call, *args, **options):
    """The result, or type and arguments of the error."""
    try:
        return call(*args, **options)
    except Exception as error:
        args = error.args if isinstance(error, (ValueError, KeyError)) else None
        return next(kind for kind in type(error).__mro__ if "fretsaw" not in kind.__module__), args


def encode_to_numpy(enc, text, **options):
    return enc.encode_to_numpy(text, **options).tolist()


def test_text(name, oracle, texts):
    theirs, mine, tok = oracle(name), ours.get_encoding(name), fretsaw.get(name)
    for text in texts:
        expected = theirs.encode_ordinary(text)
        assert mine.encode_ordinary(text) == expected, text
        assert tok.encode_ids(text, special="none") == expected, text


def test_special_tokens(name, oracle, texts):
    theirs, mine = oracle(name), ours.get_encoding(name)
    for text in [*SPECIALS, *SURROGATES, *texts[:300]]:
        for options in (
            {},
            {"allowed_special": "all"},
            {"disallowed_special": ()},
            {"allowed_special": {"<|endoftext|>", "unknown"}},
            {"allowed_special": {"<|endofprompt|>"}, "disallowed_special": {"z"}},
            {"allowed_special": frozenset({"<|start|>"}), "disallowed_special": ["<|end|>"]},
        ):
            expected = outcome(theirs.encode, text, **options)
            assert outcome(mine.encode, text, **options) == expected, (text, options)
            expected = outcome(encode_to_numpy, theirs, text, **options)
            assert outcome(encode_to_numpy, mine, text, **options) == expected, (text, options)


def test_defaults_of_the_tokenizer(oracle):
    tok, theirs = fretsaw.get("cl100k_base"), oracle("cl100k_base")
    with pytest.raises(fretsaw.EncodeError, match=r"<\|endoftext\|>"):
        tok.encode("a <|endoftext|> b")
    assert tok.encode_ids("a <|endoftext|> b", special="all") == [64, 220, 100257, 293]
    assert tok.decode([64, 100257]) == theirs.decode([64, 100257])
    with pytest.raises(fretsaw.DecodeError):
        tok.decode([100256])


def test_wrong_types(oracle):
    theirs, mine = oracle("r50k_base"), ours.get_encoding("r50k_base")
    for call in (
        lambda enc: enc.encode(5),
        lambda enc: enc.encode_ordinary(None),
        lambda enc: enc.encode("<|endoftext|>", allowed_special=["<|endoftext|>"]),
        lambda enc: enc.encode_ordinary_batch(["a"], num_threads=0),
        lambda enc: enc.encode_batch(["a", "<|endoftext|>"]),
        lambda enc: enc.encode_batch("ab"),
    ):
        assert outcome(call, mine) == outcome(call, theirs)


def test_batches(name, oracle, texts):
    theirs, mine = oracle(name), ours.get_encoding(name)
    batch = [*texts[:200], *SURROGATES]
    assert mine.encode_ordinary_batch(batch) == theirs.encode_ordinary_batch(batch)
    assert mine.encode_ordinary_batch([]) == []
    options = {"allowed_special": "all", "num_threads": 2}
    assert mine.encode_batch(SPECIALS, **options) == theirs.encode_batch(SPECIALS, **options)
    plain = ["hello", "", "world"]
    assert mine.encode_batch(plain) == theirs.encode_batch(plain)
    ids = mine.encode_to_numpy("hello world")
    assert ids.dtype == np.uint32
    assert ids.tolist() == mine.encode("hello world")


def test_single_tokens(name, oracle):
    theirs, mine = oracle(name), ours.get_encoding(name)
    for token in ("hello", b"\xff", "<|endoftext|>", b"<|endoftext|>", "no such token", b"\xffab"):
        expected = outcome(theirs.encode_single_token, token)
        assert outcome(mine.encode_single_token, token) == expected


def test_pickles(name):
    mine = ours.get_encoding(name)
    assert pickle.loads(pickle.dumps(mine)).__dict__ is mine.__dict__
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"ab": 300}
    made = ours.Encoding(name, pat_str=".", mergeable_ranks=ranks, special_tokens={"<e>": 400})
    again = pickle.loads(pickle.dumps(made))
    assert again._mergeable_ranks == ranks
    assert again.encode("abc<e>", allowed_special="all") == [97, 98, 99, 400]


@pytest.mark.parametrize("file", ["codepoints", "emoji", "misc", "normalization"])
def test_nasty_files(name, oracle, data_dir, file):
    text = gzip.decompress((data_dir / "text" / f"nasty_{file}.txt.gz").read_bytes()).decode()
    theirs, mine = oracle(name), ours.get_encoding(name)
    chars = 50_000
    for start in (0, len(text) // 2, max(0, len(text) - chars)):
        part = text[start : start + chars]
        assert mine.encode_ordinary(part) == theirs.encode_ordinary(part)
