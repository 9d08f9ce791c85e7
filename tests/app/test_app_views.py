"""What the page is told of tokens: packed places, words and bytes are those of the library."""

from base64 import b64decode
from itertools import accumulate, pairwise
from typing import Any

import app_page
import numpy as np
import pytest
from app_served import SMALL

import fretsaw
from fretsaw.app._shelf import Shelf
from fretsaw.app._views import tokens

TEXTS = [
    "",
    "a",
    "Hello naïve 猫 👋🏽\n\tthe 12345 tokenizers<|endoftext|>",
    "un able " * 300,
    "ab" * 70_000,
]
FILES = {
    "unigram": app_page.small_unigram().to_str(),
    "word pieces": app_page.small_word_piece().to_str(),
    "two letters": SMALL,
}


def unpacked(packed: dict[str, str]) -> list[int]:
    [(kind, data)] = packed.items()
    return np.frombuffer(b64decode(data), f"<{kind}").tolist()


def check(tokenizer: fretsaw.Tokenizer, text: str, **options: Any) -> None:
    shelf = Shelf()
    shelf.get = lambda _name: tokenizer  # type: ignore[method-assign]
    body = tokens(shelf, {"tokenizer": "", "text": text, **options}).body
    encoding = tokenizer.encode(text, **options)
    assert unpacked(body["ids"]) == encoding.ids
    starts = list(accumulate(unpacked(body["steps"])))
    places = [(at, at + size) for at, size in zip(starts, unpacked(body["lengths"]), strict=True)]
    assert places == encoding.offsets
    runs = unpacked(body["words"])
    at = [0, *accumulate(map(abs, runs))]
    assert at[-1] == len(encoding.ids) == body["count"]
    for run, (first, last) in zip(runs, pairwise(at), strict=True):
        words = set(encoding.word_ids[first:last])
        assert len(words) == 1
        assert (None in words) == (run < 0)
    spelled = {token_id: bytes.fromhex(data) for token_id, (_, data) in body["table"].items()}
    joined = b"".join(spelled[token_id] for token_id in encoding.ids)
    assert body["by_bytes"] == (joined == text.encode())
    assert (body["characters"], body["bytes"]) == (len(text), len(text.encode()))


@pytest.mark.parametrize("name", ["gpt2", "o200k_base", "byte", *FILES])
def test_places_of_tokens(name: str):
    tok = fretsaw.Tokenizer.from_str(FILES[name]) if name in FILES else fretsaw.get(name)
    for text in TEXTS:
        check(tok, text, special="none", add_special_tokens=False)
        check(tok, text, special="all", add_special_tokens=True)


def test_places_of_tokens_that_a_template_adds():
    tok = fretsaw.Tokenizer.from_str(FILES["word pieces"])
    tok.add_special_tokens(["[CLS]", "[SEP]"])
    first, last = tok.token_to_id("[CLS]"), tok.token_to_id("[SEP]")
    assert first is not None
    assert last is not None
    tok.post_processor = fretsaw.spec.BertProcessing(sep=("[SEP]", last), cls=("[CLS]", first))
    for text in TEXTS:
        check(tok, text, special="none", add_special_tokens=True)
