"""A service in a process of its own, as users start it, and a client for it."""

import subprocess
import sys
from collections.abc import Callable

import httpx

COMMAND = "from fretsaw.cli import main; main()"
WITH_LIMITS = "from fretsaw.app import Limits, serve; serve(limits=Limits({}))"
Start = Callable[..., "Served"]


class Served:
    """`fretsaw serve` or `fretsaw app`, running, or the service with limits that no option sets."""

    def __init__(self, *arguments: str, limits: str = "") -> None:
        command = [sys.executable, "-c", COMMAND, *arguments, "--port", "0"]
        if limits:
            command[2:] = [WITH_LIMITS.format(limits)]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert "http://127.0.0.1:" in line, self.process.communicate()
        self.address = line[line.index("http") :].split()[0]
        self.port = int(self.address.rpartition(":")[2])
        self.client = httpx.Client(base_url=self.address, timeout=60, trust_env=False)

    def post(self, path: str, **fields: object) -> httpx.Response:
        return self.client.post(path, json=fields)

    def metric(self, name: str) -> float:
        """The value of a metric, labels included in its name."""
        lines = self.client.get("/metrics").text.splitlines()
        return next(float(line.split()[-1]) for line in lines if line.startswith(f"{name} "))

    def stop(self) -> str:
        """Ends the process as a supervisor does; returns what it wrote to standard error."""
        self.client.close()
        self.process.terminate()
        return self.process.communicate(timeout=60)[1]


SMALL = (
    '{"version": "1.0", "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2},'
    ' "merges": ["a b"]}}'
)
