"""Fixtures for the whole suite: where the data is, reproducible hypothesis, skips as failures."""

import atexit
import gzip
import os
import pathlib
import shutil
import tempfile

import pytest
from hypothesis import settings

TESTS = pathlib.Path(__file__).parent

# Compiled built-in vocabularies of this run are nobody's business but its own.
os.environ["FRETSAW_CACHE"] = tempfile.mkdtemp(prefix="fretsaw-tests-")
atexit.register(shutil.rmtree, os.environ["FRETSAW_CACHE"], ignore_errors=True)

PROVE = bool(os.environ.get("FRETSAW_PROVE"))
"""Whether this is `make prove`: no test is too long then."""

settings.register_profile("fretsaw", derandomize=True, deadline=None, database=None)
settings.register_profile("prove", max_examples=5000, deadline=None, database=None)
settings.load_profile("prove" if PROVE else "fretsaw")


@pytest.fixture(scope="session")
def data_dir() -> pathlib.Path:
    """The larger set of vocabularies and texts; without FRETSAW_DATA the test is skipped."""
    path = os.environ.get("FRETSAW_DATA")
    if not path:
        pytest.skip("FRETSAW_DATA is not set: needs the larger set of vocabularies and texts")
    folder = pathlib.Path(path)
    if not folder.is_dir():
        pytest.fail(f"FRETSAW_DATA is {path}, which is no folder")
    return folder


@pytest.fixture(scope="session")
def fixture_dir() -> pathlib.Path:
    """Vocabularies that are part of the repository."""
    return TESTS / "fixtures"


@pytest.fixture(scope="session")
def golden_dir() -> pathlib.Path:
    """Frozen answers of the oracles."""
    return TESTS / "golden"


@pytest.fixture(scope="session")
def gpt2_json(fixture_dir: pathlib.Path) -> bytes:
    """GPT-2's tokenizer.json."""
    return gzip.decompress((fixture_dir / "gpt2.json.gz").read_bytes())


@pytest.fixture(scope="session")
def smollm2_json(fixture_dir: pathlib.Path) -> bytes:
    """SmolLM2's tokenizer.json: 17 added tokens, one piece per digit, 16 bytes without a token."""
    return gzip.decompress((fixture_dir / "smollm2.json.gz").read_bytes())


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--fail-on-skip", action="store_true", help="end with an error if any test was skipped"
    )


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    skipped = _skipped(session.config)
    if skipped and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if skipped := _skipped(config):
        terminalreporter.section("skipped, and --fail-on-skip was given", red=True)
        for node in skipped:
            terminalreporter.line(node)


def _skipped(config: pytest.Config) -> list[str]:
    """The tests and modules that were skipped, if that matters."""
    if not config.getoption("--fail-on-skip"):
        return []
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    return [report.nodeid for report in reporter.stats.get("skipped", [])] if reporter else []
