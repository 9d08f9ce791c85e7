"""Every file of the data folder against the oracle as it runs: ids, tokens, text, streams, safety.

Beside what the digests freeze (ids), this compares token strings, decoded text with and without
special tokens, streams of any ids, what is saved, and that no text forges a control token. A file of
each kind runs always, all of them to prove.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
import tokenizers
from frozen import PROVE, golden_strings, sampled

import fretsaw
from oracle.random_strings import random_strings
from oracle.tables import ALL_NAMES

Load = Callable[[str], fretsaw.Tokenizer]
LoadOracle = Callable[[str], tokenizers.Tokenizer]

FEW = ("albert-v5save", "bert-base-uncased", "clip-vit", "llama2", "mistral-v0.3", "t5-small")
SEED = 2711

each_file = pytest.mark.parametrize("name", ALL_NAMES if PROVE else FEW)


def texts() -> list[str]:
    """Golden strings and random ones."""
    golden = [text for _, text in sampled(golden_strings(), 400)]
    return [*golden, *random_strings(SEED, 0, 20_000 if PROVE else 300)]


@each_file
@pytest.mark.parametrize("special", [True, False])
def test_ids_tokens_and_text(name: str, special: bool, load: Load, load_oracle: LoadOracle) -> None:
    tok, oracle = load(name), load_oracle(name)
    ours = tok.encode_batch(texts(), add_special_tokens=special)
    theirs = oracle.encode_batch(texts(), add_special_tokens=special)
    for text, our, their in zip(texts(), ours, theirs, strict=True):
        assert (our.ids, our.tokens) == (their.ids, their.tokens), repr(text)
        for skip in (True, False):
            wanted = oracle.decode(their.ids, skip_special_tokens=skip)
            assert tok.decode(our.ids, skip_special_tokens=skip) == wanted, our.ids


@each_file
def test_any_ids_decode_and_stream_alike(name: str, load: Load, load_oracle: LoadOracle) -> None:
    tok, oracle = load(name), load_oracle(name)
    source = random.Random(f"any ids of {name}")
    size = oracle.get_vocab_size()
    for _ in range(250_000 if PROVE else 1_500):
        first = source.choice([size, 300, 40])
        ids = [source.randrange(first) for _ in range(source.randrange(14))]
        skip = source.random() < 0.5
        wanted = oracle.decode(ids, skip_special_tokens=skip)
        assert tok.decode(ids, skip_special_tokens=skip) == wanted, ids
        stream = tok.stream(skip_special_tokens=skip)
        chunks = [stream.push(id_) for id_ in ids]
        assert "".join(chunks) + stream.finish() == wanted, ids


@each_file
def test_no_text_forges_a_control_token(name: str, load: Load, load_oracle: LoadOracle) -> None:
    tok = load(name)
    added = load_oracle(name).get_added_tokens_decoder()
    control = {id_ for id_, token in added.items() if token.special}
    unknown = tok.token_to_id(getattr(tok.model, "unk_token", None) or "<unk>")
    unknown = getattr(tok.model, "unk_id", unknown)
    spelled = [token.content for token in added.values()] or [""]
    source = random.Random(f"forged with {name}")
    for text in texts()[:: 1 if PROVE else 4]:
        forged = text + source.choice(spelled) + source.choice(["", " ", "a"])
        ids = set(tok.encode(forged, special="none", add_special_tokens=False).ids)
        assert not (ids & control) - {unknown}, repr(forged)
        ids = set(tok.encode_ids(forged, trusted=[], add_special_tokens=False))
        assert not (ids & control) - {unknown}, repr(forged)


@each_file
def test_what_is_saved_gives_the_same(name: str, load: Load, load_oracle: LoadOracle) -> None:
    tok = load(name)
    written = tok.to_str()
    ours, theirs = fretsaw.Tokenizer.from_str(written), tokenizers.Tokenizer.from_str(written)
    for text in texts()[::8]:
        wanted = load_oracle(name).encode(text)
        assert ours.encode(text).ids == theirs.encode(text).ids == wanted.ids, repr(text)
