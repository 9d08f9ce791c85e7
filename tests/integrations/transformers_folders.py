"""Folders as Hugging Face lays them out, for models whose tokenizers differ, and what calls give.

Each folder has a tokenizer.json and a tokenizer_config.json that names a class of transformers. Some
of these classes take the file as it is, others build a tokenizer anew from its vocabulary.
"""

import gzip
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer, BatchEncoding

from fretsaw.integrations.transformers import patch, unpatch

TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% if message['role'] == 'assistant' %}{% generation %}{{ message['content'] }}<|im_end|>"
    "{% endgeneration %}{% else %}{{ message['content'] }}<|im_end|>{% endif %}\n{% endfor %}"
)

CONFIGS: dict[str, tuple[str, dict[str, Any]]] = {
    "bert": (
        "bert-base-uncased",
        {
            "tokenizer_class": "BertTokenizer",
            "do_lower_case": True,
            "model_max_length": 512,
            "clean_up_tokenization_spaces": True,
        },
    ),
    "bert-file": (
        "bert-base-uncased",
        {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "pad_token": "[PAD]",
            "cls_token": "[CLS]",
            "sep_token": "[SEP]",
            "mask_token": "[MASK]",
            "unk_token": "[UNK]",
        },
    ),
    "roberta": ("roberta-base", {"tokenizer_class": "RobertaTokenizer"}),
    "gpt2": ("gpt2", {"tokenizer_class": "GPT2Tokenizer", "pad_token": "<|endoftext|>"}),
    "llama2": (
        "llama2",
        {
            "tokenizer_class": "LlamaTokenizer",
            "bos_token": "<s>",
            "eos_token": "</s>",
            "unk_token": "<unk>",
            "pad_token": "</s>",
            "padding_side": "left",
        },
    ),
    "t5": ("t5-small", {"tokenizer_class": "T5Tokenizer", "extra_ids": 100}),
    "clip": ("clip-vit", {"tokenizer_class": "CLIPTokenizer", "model_max_length": 77}),
    "smollm2": (
        "smollm2",
        {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "chat_template": TEMPLATE,
            "bos_token": "<|im_start|>",
            "eos_token": "<|im_end|>",
            "pad_token": "<|im_end|>",
            "unk_token": "<|endoftext|>",
            "extra_special_tokens": ["<note>", "<file_sep>"],
        },
    ),
}
"""The vocabulary and the tokenizer_config.json of each."""

FIXTURES = Path(__file__).parent.parent / "fixtures"


def make_folder(name: str, data: Path, folder: Path) -> Path:
    """Writes the folder of a model."""
    vocabulary, config = CONFIGS[name]
    packed = FIXTURES / f"{vocabulary}.json.gz"
    if not packed.exists():
        packed = data / "tokenizers" / f"{vocabulary}.json.gz"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokenizer.json").write_bytes(gzip.decompress(packed.read_bytes()))
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return folder


def load(folder: Path, patched: bool, **kwargs: Any) -> Any:
    """The tokenizer of a folder, on fretsaw or on tokenizers."""
    if not patched:
        return AutoTokenizer.from_pretrained(folder, **kwargs)
    patch()
    try:
        return AutoTokenizer.from_pretrained(folder, **kwargs)
    finally:
        unpatch()


def plain(value: Any) -> Any:
    """A result as lists, dicts and strings."""
    if isinstance(value, BatchEncoding):
        encodings = value.encodings
        known = None if encodings is None else [plain(encoding) for encoding in encodings]
        data = {name: plain(value[name]) for name in value}
        return {"data": data, "encodings": known, "n_sequences": value.n_sequences}
    if hasattr(value, "overflowing"):
        fields = ("ids", "tokens", "offsets", "word_ids", "sequence_ids", "type_ids")
        masks = ("special_tokens_mask", "attention_mask", "n_sequences")
        found = {name: getattr(value, name) for name in fields + masks}
        return found | {"overflowing": [plain(part) for part in value.overflowing]}
    if hasattr(value, "tolist"):
        return {"shape": list(value.shape), "dtype": str(value.dtype), "values": value.tolist()}
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value


def outcome(action: Callable[[Any], Any], tokenizer: Any) -> Any:
    """What an action gives, or the error that it ends with."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        try:
            return plain(action(tokenizer))
        except Exception as error:
            return {"error": type(error).__name__, "message": str(error)}
        except BaseException as error:
            # A panic of tokenizers; fretsaw says the same in an error of its own.
            assert type(error).__name__ == "PanicException"
            return PANIC


class _Panic:
    """Equal to any error of fretsaw."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, dict) and other.get("error") in ("EncodeError", "DecodeError")

    __hash__ = None  # type: ignore[assignment]


PANIC = _Panic()
