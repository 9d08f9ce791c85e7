"""The public interface, pinned: names, signatures, stubs of the native side, their examples."""

import ast
import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import fretsaw
from fretsaw import _native

PACKAGE = Path(fretsaw.__file__).parent
STUB = ast.parse((PACKAGE / "_native.pyi").read_text())
CLASSES = (
    *(fretsaw.Tokenizer, fretsaw.Encoding, fretsaw.PaddedBatch, fretsaw.Stream),
    *(fretsaw.GrowingText, fretsaw.TextIndex),
    *(fretsaw.PieceCounts, _native.PieceCounter, _native.TextBlocks, _native.TextBlock),
    *(_native.ArrowLists, _native.ArrowListStream),
    *(_native.BlockEncoder, _native.ShardJob),
)

PUBLIC = {
    "fretsaw": [
        *("CacheInfo", "DecodeError", "EncodeError", "Encoding", "Fit", "FretsawError"),
        "BulkError",
        *("GrowingText", "Prompt", "TextIndex"),
        *("PaddedBatch", "PieceCounts", "Report", "SpecError", "Stream", "Tokenizer"),
        *("TrainError", "UnsupportedError", "cache_info", "count_pieces", "get", "names", "prune"),
        *("report", "set_cache_limit", "train", "train_parity_bpe"),
    ],
    "fretsaw.app": ["Language", "Limits", "build", "explain", "languages", "serve"],
    "fretsaw.bulk": ["Progress", "Shards", "tokenize", "verify"],
    "fretsaw.cli": ["main"],
    "fretsaw.integrations": [],
    "fretsaw.integrations.hub": ["fetch"],
    "fretsaw.integrations.ray": ["count_pieces"],
    "fretsaw.integrations.sentencepiece": [
        "SentencePieceProcessor",
        "set_random_generator_seed",
    ],
    "fretsaw.integrations.tiktoken": [
        *("Encoding", "encoding_for_model", "encoding_name_for_model", "get_encoding"),
        "list_encoding_names",
    ],
    "fretsaw.integrations.transformers": ["patch", "unpatch"],
    "fretsaw.spec": [
        "BPE",
        "CTC",
        "NFC",
        "NFD",
        "NFKC",
        "NFKD",
        "AddedToken",
        "BPEDecoder",
        "BertNormalizer",
        "BertPreTokenizer",
        "BertProcessing",
        "ByteFallback",
        "ByteLevel",
        "CharDelimiterSplit",
        "Decoder",
        "Digits",
        "FixedLength",
        "Fuse",
        "Lowercase",
        "Metaspace",
        "Model",
        "Nmt",
        "Normalizer",
        "Padding",
        "PostProcessor",
        "PreTokenizer",
        "Precompiled",
        "Prepend",
        "Punctuation",
        "Regex",
        "Replace",
        "RobertaProcessing",
        "Sequence",
        "SequencePiece",
        "Spec",
        "SpecialToken",
        "SpecialTokenPiece",
        "Split",
        "Strip",
        "StripAccents",
        "StripDecoder",
        "TemplateProcessing",
        "Truncation",
        "UnicodeScripts",
        "Unigram",
        "Whitespace",
        "WhitespaceSplit",
        "WordLevel",
        "WordPiece",
        "WordPieceDecoder",
    ],
    "fretsaw.trainers": [
        *("BpeTrainer", "Trainer", "UnigramTrainer", "WordLevelTrainer", "WordPieceTrainer"),
    ],
    "fretsaw.vocabularies": ["get", "names"],
    "fretsaw.vocabularies.tiktoken_encodings": [
        *("ENCODINGS", "TiktokenEncoding", "packed_pairs", "read_pairs"),
    ],
    "fretsaw.reference": [
        "AddedToken",
        "Arc",
        "ByteLevel",
        "BytePairEncoder",
        "CharacterOptions",
        "CharacterPairEncoder",
        "Digits",
        "Lowercase",
        "Match",
        "Metaspace",
        "Piece",
        "Prepend",
        "Replace",
        "Rung",
        "StreamDecoder",
        "Strip",
        "Tokenizer",
        "Unigram",
        "WhitespaceSplit",
        "WordLevel",
        "WordPiece",
        "decode_tokens",
        "learn_merges",
        "learn_parity_merges",
        "learn_unigram",
        "learn_word_pieces",
        "learn_words",
        "normalize",
        "pre_tokenize",
        "split_digits",
        "split_gpt2",
        "train",
    ],
}

ENCODE = "(self, /, text, *, add_special_tokens=True, special=None, trusted=None, seed=None)"
BATCH = "(self, /, texts, *, add_special_tokens=True, special=None, threads=0, seed=None)"
SEQUENCE = (
    "(self, /, sequence, pair=None, is_pretokenized=False, add_special_tokens=True, *,"
    " special=None, trusted=None, seed=None)"
)
SEQUENCES = (
    "(self, /, input, is_pretokenized=False, add_special_tokens=True, *, special=None,"
    " threads=0, seed=None)"
)
BUDGET = " add_special_tokens=True, special=None)"
SIGNATURES: dict[str, dict[str, str]] = {
    "Tokenizer": {
        "add_special_tokens": "(self, /, tokens)",
        "add_tokens": "(self, /, tokens)",
        "async_decode_batch": "(self, /, batch, *, skip_special_tokens=None, threads=0)",
        "async_encode": SEQUENCE,
        "async_encode_batch": SEQUENCES,
        "async_encode_batch_fast": SEQUENCES,
        "count": ENCODE,
        "count_batch": BATCH,
        "chat_template": "property",
        "decode": "(self, /, ids, *, skip_special_tokens=None)",
        "decode_batch": "(self, /, batch, *, skip_special_tokens=None, threads=0)",
        "decode_bytes": "(self, /, ids, *, skip_special_tokens=None)",
        "chunk": "(self, /, text, max_tokens, overlap=0, boundary='token', *," + BUDGET,
        "compile": "(self, /, path)",
        "decode_pieces": "(self, /, pieces)",
        "decoder": "property",
        "enable_padding": "(self, /, direction='right', pad_id=0, pad_type_id=0,"
        " pad_token='[PAD]', length=None, pad_to_multiple_of=None)",
        "enable_truncation": "(self, /, max_length, stride=0, strategy='longest_first',"
        " direction='right')",
        "encode": SEQUENCE,
        "encode_arrow": "(self, /, array, *, add_special_tokens=True, special=None, threads=0)",
        "encode_batch": SEQUENCES,
        "encode_batch_fast": SEQUENCES,
        "encode_batch_flat": BATCH.removesuffix(")") + ", padding=False)",
        "encode_batch_ids": BATCH,
        "encode_files": "(self, /, paths, *, separator=None, field='text', add_special_tokens=True,"
        " special=None, threads=0)",
        "encode_ids": ENCODE,
        "encode_pieces": "(self, /, text)",
        "encode_special_tokens": "property",
        "extend": "(self, /, state, more, *, trusted=None)",
        "fingerprint": "property",
        "fits": "(self, /, text, max_tokens, *," + BUDGET,
        "from_buffer": "(buffer)",
        "from_file": "(path, *, pattern=None, special_tokens=None, cache=False, mmap=True)",
        "from_pretrained": "(name_or_path, revision='main', token=None)",
        "from_str": "(json)",
        "get_added_tokens_decoder": "(self, /)",
        "get_vocab": "(self, /, with_added_tokens=True)",
        "get_vocab_size": "(self, /, with_added_tokens=True)",
        "id_to_token": "(self, /, id)",
        "index": "(self, /, text, *," + BUDGET,
        "model": "property",
        "nbest_pieces": "(self, /, text, size)",
        "no_padding": "(self, /)",
        "no_truncation": "(self, /)",
        "normalize": "(self, /, text)",
        "normalizer": "property",
        "num_special_tokens_to_add": "(self, /, is_pair)",
        "padding": "property",
        "pickle_by_path": "(self, /, path)",
        "piece_table": "(self, /)",
        "post_process": "(self, /, encoding, pair=None, add_special_tokens=True)",
        "post_processor": "property",
        "pre_tokenize": "(self, /, text)",
        "pre_tokenizer": "property",
        "render_chat": "(self, /, messages, *, tools=None, documents=None,"
        " add_generation_prompt=False, chat_template=None, trust_template_output=False, **variables)",
        "sample_pieces": "(self, /, text, *, nbest_size=None, alpha=0.1, seed=0)",
        "save": "(self, /, path)",
        "save_as": "(self, /, path, format, *, without=None)",
        "start": "(self, /, text=None, *," + BUDGET.removesuffix(")") + ", trusted=None)",
        "stream": "(self, /, *, skip_special_tokens=None, stop=None, stop_ids=None,"
        " include_stop=False, prefill=None, markers=None)",
        "to_str": "(self, /)",
        "token_bytes": "(self, /, id)",
        "token_table": "(self, /)",
        "token_to_id": "(self, /, token)",
        "train": "(self, /, files, trainer=None)",
        "train_from_iterator": "(self, /, iterator, trainer=None, length=None)",
        "truncate": "(self, /, text, max_tokens, direction='right', *," + BUDGET,
        "truncation": "property",
    },
    "Encoding": {
        "attention_mask": "property",
        "char_to_token": "(self, /, char_pos, sequence_index=0)",
        "char_to_word": "(self, /, char_pos, sequence_index=0)",
        "ids": "property",
        "merge": "(encodings, growing_offsets=True)",
        "n_sequences": "property",
        "offsets": "property",
        "overflowing": "property",
        "pad": "(self, /, length, direction='right', pad_id=0, pad_type_id=0, pad_token='[PAD]')",
        "sequence_ids": "property",
        "set_sequence_id": "(self, /, sequence_id)",
        "special_tokens_mask": "property",
        "token_to_chars": "(self, /, token_index)",
        "token_to_sequence": "(self, /, token_index)",
        "token_to_word": "(self, /, token_index)",
        "tokens": "property",
        "truncate": "(self, /, max_length, stride=0, direction='right')",
        "type_ids": "property",
        "word_ids": "property",
        "word_to_chars": "(self, /, word_index, sequence_index=0)",
        "word_to_tokens": "(self, /, word_index, sequence_index=0)",
        "words": "property",
    },
    "GrowingText": {"copy": "(self, /)", "ids": "property"},
    "TextIndex": {"count": "(self, /, start, end)"},
    "PieceCounter": {
        "count_block": "(self, /, block)",
        "count_texts": "(self, /, texts)",
        "distinct": "property",
        "finish": "(self, /)",
        "restore": "(self, /, calls, state)",
        "state": "(self, /)",
    },
    "ArrowLists": {},
    "ArrowListStream": {},
    "TextBlocks": {},
    "TextBlock": {
        "of_rows": "(path, first, array, replace=False)",
        "size": "property",
        "texts": "(self, /)",
    },
    "BlockEncoder": {
        "encode": "(self, /, file, path, by, field, start, end, opened=None)",
        "encode_rows": "(self, /, file, first, array)",
    },
    "ShardJob": {
        **dict.fromkeys(("closed", "finish", "progress", "step", "stop"), "(self, /)"),
        "encoded": "(self, /, block)",
        "open": "(self, /, file, path, by, field, at, opened=None)",
        "rows": "(self, /, file, first, array)",
    },
    "PaddedBatch": dict.fromkeys(
        ("attention_mask", "ids", "special_tokens_mask", "type_ids"), "property"
    ),
    "PieceCounts": {"as_dict": "(self, /)", "merge": "(self, /, other)"},
    "Stream": {
        **dict.fromkeys(("events", "pending", "stopped", "stopped_at"), "property"),
        **dict.fromkeys(("copy", "finish"), "(self, /)"),
        "push": "(self, /, id)",
        "push_many": "(self, /, ids)",
    },
}

ERRORS = {
    "BulkError": ("FretsawError",),
    "DecodeError": ("FretsawError", "ValueError"),
    "EncodeError": ("FretsawError", "ValueError"),
    "FretsawError": ("Exception",),
    "SpecError": ("FretsawError", "ValueError"),
    "TrainError": ("FretsawError",),
    "UnsupportedError": ("SpecError",),
}


def public_modules() -> Iterator[ModuleType]:
    """The package and every module that can be imported without an underscore in its name."""
    yield fretsaw
    for found in pkgutil.walk_packages(fretsaw.__path__, "fretsaw."):
        if not any(part.startswith("_") for part in found.name.split(".")):
            yield importlib.import_module(found.name)


def signatures(cls: type) -> dict[str, str]:
    """Public members of a native class."""
    members = {name: getattr(cls, name) for name in vars(cls) if not name.startswith("_")}
    return {
        name: str(inspect.signature(member)) if callable(member) else "property"
        for name, member in members.items()
    }


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_names(name: str):
    module = importlib.import_module(name)
    assert sorted(module.__all__) == sorted(PUBLIC[name])
    assert all(hasattr(module, entry) for entry in module.__all__)


def test_packages_are_pinned():
    packages = {module.__name__ for module in public_modules() if hasattr(module, "__path__")}
    assert packages <= set(PUBLIC)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_signatures(cls: type):
    assert signatures(cls) == SIGNATURES[cls.__name__]


@pytest.mark.parametrize(("name", "bases"), ERRORS.items())
def test_errors(name: str, bases: tuple[str, ...]):
    error = getattr(fretsaw, name)
    assert tuple(base.__name__ for base in error.__bases__) == bases


def stub_classes() -> dict[str, ast.ClassDef]:
    return {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}


def stub_signature(method: ast.FunctionDef) -> tuple[list[str], list[str], list[str]]:
    """Positional names, keyword-only names, and defaults of both."""
    arguments = method.args
    positional = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    if "staticmethod" not in decorators(method):
        del positional[0]
    keywords = [argument.arg for argument in arguments.kwonlyargs]
    defaults = [
        ast.unparse(value) for value in (*arguments.defaults, *arguments.kw_defaults) if value
    ]
    return positional, keywords, defaults


def native_signature(method: Any) -> tuple[list[str], list[str], list[str]]:
    parameters = [
        value
        for name, value in inspect.signature(method).parameters.items()
        if name != "self" and value.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    keyword_only = inspect.Parameter.KEYWORD_ONLY
    return (
        [value.name for value in parameters if value.kind is not keyword_only],
        [value.name for value in parameters if value.kind is keyword_only],
        [repr(value.default) for value in parameters if value.default is not value.empty],
    )


def decorators(node: ast.FunctionDef) -> list[str]:
    return [ast.unparse(decorator) for decorator in node.decorator_list]


def is_setter(node: ast.FunctionDef) -> bool:
    """Whether a function of the stub says that a property can be set."""
    return any(decorator.endswith(".setter") for decorator in decorators(node))


def methods_of(cls: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    """The methods and properties of a class of the stub; of overloads the first one."""
    found: dict[str, ast.FunctionDef] = {}
    for node in cls.body:
        if isinstance(node, ast.FunctionDef) and not is_setter(node):
            found.setdefault(node.name, node)
    return found


def kind_of(member: Any) -> list[str]:
    """The decorators of a method of a native class."""
    if isinstance(member, staticmethod):
        return ["staticmethod"]
    return ["classmethod"] if isinstance(member, classmethod | type(vars(dict)["fromkeys"])) else []


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_stubs_equal_the_native_side(cls: type):
    methods = {
        name: node
        for name, node in methods_of(stub_classes()[cls.__name__]).items()
        if not name.startswith("__")
    }
    assert set(methods) == {name for name in vars(cls) if not name.startswith("__")}
    for name, stub in methods.items():
        if not callable(getattr(cls, name)):
            assert decorators(stub) == ["property"], name
            continue
        kinds = [name for name in decorators(stub) if name != "overload"]
        assert kinds == kind_of(vars(cls)[name]), name
        assert stub_signature(stub) == native_signature(getattr(cls, name)), name


def test_every_native_class_has_a_stub():
    native = {name for name, value in vars(_native).items() if isinstance(value, type)}
    assert native == set(stub_classes()) == {cls.__name__ for cls in CLASSES}


def test_every_public_stub_says_what_it_does():
    for name, cls in stub_classes().items():
        public = [node for node in methods_of(cls).values() if not node.name.startswith("_")]
        for node in (cls, *public):
            assert ">>>" in (ast.get_docstring(node) or ""), f"{name}.{node.name}"


def run_examples(text: str, name: str) -> int:
    """Runs the examples of a docstring; returns how many there were."""
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    test = doctest.DocTestParser().get_doctest(text, {"fretsaw": fretsaw}, name, None, 0)
    runner = doctest.DocTestRunner(optionflags=flags)
    report: list[str] = []
    runner.run(test, out=report.append)
    assert runner.failures == 0, "".join(report)
    return len(test.examples)


def test_examples_of_the_stubs():
    ran = 0
    for name, cls in stub_classes().items():
        for node in (cls, *(node for node in cls.body if isinstance(node, ast.FunctionDef))):
            ran += run_examples(ast.get_docstring(node) or "", f"{name}.{node.name}")
    assert ran > 40


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_examples_of_the_native_classes(cls: type):
    assert run_examples(cls.__doc__ or "", cls.__name__) > 0
    for name in vars(cls):
        run_examples(getattr(cls, name).__doc__ or "", f"{cls.__name__}.{name}")


def test_examples_of_python_modules():
    ran = 0
    for path in sorted(PACKAGE.rglob("*.py")):
        if "reference" in path.parts:
            continue
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        module = importlib.import_module(".".join(parts).removesuffix(".__init__"))
        result = doctest.testmod(
            module, extraglobs={"fretsaw": fretsaw}, optionflags=doctest.ELLIPSIS
        )
        assert result.failed == 0, module.__name__
        ran += result.attempted
    assert ran > 5
