"""Tokenizers of transformers in pairs: on tokenizers, and on fretsaw."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from transformers_folders import load, make_folder, outcome

from fretsaw.integrations.transformers import patch, unpatch

Action = Callable[[Any], Any]


@pytest.fixture(scope="session")
def folder_of(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a model; not to be changed."""
    root, made = tmp_path_factory.mktemp("models"), {}

    def folder_of(name: str) -> Path:
        if name not in made:
            made[name] = make_folder(name, data_dir, root / name)
        return made[name]

    return folder_of


@pytest.fixture(scope="session")
def pair_of(folder_of: Callable[[str], Path]) -> Callable[[str], tuple[Any, Any]]:
    """A tokenizer without and with the patch; not to be changed but by calls that encode."""
    made: dict[str, tuple[Any, Any]] = {}

    def pair_of(name: str) -> tuple[Any, Any]:
        if name not in made:
            made[name] = load(folder_of(name), False), load(folder_of(name), True)
        return made[name]

    return pair_of


@pytest.fixture
def patched() -> Iterator[None]:
    """The patch, for as long as the test runs."""
    patch()
    yield
    unpatch()


@pytest.fixture
def same(pair_of: Callable[[str], tuple[Any, Any]]) -> Callable[[str, Action], Any]:
    """Checks that an action gives the same on both; returns what it gives."""

    def same(name: str, action: Action) -> Any:
        usual, ours = pair_of(name)
        expected = outcome(action, usual)
        patch()
        try:
            assert outcome(action, ours) == expected
        finally:
            unpatch()
        assert outcome(action, ours) == expected  # Without the shortcuts.
        return expected

    return same


@pytest.fixture
def same_anew(folder_of: Callable[[str], Path]) -> Callable[[str, Action], Any]:
    """The same with tokenizers that nobody else has, so that they may be changed."""

    def same(name: str, action: Action) -> Any:
        expected = outcome(action, load(folder_of(name), False))
        ours = load(folder_of(name), True)
        patch()
        try:
            assert outcome(action, ours) == expected
        finally:
            unpatch()
        return expected

    return same
