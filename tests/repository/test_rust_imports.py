"""Which module of the core may use which: read from `crate::` paths, compared with a table.

Stages don't use each other, `spec` knows nothing but errors, `compile` wires and `pipeline` runs. A
module that is not in the table, or an edge that is not, fails here: change the table on purpose.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "crates" / "fretsaw" / "src"

STAGES = {"added_tokens", "normalize", "pretokenize", "model", "post_process", "decode"}
LEAVES = {"draws", "error", "unicode"}

ALLOWED: dict[str, set[str]] = {
    # Leaves: anyone may use them.
    "error": set(),
    "unicode": set(),
    # Numbers for tests that draw their inputs.
    "draws": set(),
    # Below the stages.
    "byte_level": set(),
    "encoding": {"error", "spec"},
    "pool": {"sync"},
    "sync": set(),
    # User-defined symbols, which both the normalizer and the model of SentencePiece look for.
    "prefixes": set(),
    "settings": {"spec"},
    "scan": {"unicode"},
    "tables": {"error"},
    "spec": {"error"},
    "vocabulary": {"tables", "error", "spec"},
    # Compiled regular expressions, for the two stages that have patterns.
    "pattern": {"error", "spec"},
    "cache": {"scan", "sync", "tables"},
    # The trait and the stream over it know each other: a stream decodes with any tokenizer, and
    # decoding a whole text is a stream that ends at once. What a stream remembers is the decoder's.
    "stream": {"decode", "error", "tokenizer"},
    "tokenizer": {"error", "settings", "stream"},
    # Stages.
    "added_tokens": {"error", "settings", "unicode"},
    "normalize": {"byte_level", "error", "pattern", "prefixes", "unicode"},
    "pretokenize": {"byte_level", "error", "pattern", "prefixes", "scan", "spec", "unicode"},
    "model": {"byte_level", "error", "prefixes", "spec", "tables", "vocabulary"},
    "post_process": {"byte_level", "encoding", "error", "spec", "unicode"},
    "decode": {"byte_level", "error", "pattern", "spec", "stream", "tables"},
    # Above the stages. The pipeline asks compile for its masked model when first needed.
    "compile": {
        *STAGES,
        *LEAVES,
        *("byte_level", "cache", "pattern", "pipeline", "prefixes", "scan", "settings", "spec"),
        *("tables", "vocabulary"),
    },
    "pipeline": {
        *STAGES,
        *LEAVES,
        *("byte_level", "cache", "compile", "encoding", "pool", "scan", "settings", "spec"),
        *("stream", "tables", "tokenizer", "vocabulary"),
    },
    "convert": {"byte_level", "compile", "error", "pipeline", "settings", "spec"},
    # What fuzzers reach of the inside.
    "fuzzed": {"compile", "error", "pattern", "scan", "spec", "tables"},
    "load": {"compile", "error", "pipeline", "settings", "spec", "tables"},
    "train": {"compile", "error", "normalize", "pool", "pretokenize", "spec"},
}

CRATES = {
    "fretsaw": set(),
    "fretsaw-bulk": {"fretsaw"},
    "fretsaw-python": {"fretsaw", "fretsaw-bulk"},
    "tl-tok": {"fretsaw"},
}
"""Which crate of the workspace may use which others."""

UNSAFE = {
    "crates/fretsaw/src/pattern/oniguruma.rs",
    "crates/fretsaw/src/pool.rs",
    "crates/fretsaw/src/tables/fret/mapped.rs",
    "crates/fretsaw-python/src/capsules.rs",
    "crates/fretsaw-python/src/lists.rs",
    "crates/fretsaw-python/src/wide.rs",
}
"""Files outside `scan/` with unsafe code."""

FORBIDDEN_IN_CORE = r"\b(?:println|eprintln|print|eprint|dbg)!|\bstd::(?:env|net)\b|\bpyo3\b"
"""The core prints nothing, reads no environment, uses no network and knows no Python."""


def without_comments(source: str) -> str:
    """Rust code with comments and the content of strings blanked, line numbers kept."""
    token = re.compile(
        r'//[^\n]*|/\*.*?\*/|b?"(?:\\.|[^"\\])*"|b?r(#*)".*?"\1|\'(?:\\.[^\']*|[^\\\'])\'', re.S
    )
    return token.sub(lambda match: "\n" * match[0].count("\n"), source)


def module_of(path: Path) -> str:
    """The module at the root of the crate that a file belongs to."""
    return path.relative_to(CORE).with_suffix("").parts[0]


def re_exports_for(path: Path) -> set[str]:
    """Names that the crate re-exports at its root: test files may use them, as any user does."""
    if path.name != "tests.rs" and "tests" not in path.relative_to(CORE).parts:
        return set()
    exports = re.findall(r"^pub use \w+::(\{[^}]*\}|\w+);", (CORE / "lib.rs").read_text(), re.M)
    return {name for group in exports for name in re.findall(r"\w+", group)}


def uses(path: Path, modules: set[str]) -> set[str]:
    """What a file names at the root of the crate."""
    return set(named(without_comments(path.read_text()), levels_of(path), modules))


def levels_of(path: Path) -> int:
    """How many `super::` lead from a file to the root of the crate."""
    return len(path.relative_to(CORE).with_suffix("").parts) - (path.name == "mod.rs")


def named(code: str, levels: int, modules: set[str]) -> Iterator[str]:
    """What stands after each `crate::`, braces opened, and after a `super::` that is the root."""
    for match in re.finditer(r"(?<![\w$])crate::(\{[^;]*\}|\w+)", code):
        if match[1].startswith("{"):
            flat = re.sub(r"\{[^{}]*\}", "", match[1][1:-1])
            yield from re.findall(r"(?:^|,)\s*(\w+)", flat)
        else:
            yield match[1]
    for match in re.finditer(r"(?<![\w:])((?:super::)+)(\w+)", code):
        if match[1].count("super") >= levels and match[2] in modules:
            yield match[2]


def children(path: Path) -> list[Path]:
    """The files of the modules that a file declares, and of those below them."""
    at_top = path.name in ("lib.rs", "mod.rs")
    folder = path.parent if at_top else path.with_suffix("")
    code = without_comments(path.read_text())
    found = []
    for name in re.findall(r"^\s*(?:pub(?:\([^)]*\))? )?mod (\w+);", code, re.M):
        places = (folder / f"{name}.rs", folder / name / "mod.rs")
        found += [place for place in places if place.exists()]
    return found + [below for child in found for below in children(child)]


def sources() -> list[Path]:
    """The files of the crate beside lib.rs; a file that nothing declares is not part of it."""
    return sorted(children(CORE / "lib.rs"))


def declared() -> set[str]:
    """The modules at the root of the crate."""
    return {module_of(path) for path in sources()}


def test_every_module_is_in_the_table():
    assert declared() <= set(ALLOWED)


@pytest.mark.parametrize("module", sorted(declared() & set(ALLOWED)))
def test_modules_use_only_what_they_may(module: str):
    modules = set(ALLOWED)
    wrong = [
        f"{path.relative_to(ROOT)}: crate::{used}"
        for path in sources()
        if module_of(path) == module
        for used in uses(path, modules) - re_exports_for(path)
        if used not in ALLOWED[module] | LEAVES | {module}
    ]
    assert wrong == []


def test_the_table_keeps_the_rules():
    for stage in STAGES:
        assert not ALLOWED[stage] & (STAGES | {"compile", "pipeline"}), stage
    for leaf in LEAVES:
        assert ALLOWED[leaf] == set()
    assert ALLOWED["spec"] == {"error"}
    assert "pipeline" not in ALLOWED["train"]
    callers = {module for module, used in ALLOWED.items() if "compile" in used}
    assert callers == {"convert", "fuzzed", "load", "pipeline", "train"}


def test_crates_use_only_the_core():
    for manifest in sorted((ROOT / "crates").glob("*/Cargo.toml")):
        document = tomllib.loads(manifest.read_text())
        local = {
            name
            for table in ("dependencies", "dev-dependencies", "build-dependencies")
            for name, value in document.get(table, {}).items()
            if isinstance(value, dict) and "path" in value
        }
        assert local == CRATES[document["package"]["name"]], manifest


def test_the_core_is_silent():
    for path in sources():
        if path.name != "tests.rs":
            code = without_comments(path.read_text()).split("#[cfg(test)]\nmod tests {")[0]
            assert re.findall(FORBIDDEN_IN_CORE, code) == [], path


def test_unsafe_code_stays_where_it_is_listed():
    others = [path for path in (ROOT / "crates").rglob("*.rs") if not path.is_relative_to(CORE)]
    found = {
        str(path.relative_to(ROOT))
        for path in [*sources(), *others]
        if re.search(r"\bunsafe\b(?!_)", without_comments(path.read_text()))
    }
    assert {path for path in found if not path.startswith("crates/fretsaw/src/scan/")} == UNSAFE


def test_the_reader_sees_through_comments_and_strings():
    code = """use crate::spec; // crate::model
        /* crate::decode */ let a = "crate::scan"; '"' "b" r#"crate::"cache"#;
    """
    assert re.findall(r"crate::(\w+)", without_comments(code)) == ["spec"]


def test_the_reader_opens_braces_and_follows_super():
    code = "use crate::{\n  spec::{self, Bpe},\n  decode, Pipeline};\nuse super::super::scan;"
    assert list(named(code, 2, {"scan"})) == ["spec", "decode", "Pipeline", "scan"]
    assert list(named("use super::super::scan;", 3, {"scan"})) == []
    assert levels_of(CORE / "model" / "bpe" / "merge.rs") == 3
    assert levels_of(CORE / "model" / "mod.rs") == 1
