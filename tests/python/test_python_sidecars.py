"""The compiled file beside a source: whose it is, and what happens where it can't be written."""

import json
import pathlib
import subprocess
import sys

from fretsaw import Tokenizer


def small(first: str, second: str) -> bytes:
    """A tokenizer.json of two words."""
    model = {"type": "WordLevel", "vocab": {first: 0, second: 1}, "unk_token": first}
    return json.dumps({"model": model}).encode()


def test_ranks_belong_to_their_pattern(tmp_path: pathlib.Path):
    path = tmp_path / "a.tiktoken"
    path.write_text("YQ== 0\nYg== 1\nYWI= 2\n")
    load = [
        ("[ab]+", {}, [2]),
        ("[ab]", {}, [0, 1]),
        ("[ab]+", {"ab": 9}, [9]),
        ("[ab]+", {}, [2]),
    ]
    for pattern, special, ids in load:
        for _ in range(2):
            tok = Tokenizer.from_file(path, pattern=pattern, special_tokens=special, cache=True)
            assert tok.encode("ab", special="all").ids == ids


def test_a_place_that_cannot_be_written_is_passed_over_with_one_warning(tmp_path: pathlib.Path):
    path = tmp_path / "tokenizer.json"
    path.write_bytes(small("aa", "bb"))
    (tmp_path / "tokenizer.json.fret").mkdir()
    code = (
        "import sys, warnings, fretsaw\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        "    for _ in range(3):\n"
        "        tok = fretsaw.Tokenizer.from_file(sys.argv[1], cache=True)\n"
        "        assert tok.encode('bb').ids == [1]\n"
        "print([str(one.message) for one in caught if one.category is RuntimeWarning])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.count("cannot write the compiled file") == 1
    assert done.stdout.count("tokenizer.json.fret") == 1
