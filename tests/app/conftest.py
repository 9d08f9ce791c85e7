"""Services that tests share, and a folder of tokenizers for them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from app_served import SMALL, Served, Start


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory, fixture_dir: Path) -> Path:
    """A folder with tokenizer files, links that lead out of it, and what is no tokenizer."""
    folder = tmp_path_factory.mktemp("tokenizers")
    below = folder / "models" / "small"
    below.mkdir(parents=True)
    (below / "tokenizer.json").write_text(SMALL)
    (folder / "gpt2.json.gz").write_bytes((fixture_dir / "gpt2.json.gz").read_bytes())
    (folder / "broken.json").write_text('{"model": 1}')
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.json").write_text(SMALL)
    (folder / "link.json").symlink_to(outside / "secret.json")
    (folder / "link").symlink_to(outside)
    (folder / "loop").symlink_to(folder / "loop")
    return folder


@pytest.fixture(scope="session")
def service(folder: Path) -> Iterator[Served]:
    """The JSON service with small limits on time and batch."""
    served = Served("serve", "--folder", str(folder), "--max-batch", "50", "--max-body", "2000000")
    yield served
    assert "Traceback" not in served.stop()


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts services with arguments; all are stopped in the end."""
    started: list[Served] = []

    def run(*arguments: str, limits: str = "") -> Served:
        started.append(Served(*arguments, limits=limits))
        return started[-1]

    yield run
    for served in started:
        if served.process.poll() is None:
            served.stop()
