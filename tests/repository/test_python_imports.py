"""Which part of the Python package may import what: read from the syntax trees."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import fretsaw
import fretsaw.app
import fretsaw.spec
from fretsaw import _bulk, bulk

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "fretsaw"

THIRD_PARTY = {
    "_chat_environment": {"jinja2"},
    "app": {"numpy", "starlette", "uvicorn"},
    "bulk": {"fsspec", "numpy", "pyarrow", "ray"},
    "cli": {"click", "rich"},
    "integrations": {"huggingface_hub", "numpy", "pyarrow", "ray", "sentencepiece", "tokenizers"},
    "reference": {"regex"},
    "vocabularies": {"numpy", "platformdirs"},
}
"""Packages that a part may import, beside the standard library."""

LAZY_ONLY = {"fsspec", "ray", "starlette", "uvicorn"}
LAZY_ONLY |= {"pyarrow", "transformers", "huggingface_hub"}
"""Extras: never imported outside the part that needs them."""


def sources() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def part_of(path: Path) -> str:
    """`cli`, `reference`, `vocabularies`, ..., or the name of a module beside `__init__`."""
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imports(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Absolute names of imported modules, and what is taken from each."""
    package = ("fretsaw", *path.relative_to(PACKAGE).parent.parts)
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, []
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield module, [alias.name for alias in node.names]


def modules(path: Path) -> set[str]:
    """Every module that a file imports, `from package import module` included."""
    found = set()
    for module, names in imports(path):
        found.add(module)
        found |= {f"{module}.{name}" for name in names if module.startswith("fretsaw")}
    return found


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_what_it_may(path: Path):
    part, used = part_of(path), modules(path)
    own = {module for module in used if within(module, "fretsaw")}
    if path.parent != PACKAGE or not part.startswith("_") or part == "__init__":
        assert not any(within(module, "fretsaw._native") for module in own)
    if part == "reference":
        assert all(within(module, "fretsaw.reference") for module in own)
    elif part != "app" and path != PACKAGE / "cli" / "explain.py":
        assert not any(within(module, "fretsaw.reference") for module in own)
    others = {module.split(".")[0] for module in used} - {"fretsaw"} - set(sys.stdlib_module_names)
    assert others <= THIRD_PARTY.get(part, set())


@pytest.mark.parametrize(
    "path",
    [path for path in sources() if part_of(path) in {"cli", "bulk", "app", "integrations"}],
    ids=lambda path: str(path.relative_to(PACKAGE)),
)
def test_commands_use_the_public_interface(path: Path):
    part = f"fretsaw.{part_of(path)}"
    for module, names in imports(path):
        if within(module, "fretsaw") and not within(module, part):
            public = {
                "fretsaw": set(fretsaw.__all__) | {"bulk", "reference", "spec"},
                "fretsaw.app": set(fretsaw.app.__all__),
                "fretsaw.spec": set(fretsaw.spec.__all__),
            }
            if part == "fretsaw.bulk":  # the face of the native side's jobs
                public["fretsaw._bulk"] = set(_bulk.__all__)
            if part == "fretsaw.cli":
                public["fretsaw.bulk"] = set(bulk.__all__)
            assert module in public, module
            assert set(names) <= public[module], names
    attributes = {
        node.attr
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "fretsaw"
    }
    assert attributes <= set(fretsaw.__all__)


def test_extras_are_not_needed_to_import_the_package():
    top = [path for path in sources() if path.parent == PACKAGE]
    for path in top + sorted((PACKAGE / "vocabularies").glob("*.py")):
        assert not {module.split(".")[0] for module in modules(path)} & LAZY_ONLY, path


def test_commands_need_no_extra_before_they_run():
    script = "import sys, fretsaw.cli; print([m for m in sys.argv[1:] if m in sys.modules])"
    command = [sys.executable, "-c", script, *sorted(LAZY_ONLY)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "[]\n"


def test_the_reader_resolves_relative_imports():
    found = modules(PACKAGE / "vocabularies" / "__init__.py")
    assert {"fretsaw._errors", "fretsaw._tokenizer"} <= found
