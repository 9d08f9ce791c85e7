"""`fretsaw serve` and `fretsaw app`: what can't be served. (tests/app runs them.)"""

import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.mark.parametrize("command", ["serve", "app"])
def test_bad_input_is_one_line(fails: Callable[..., str], tmp_path: Path, command: str):
    assert "65536 is no port" in fails(command, "--port", "65536")
    assert "no folder" in fails(command, "--folder", str(tmp_path / "none"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert f"127.0.0.1:{port}: " in fails(command, "--port", port)


def test_a_missing_extra_is_named(fails: Callable[..., str], monkeypatch: pytest.MonkeyPatch):
    for name in [name for name in sys.modules if name.startswith("fretsaw.app._s")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "starlette.requests", None)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert "pip install fretsaw[app]" in fails("serve")
