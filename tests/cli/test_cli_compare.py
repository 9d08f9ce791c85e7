"""`fretsaw compare`."""

import json
from collections.abc import Callable

from click.testing import Result

from fretsaw.cli.compare import Difference, differences

Run = Callable[..., Result]


def test_a_vocabulary_differs_from_the_byte_tokenizer_in_every_longer_token(run: Run) -> None:
    result = run("compare", "gpt2", "byte", "Hello world", "--json")
    report = json.loads(result.stdout)
    assert report["left"] == {"name": "gpt2", "tokens": 2}
    assert report["right"] == {"name": "byte", "tokens": 11}
    assert (report["characters"], report["same_cuts"]) == (11, 2)
    assert report["differences"] == [
        {"times": 1, "left": ["Hello"], "right": list("Hello")},
        {"times": 1, "left": ["␣world"], "right": list("␣world")},
    ]


def test_the_table_names_both_and_counts_repeated_differences(run: Run) -> None:
    result = run("compare", "gpt2", "byte", "-", stdin="the the the")
    assert "3              3.67  gpt2" in result.stdout
    assert "11              1.00  byte" in result.stdout
    assert "       2×  ␣the   ␣|t|h|e" in result.stdout


def test_a_vocabulary_equals_itself(run: Run) -> None:
    result = run("compare", "gpt2", "gpt2", "a é 猫 <|endoftext|>", "--json")
    assert json.loads(result.stdout)["differences"] == []


def test_differences_end_at_common_cuts() -> None:
    left = [b"ab", b"c", b"de"]
    right = [b"a", b"bc", b"d", b"e"]
    want = [Difference((b"ab", b"c"), (b"a", b"bc")), Difference((b"de",), (b"d", b"e"))]
    assert list(differences(left, right)) == want
    assert list(differences(left, left)) == []


def test_bad_input_is_one_line(fails: Callable[..., str]) -> None:
    assert fails("compare", "gpt2", "byte").startswith("nothing to compare on")
    assert "neither a built-in vocabulary" in fails("compare", "gpt2", "nope", "text")
