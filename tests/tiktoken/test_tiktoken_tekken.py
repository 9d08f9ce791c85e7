"""tekken.json: ids are tiktoken's behind the special tokens, none of which matches in text."""

import base64
import gzip
import json
import pickle

import pytest
import tiktoken

import fretsaw

SPECIAL = 1000


def test_files(data_dir, tmp_path, texts):
    for packed in sorted((data_dir / "native" / "tekken").glob("*.json.gz")):
        content = gzip.decompress(packed.read_bytes())
        path = tmp_path / "tekken.json"
        path.write_bytes(content)
        tok = fretsaw.Tokenizer.from_file(path)
        file = json.loads(content)
        size = file["config"]["default_vocab_size"]
        entries = file["vocab"][: size - SPECIAL]
        theirs = tiktoken.Encoding(
            "tekken",
            pat_str=file["config"]["pattern"],
            mergeable_ranks={base64.b64decode(e["token_bytes"]): e["rank"] for e in entries},
            special_tokens={},
        )
        for text in [*texts[:1000], "<s>[INST] Hi [/INST]</s>"]:
            ids = tok.encode_ids(text)
            assert ids == [id + SPECIAL for id in theirs.encode(text)], text
            assert tok.decode(ids) == text
        assert tok.get_vocab_size() == size
        assert [tok.id_to_token(id) for id in (0, 3, 20, 999)] == [
            *("<unk>", "[INST]", "<SPECIAL_20>", "<SPECIAL_999>")
        ]
        assert tok.encode_ids("a</s>", special={"</s>"}) == [1097, 2]
        assert tok.decode([1, 1097, 2]) == "a"
        assert tok.decode([1, 1097, 2], skip_special_tokens=False) == "<s>a</s>"
        with pytest.raises(fretsaw.DecodeError):
            tok.decode([size])


def test_mistral_common(data_dir, tmp_path, texts):
    tekken = pytest.importorskip("mistral_common.tokens.tokenizers.tekken")
    for packed in sorted((data_dir / "native" / "tekken").glob("*.json.gz")):
        path = tmp_path / "tekken.json"
        path.write_bytes(gzip.decompress(packed.read_bytes()))
        theirs = tekken.Tekkenizer.from_file(path)
        tok = fretsaw.Tokenizer.from_file(path)
        for text in texts[:1000]:
            ids = theirs.encode(text, bos=False, eos=False)
            assert tok.encode_ids(text) == ids, text
            assert tok.decode([1, *ids, 2]) == theirs.decode([1, *ids, 2])
        # A character that skipped tokens cut stays in two, and a pickle keeps that.
        cut = [2, *(1000 + byte for byte in "é".encode()), 1097]
        cut.insert(2, 1)
        again = pickle.loads(pickle.dumps(tok))
        for one in (tok, again):
            assert one.decode(cut) == theirs.decode(cut) == "\ufffd\ufffda"
            stream = one.stream()
            assert "".join(map(stream.push, cut)) + stream.finish() == "\ufffd\ufffda"
            assert one.encode_ids("a</s>") == tok.encode_ids("a</s>") != [1097, 2]
        for id in range(theirs.n_words):
            keep = tekken.SpecialTokenPolicy.KEEP
            assert tok.token_bytes(id) == theirs.id_to_byte_piece(id, keep)
