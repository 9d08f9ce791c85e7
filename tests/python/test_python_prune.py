"""`fretsaw.prune`: texts whose tokens are kept are cut as before, under new ids."""

import random

import pytest
import tokenizers

import fretsaw
from fretsaw import spec

LINES = [
    "the quick brown fox jumps over the lazy dog\n",
    "größer als größte Häuser, naïve café\n",
    "don't panic: 1234 + 5678 = 6912!\n",
    "quick quicker quickest; lazily lazed\n",
]


def check(tok: fretsaw.Tokenizer, keep: list[int]) -> None:
    """A text all of whose ids were kept has the same tokens, and Hugging Face says so too."""
    small, old_ids = fretsaw.prune(tok, keep=keep)
    theirs = tokenizers.Tokenizer.from_str(small.to_str())
    assert small.get_vocab() == theirs.get_vocab()
    assert small.get_vocab_size() == len(old_ids)
    for new, old in enumerate(old_ids):
        assert small.id_to_token(new) == tok.id_to_token(old)
    texts = [*LINES, *(word for line in LINES for word in line.split())]
    seen = 0
    for text in texts:
        before = tok.encode(text).ids
        after = small.encode(text).ids
        assert theirs.encode(text).ids == after
        if set(before) <= set(old_ids):
            assert [old_ids[id_] for id_ in after] == before
            seen += 1
    assert seen > 0


MODELS = {
    "bpe": {},
    "wordpiece": {},
    "unigram": {"vocab_size": 80},
    "affixes": {
        "pre_tokenizer": spec.Whitespace(),
        "continuing_subword_prefix": "##",
        "end_of_word_suffix": "</w>",
    },
}


@pytest.mark.parametrize("name", MODELS)
def test_what_is_kept_stays_as_it_was(name: str):
    model = "bpe" if name == "affixes" else name
    options = {"vocab_size": 400, **MODELS[name], "special_tokens": ["<s>"]}
    tok = fretsaw.train(LINES * 3, model=model, **options)
    tok.add_tokens(["<note>"])
    rng = random.Random(3)
    for share in (0.0, 0.3, 0.7, 1.0):
        size = tok.get_vocab_size()
        check(tok, rng.sample(range(size), round(share * size)))


def test_what_a_text_uses(tmp_path):
    tok = fretsaw.train(LINES * 3, vocab_size=500)
    (tmp_path / "text").write_text(LINES[0])
    for source in (LINES[:1], tmp_path / "text"):
        small, old_ids = fretsaw.prune(tok, unused_on=source)
        assert [old_ids[id_] for id_ in small.encode(LINES[0]).ids] == tok.encode(LINES[0]).ids
        assert small.get_vocab_size() < tok.get_vocab_size()
        assert small.decode(small.encode(LINES[1]).ids) == LINES[1]


def test_post_processors_and_padding_have_new_ids():
    tok = fretsaw.train(LINES, vocab_size=400, special_tokens=["<pad>", "<s>", "</s>"])
    tok.add_special_tokens(["<end>"])
    end = tok.token_to_id("<end>")
    tok.post_processor = spec.TemplateProcessing(
        single="<s> $A <end>", special_tokens=[("<s>", 1), ("<end>", end)]
    )
    tok.enable_padding(pad_id=0, pad_token="<pad>", length=40)
    small, old_ids = fretsaw.prune(tok, keep=[])
    ids = small.encode("the").ids
    assert [old_ids[id_] for id_ in ids if old_ids[id_] in (1, end)] == [1, end]
    assert len(ids) == 40
    tok.post_processor = spec.RobertaProcessing(sep=("</s>", 2), cls=("<s>", 1))
    small, old_ids = fretsaw.prune(tok, keep=[])
    assert old_ids[small.encode("the").ids[0]] == 1


def test_what_is_refused():
    tok = fretsaw.get("gpt2")
    with pytest.raises(fretsaw.TrainError, match="no token 'nothing such'"):
        fretsaw.prune(tok, keep=["nothing such"])
    with pytest.raises(fretsaw.TrainError, match="no token 60000"):
        fretsaw.prune(tok, keep=[60_000])
    with pytest.raises(fretsaw.TrainError, match="one of the two"):
        fretsaw.prune(tok)
    with pytest.raises(fretsaw.UnsupportedError):
        fretsaw.prune(fretsaw.get("cl100k_base"), keep=[0])
