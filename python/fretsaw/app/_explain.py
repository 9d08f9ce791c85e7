"""How a text becomes tokens, step by step: the merge ladder, the lattice, the longest matches.

The ids are those of the fast library. The steps are those of `fretsaw.reference`, over the same model
and the same pieces (the fast library's normalizer and pre-tokenizer); `agrees` says that both end in
the same ids. Text is data: no added token in it is recognised.

Cost: the first look at a tokenizer reads its whole model, up to some seconds for 200,000 tokens; the
last few are kept. Then the reference's own, quadratic in a piece.
"""

import tempfile
import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any

import fretsaw
from fretsaw import reference, spec

__all__ = ["explain", "reference_model", "steps"]

Model = (
    reference.BytePairEncoder
    | reference.CharacterPairEncoder
    | reference.Unigram
    | reference.WordPiece
    | reference.WordLevel
)
KEPT_MODELS = 4
_models: OrderedDict[str, Model | None] = OrderedDict()
_lock = threading.Lock()


def explain(tokenizer: fretsaw.Tokenizer, text: str) -> dict[str, Any]:
    """The steps from a text to its ids, as plain values; bytes are in hexadecimal.

    `kind` is "bpe", "unigram", "wordpiece", "wordlevel", or "unknown" where the steps can't be shown.
    Each of `pieces` has its `piece` as the model sees it, its `ids`, and by kind `rungs` (rank, rule,
    parts and their ids), `arcs` (start, end, score, id, whether on the best way), or `matches`
    (start, strings tried in vain, token, id). `agrees` is whether the steps end in `ids`; where they do
    not, the kind is "unknown" and no step is given.

    >>> found = explain(fretsaw.get("gpt2"), "hugs")
    >>> [(rung["rank"], rung["parts"]) for rung in found["pieces"][0]["rungs"]]
    [(None, ['68', '75', '67', '73']), (762, ['68', '7567', '73']), (10083, ['68', '756773'])]
    >>> found["ids"], found["agrees"]
    ([71, 10339], True)
    """
    return steps(tokenizer, _model_of(tokenizer), text)


def steps(tokenizer: fretsaw.Tokenizer, model: Model | None, text: str) -> dict[str, Any]:
    """What `explain` gives, by a model of the reference."""
    ids = tokenizer.encode_ids(text, add_special_tokens=False, special="none")
    cut = [piece for piece, _ in tokenizer.pre_tokenize(tokenizer.normalize(text))]
    try:
        pieces = [_piece(model, piece) for piece in cut]
    except (KeyError, ValueError):  # pieces of another alphabet, or a model that can't have them
        model = None
        pieces = [_piece(None, piece) for piece in cut]
    found = [token_id for piece in pieces for token_id in piece["ids"]]
    if found != ids:  # other steps than the library's would only mislead
        model = None
        pieces = [_piece(None, piece) for piece in cut]
    return {
        "kind": _kind(model),
        "ids": ids,
        "tokens": [tokenizer.token_bytes(token_id).hex() for token_id in ids],
        "pieces": pieces,
        "agrees": model is not None,
    }


def _kind(model: Model | None) -> str:
    match model:
        case None:
            return "unknown"
        case reference.Unigram():
            return "unigram"
        case reference.WordPiece():
            return "wordpiece"
        case reference.WordLevel():
            return "wordlevel"
    return "bpe"


def _piece(model: Model | None, piece: str) -> dict[str, Any]:
    """The steps of one pre-token."""
    match model:
        case None:
            return {"piece": piece, "ids": []}
        case reference.BytePairEncoder():
            rungs = list(model.ladder(_bytes_of(piece)))
            return {"piece": piece, "ids": list(rungs[-1].ids), "rungs": list(map(_rung, rungs))}
        case reference.CharacterPairEncoder():
            rungs = list(model.ladder(piece))
            return {"piece": piece, "ids": list(rungs[-1].ids), "rungs": list(map(_rung, rungs))}
        case reference.Unigram():
            arcs = [list(arc) for arc in model.lattice(piece)]
            return {"piece": piece, "ids": model.encode(piece), "arcs": arcs}
        case reference.WordPiece():
            matches = [match._asdict() for match in model.matches(piece)]
            return {"piece": piece, "ids": model.encode(piece), "matches": matches}
    return {"piece": piece, "ids": model.encode(piece)}


def _rung(rung: reference.Rung) -> dict[str, Any]:
    return {
        "rank": rung.rank,
        "rule": None if rung.rule is None else [part.hex() for part in rung.rule],
        "parts": [part.hex() for part in rung.parts],
        "ids": list(rung.ids),
    }


def _model_of(tokenizer: fretsaw.Tokenizer) -> Model | None:
    """The reference's model of a tokenizer without its control tokens, kept for the next time."""
    key = tokenizer.fingerprint
    with _lock:
        if key in _models:
            _models.move_to_end(key)
            return _models[key]
        model = reference_model(tokenizer)
        _models[key] = model
        while len(_models) > KEPT_MODELS:
            _models.popitem(last=False)
        return model


def _stage(tokenizer: fretsaw.Tokenizer) -> spec.Model | None:
    """The model as data; the merges of ranks are found on the way through a tokenizer.json."""
    try:
        return tokenizer.model
    except fretsaw.UnsupportedError:
        pass
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tokenizer.json")
        try:
            tokenizer.save_as(path, "tokenizer.json")
            return fretsaw.Tokenizer.from_file(path).model
        except fretsaw.UnsupportedError:
            return None


def reference_model(tokenizer: fretsaw.Tokenizer) -> Model | None:
    """The model without control tokens, made to be read; `None` for one that it can't follow."""
    stage = _stage(tokenizer)
    if stage is None:
        return _of_sentence_pieces(tokenizer)
    model: Model
    try:
        match stage:
            case spec.BPE():
                model = _byte_pairs(tokenizer, stage)
            case spec.Unigram():
                model = reference.Unigram(stage.vocab, stage.unk_id, stage.byte_fallback)
            case spec.WordPiece():
                prefix, most = stage.continuing_subword_prefix, stage.max_input_chars_per_word
                model = reference.WordPiece(stage.vocab, stage.unk_token, prefix, most)
            case _:
                return reference.WordLevel(stage.vocab, stage.unk_token)
    except ValueError:
        return None
    added = tokenizer.get_added_tokens_decoder()
    control = {token_id for token_id, token in added.items() if token.special}
    if isinstance(model, reference.WordLevel) or not control & model.tokens.keys():
        return model
    return model.without(control)


def _of_sentence_pieces(tokenizer: fretsaw.Tokenizer) -> Model | None:
    """The Unigram model of a SentencePiece file, which a tokenizer.json can't carry.

    Its byte-pair models are left: their scores are whole numbers, the ranks of pieces.
    """
    try:
        scores, kinds, _ = tokenizer.piece_table()
    except ValueError:
        return None
    normal = [score for score, kind in zip(scores, kinds, strict=True) if kind == "Normal"]
    if "Unknown" not in kinds or all(score.is_integer() for score in normal):
        return None
    pieces = [(tokenizer.id_to_token(i) or "", score) for i, score in enumerate(scores)]
    others = [i for i, kind in enumerate(kinds) if kind in ("Control", "Unknown", "Unused")]
    return reference.Unigram(pieces, kinds.index("Unknown"), "Byte" in kinds, others)


def _byte_pairs(tokenizer: fretsaw.Tokenizer, stage: spec.BPE) -> Model:
    """Byte-pair encoding over bytes where the pieces are spelled in bytes, else over characters."""
    if _spells_bytes(tokenizer) and not (
        stage.continuing_subword_prefix or stage.end_of_word_suffix or stage.unk_token
    ):
        return reference.BytePairEncoder(stage.vocab, stage.merges, stage.ignore_merges)
    options = reference.CharacterOptions(
        unk_token=stage.unk_token,
        fuse_unk=stage.fuse_unk,
        byte_fallback=stage.byte_fallback,
        continuing_subword_prefix=stage.continuing_subword_prefix or "",
        end_of_word_suffix=stage.end_of_word_suffix or "",
        ignore_merges=stage.ignore_merges,
    )
    return reference.CharacterPairEncoder(stage.vocab, stage.merges, options)


def _spells_bytes(tokenizer: fretsaw.Tokenizer) -> bool:
    """Whether pieces come in the byte alphabet, in which é is two characters."""
    cut = tokenizer.pre_tokenize("é")
    return bool(cut) and cut[0][0].endswith("Ã©")


def _bytes_of(piece: str) -> bytes:
    """The bytes that a piece in the byte alphabet stands for."""
    return bytes(_BYTE_OF[character] for character in piece)


def _byte_alphabet() -> dict[str, int]:
    """The character of each byte, as byte-level vocabularies have it."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    alphabet = {chr(byte): byte for byte in printable}
    return alphabet | {chr(0x100 + place): byte for place, byte in enumerate(others)}


_BYTE_OF = _byte_alphabet()
