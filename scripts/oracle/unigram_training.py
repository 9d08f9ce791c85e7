"""Unigram models as the oracles train them, and how likely text is with a model's scores."""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Mapping, Sequence

Scores = Mapping[str, float]


def with_hugging_face(lines: Sequence[str], size: int) -> Scores:
    """The scores that Hugging Face tokenizers learns; they differ from run to run."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=size, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False
    )
    tokenizer.train_from_iterator(lines, trainer)
    return dict(json.loads(tokenizer.to_str())["model"]["vocab"])


def with_sentencepiece(lines: Sequence[str], size: int) -> Scores:
    """Those of sentencepiece, without the limits to pieces that the others don't have."""
    import sentencepiece

    with tempfile.TemporaryDirectory() as folder:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines),
            model_prefix=f"{folder}/m",
            vocab_size=size,
            model_type="unigram",
            normalization_rule_name="identity",
            character_coverage=1.0,
            split_by_unicode_script=False,
            split_by_number=False,
            max_sentence_length=1 << 24,
            bos_id=-1,
            eos_id=-1,
            num_threads=2,
            minloglevel=2,
        )
        model = sentencepiece.SentencePieceProcessor(model_file=f"{folder}/m.model")
    return {model.id_to_piece(i): model.get_score(i) for i in range(model.get_piece_size())}


def log_likelihood(words: Mapping[str, int], scores: Scores) -> float:
    """Of all words, each summed over all ways to cut it."""
    shares = {piece: math.exp(score) for piece, score in scores.items() if piece != "<unk>"}
    longest = max(map(len, shares))
    whole = 0.0
    for word, count in words.items():
        sums = [1.0] + [0.0] * len(word)
        for end in range(1, len(word) + 1):
            for start in range(max(0, end - longest), end):
                sums[end] += sums[start] * shares.get(word[start:end], 0.0)
        whole += count * math.log(sums[-1])
    return whole
