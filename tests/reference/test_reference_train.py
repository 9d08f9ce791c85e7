"""Training: a hand example, and vocabulary and merges equal to the oracle's."""

from __future__ import annotations

import json

import tokenizers
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import decoders, models, pre_tokenizers, trainers

import fretsaw
from fretsaw.reference import Tokenizer, learn_word_pieces, learn_words, train

TEXTS = st.one_of(
    st.lists(st.text(alphabet="ab ", max_size=30), max_size=4),
    st.lists(st.text(alphabet="abcde 1'sé\n", max_size=60), max_size=4),
    st.lists(st.text(max_size=30), max_size=3),
)


def oracle(
    texts: list[str], vocab_size: int, min_frequency: int = 0, special_tokens: tuple[str, ...] = ()
) -> tokenizers.Tokenizer:
    """Train Hugging Face's tokenizer with the settings that `train` stands for."""
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        min_frequency=min_frequency,
        special_tokens=list(special_tokens),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def same(ours: Tokenizer, theirs: tokenizers.Tokenizer) -> bool:
    """Compare vocabulary and merge list."""
    model = json.loads(theirs.to_str())["model"]
    merges = [tuple(pair) for pair in model["merges"]]
    return ours.model.vocab == model["vocab"] and ours.model.merges() == merges


def test_by_hand() -> None:
    # u+g stands 4 times; then h+ug, p+ug and Ġ+p twice each, and the smallest ids are h's and ug's
    tokenizer = train(["hug pug hug pug"], vocab_size=258)
    assert tokenizer.model.merges() == [("u", "g"), ("h", "ug")]
    assert (tokenizer.model.vocab["!"], tokenizer.model.vocab["ug"]) == (0, 256)


def test_special_tokens_have_the_first_ids() -> None:
    tokenizer = train(["ab ab"], vocab_size=260, special_tokens=["<s>", "</s>"])
    assert [tokenizer.token(token_id) for token_id in (0, 1, 2)] == ["<s>", "</s>", "!"]
    assert tokenizer.encode("<s>ab</s>") == [0, tokenizer.model.vocab["ab"], 1]


def test_a_small_vocabulary_keeps_all_bytes() -> None:
    assert len(train(["ab"], vocab_size=10).model.vocab) == 256


@given(
    TEXTS, st.integers(250, 300), st.integers(0, 3), st.sampled_from([(), ("<s>",), ("ab", "a")])
)
@example(["aaaa aaa aaaaaaa aaaaa"], 290, 0, ())  # one token by two rules
@example(["aaaaaaa aaaaabaaaaab aabaab"], 290, 0, ("ab",))  # a rule that makes a special token
@settings(derandomize=True, deadline=None, max_examples=300)
def test_equals_the_oracle(
    texts: list[str], vocab_size: int, min_frequency: int, special: tuple[str, ...]
) -> None:
    ours = train(texts, vocab_size, min_frequency, special)
    assert same(ours, oracle(texts, vocab_size, min_frequency, special))


def test_equals_the_oracle_on_prose_and_code() -> None:
    from fretsaw.reference import __main__ as demo
    from fretsaw.reference import pre_tokenize, stream

    texts = [demo.TEXT, str(pre_tokenize.__doc__), str(stream.__doc__)]
    texts += [str(getattr(stream.StreamDecoder, name).__doc__) for name in ("push", "finish")]
    for vocab_size in (300, 400, 1000):
        assert same(train(texts, vocab_size, 2, ["<s>"]), oracle(texts, vocab_size, 2, ("<s>",)))


WORDS = st.dictionaries(
    st.text(alphabet="abcé#", min_size=1, max_size=8), st.integers(1, 4), max_size=12
)


@given(
    WORDS,
    st.integers(0, 40),
    st.integers(0, 3),
    st.sampled_from([(), ("<s>",), ("a##b", "b")]),
    st.sampled_from(["##", "a", ""]),
    st.sampled_from(["", "</w>"]),
    st.none() | st.integers(0, 4),
)
@settings(derandomize=True, deadline=None, max_examples=300)
def test_the_core_learns_the_same_pieces(
    words: dict[str, int],
    vocab_size: int,
    min_frequency: int,
    special: tuple[str, ...],
    prefix: str,
    suffix: str,
    limit: int | None,
) -> None:
    vocab, merges = learn_word_pieces(
        words, vocab_size, min_frequency, special, ["x"], limit, prefix, suffix
    )
    options = {"vocab_size": vocab_size, "min_frequency": min_frequency, "special_tokens": special}
    tok = fretsaw.train(
        counts=fretsaw.PieceCounts(words),
        pre_tokenizer=None,
        initial_alphabet=["x"],
        limit_alphabet=limit,
        continuing_subword_prefix=prefix,
        end_of_word_suffix=suffix,
        **options,
    )
    assert tok.get_vocab(with_added_tokens=False) == vocab
    assert list(tok.model.merges) == merges
    words_only = fretsaw.spec.Spec(fretsaw.spec.WordLevel({}, unk_token="?"))
    tok = fretsaw.train(counts=fretsaw.PieceCounts(words), spec=words_only, **options)
    expected = learn_words(words, vocab_size, min_frequency, special)
    assert tok.get_vocab(with_added_tokens=False) == expected
