"""The examples in the docstrings, the demonstration, and the rules for the folder itself."""

from __future__ import annotations

import ast
import doctest
import importlib
import pathlib
import sys

import pytest

from fretsaw import reference
from fretsaw.reference import __main__ as demo

FOLDER = pathlib.Path(str(reference.__file__)).parent
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("name", NAMES)
def test_docstring_examples(name: str) -> None:
    module = importlib.import_module(f"fretsaw.reference.{name}")
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("name", NAMES)
def test_imports_the_standard_library_and_this_folder_only(name: str) -> None:
    source = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    assert source.count("\n") < 200
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            modules = [str(node.module)]
        else:
            assert getattr(node, "level", 1) == 1
            continue
        assert all(module.split(".")[0] in sys.stdlib_module_names for module in modules)


def test_all_is_what_there_is() -> None:
    assert sorted(reference.__all__) == reference.__all__
    assert all(hasattr(reference, name) for name in reference.__all__)


def test_the_demonstration(capsys: pytest.CaptureFixture[str]) -> None:
    demo.main()
    shown = capsys.readouterr().out
    assert "merges learned" in shown
    assert all(name in shown for name in demo.SAMPLES)
    assert "''" in shown  # a chunk that had to wait
