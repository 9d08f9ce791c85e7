"""`.tiktoken` files and tables of ranks: the shared cases, odd files, patterns that drop text."""

import gzip
import json
from pathlib import Path

import pytest
import tiktoken
from test_tiktoken_encode import outcome

import fretsaw
from fretsaw.integrations import tiktoken as ours

CASES = Path(__file__).parents[1] / "cases" / "tiktoken.jsonl"
SHARED = [json.loads(line) for line in CASES.read_text().splitlines()]
BYTES = {bytes([byte]): byte for byte in range(256)}
ANY = r"(?s).+"


@pytest.mark.parametrize("case", SHARED, ids=[case["id"] for case in SHARED])
def test_cases(case, tmp_path):
    expected = case["expected"]
    if case["kind"] in ("encode", "special"):
        encode = ours.get_encoding(case["tokenizer"]).encode
        assert encode(case["input"], **case["options"]) == expected["ids"]
    elif case["kind"] == "decode":
        with pytest.raises(KeyError):
            ours.get_encoding(case["tokenizer"]).decode(case["input"])
        with pytest.raises(fretsaw.DecodeError):
            fretsaw.get(case["tokenizer"]).decode(case["input"])
    else:
        path = tmp_path / "x.tiktoken"
        path.write_text(case["input"])
        if case["kind"] == "load_error":
            with pytest.raises(fretsaw.SpecError, match="line 2"):
                fretsaw.Tokenizer.from_file(path, pattern=ANY)
        else:
            tok = fretsaw.Tokenizer.from_file(path, pattern=ANY)
            assert tok.get_vocab_size() == expected["vocab_size"]
            probes = case["options"]["probe"]
            assert [tok.encode_ids(probe) for probe in probes] == expected["probe_ids"]


LINES = [
    b"YQ== 0\r\nYg== 1\rYWI= 7",
    b" YQ==\t0 \nYg== +1\nYWI= 1_0\n",
    b"YQ== 5\nYg== 1\nYQ== 0\nYWI= 2\n",
    b"\xef\xbb\xbfYQ== 0\nY-g== 1\nYWI 2\n",
    b"YQ== 0\nYg== 1\nY-WI= 2\n",
    b"YQ== 0\n \nYg== 1\nYWI= 2\n",
    b"YQ== 0\nYg== 0\nYWI= 2\n",
    b"YQ== 0\nYg== -1\nYWI= 2\n",
    b"YQ== 0\nYg== 4294967296\n",
    b"YQ== 0 1\n",
    b"YQ== 0x1\n",
    b"",
    b"\n\n",
]


@pytest.mark.parametrize("content", LINES)
def test_lines(content, tmp_path):
    path = tmp_path / "x.tiktoken"
    path.write_bytes(content)
    try:
        ranks = tiktoken.load.load_tiktoken_bpe(str(path))
        theirs = tiktoken.Encoding("x", pat_str=ANY, mergeable_ranks=ranks, special_tokens={})
    except BaseException:  # A panic is no Exception.
        with pytest.raises(fretsaw.SpecError):
            fretsaw.Tokenizer.from_file(path, pattern=ANY)
        return
    tok = fretsaw.Tokenizer.from_file(path, pattern=ANY)
    assert tok.get_vocab_size() == len(ranks)
    for text in ("ab", "aabb", "ba"):
        assert tok.encode_ids(text) == theirs.encode(text)


def test_a_byte_without_a_token_is_an_error():
    tok = fretsaw.Tokenizer._from_tiktoken(b"YQ== 0\nYg== 1\n", ANY, {})
    assert tok.encode_ids("ab") == [0, 1]
    with pytest.raises(fretsaw.EncodeError):
        tok.encode_ids("abc")


def test_pattern_and_special_tokens(tmp_path, data_dir):
    packed = data_dir / "native" / "tiktoken" / "cl100k_base.tiktoken.gz"
    path = tmp_path / "cl100k_base.tiktoken"
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    built_in = ours.get_encoding("cl100k_base")
    special_tokens = {"<|endoftext|>": 100257}
    tok = fretsaw.Tokenizer.from_file(
        path, pattern=built_in._pat_str, special_tokens=special_tokens
    )
    assert tok.encode_ids("hi <|endoftext|>", special="all") == [6151, 220, 100257]
    with pytest.raises(fretsaw.SpecError, match="needs a pattern"):
        fretsaw.Tokenizer.from_file(path)
    with pytest.raises(TypeError, match="needs pattern"):
        fretsaw.Tokenizer.from_file(path, special_tokens=special_tokens)


@pytest.mark.parametrize(
    "pattern",
    [r"\p{L}+", r"[a-c]+|\d", r"\w+|\s+(?!\S)", r"(?i)ab|(?<=a)c", r".", r"^a|b$"],
)
def test_patterns_that_leave_text_out(pattern, texts):
    ranks = BYTES | {b"ab": 256, b"abc": 257, b"ca": 258, "é".encode(): 259, b"bc": 260}
    parts = {"pat_str": pattern, "mergeable_ranks": ranks, "special_tokens": {"<e>": 500}}
    theirs, mine = tiktoken.Encoding("x", **parts), ours.Encoding("x", **parts)
    for text in ["", "abcabc ab1c ca", "a<e>b<e><e>c", "aab\nabc\nb", *texts[:200]]:
        expected = outcome(theirs.encode, text, allowed_special="all")
        assert outcome(mine.encode, text, allowed_special="all") == expected


def test_ranks_that_merge_in_any_order():
    """Tokens that no pair of earlier tokens makes, and pieces that are tokens all the same."""
    ranks = BYTES | {b"abcd": 256, b"bc": 257, b"abc": 258, b"xyz": 259, b"cd": 300, b"d ": 290}
    parts = {"pat_str": r"\S+\s?", "mergeable_ranks": ranks, "special_tokens": {}}
    theirs, mine = tiktoken.Encoding("x", **parts), ours.Encoding("x", **parts)
    for text in ("abcd", "abcde", "xyz", "wxyz", "bcd ", "aabcdbcd d cd", "abcabcabcd", "d d d "):
        assert mine.encode(text) == theirs.encode(text), text


def test_special_tokens_that_are_ordinary_too():
    ranks = BYTES | {b"ab": 256}
    special_tokens = {"ab": 900, "x": 901, "\u0120": 902, "same": 903, "too": 903}
    parts = {"pat_str": ANY, "mergeable_ranks": ranks, "special_tokens": special_tokens}
    theirs, mine = tiktoken.Encoding("x", **parts), ours.Encoding("x", **parts)
    for text in ("ab", "abx y\u0120", "sametoo same"):
        assert mine.encode_ordinary(text) == theirs.encode_ordinary(text)
        for allowed in ("all", {"ab"}, {"too"}):
            options = {"allowed_special": allowed, "disallowed_special": ()}
            assert mine.encode(text, **options) == theirs.encode(text, **options)
    for ids in ([256], [900], [901], [902], [32], [120, 900, 256]):
        assert mine.decode(ids) == theirs.decode(ids)
    assert mine.decode([903]) == "same"
    assert mine.encode_single_token("ab") == theirs.encode_single_token("ab") == 256
