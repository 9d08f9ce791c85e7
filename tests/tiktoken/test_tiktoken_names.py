"""Names, definitions and models are those of tiktoken."""

import pytest
import tiktoken
from tiktoken.model import MODEL_PREFIX_TO_ENCODING, MODEL_TO_ENCODING

import fretsaw
from fretsaw.integrations import tiktoken as ours


def test_names(oracle):
    assert ours.list_encoding_names() == tiktoken.list_encoding_names()
    assert set(ours.list_encoding_names()) | {"byte"} == set(fretsaw.names())


def test_definition(name, oracle):
    theirs, mine = oracle(name), ours.get_encoding(name)
    for field in (
        *("name", "_pat_str", "_special_tokens", "_mergeable_ranks", "max_token_value", "n_vocab"),
        *("eot_token", "special_tokens_set"),
    ):
        assert getattr(mine, field) == getattr(theirs, field), field
    assert repr(mine) == repr(theirs)
    assert ours.get_encoding(name) is mine
    for id in (0, 50256, 50281, 100257, 199999, 200018, 10**9):
        assert mine.is_special_token(id) == theirs.is_special_token(id)


def test_unknown_names():
    with pytest.raises(ValueError, match=r"Unknown encoding gpt9\."):
        ours.get_encoding("gpt9")
    with pytest.raises(ValueError, match="Expected a string in get_encoding, got <class 'int'>"):
        ours.get_encoding(9)


def test_models():
    prefixed = [f"{prefix}{end}" for prefix in MODEL_PREFIX_TO_ENCODING for end in ("", "x", "-1")]
    for model in [*MODEL_TO_ENCODING, *prefixed]:
        expected = tiktoken.encoding_name_for_model(model)
        assert ours.encoding_name_for_model(model) == expected, model
    assert ours.encoding_for_model("gpt-3.5-turbo") is ours.get_encoding("cl100k_base")
    for model in ("", "gpt", "claude", "o2"):
        with pytest.raises(KeyError) as theirs:
            tiktoken.encoding_name_for_model(model)
        with pytest.raises(KeyError) as mine:
            ours.encoding_name_for_model(model)
        assert mine.value.args == theirs.value.args


def test_gpt2_is_hugging_faces(gpt2_json):
    mine, theirs = fretsaw.get("gpt2"), fretsaw.Tokenizer.from_str(gpt2_json)
    assert mine.get_vocab() == theirs.get_vocab()
    assert mine.fingerprint == theirs.fingerprint
    text = "Hello<|endoftext|> world"
    assert mine.encode(text).tokens == theirs.encode(text).tokens
