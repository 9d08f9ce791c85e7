"""Limits: bodies, batches, concurrency, time; clients that are slow, broken or many."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from app_served import Served, Start
from starlette.requests import Request

from fretsaw.app import Limits
from fretsaw.app._desk import Desk
from fretsaw.app._endpoints import Answer, Endpoint
from fretsaw.app._metrics import Metrics
from fretsaw.app._problem import Problem
from fretsaw.app._server import listen
from fretsaw.app._shelf import Shelf

HEAD = "POST /count HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
BODY = b'{"tokenizer": "byte", "text": "abc"}'


def connect(served: Served) -> socket.socket:
    return socket.create_connection(("127.0.0.1", served.port), timeout=60)


def answer(connection: socket.socket) -> bytes:
    """All that comes until the other side closes the connection."""
    data = b""
    while part := connection.recv(1 << 16):
        data += part
    return data


def status(data: bytes) -> int:
    return int(data.split(b" ", 2)[1])


@pytest.mark.parametrize("times", [2, 100])
def test_a_body_over_the_limit(service: Served, times: int):
    with connect(service) as connection:
        declared = times * 2_000_000
        connection.sendall(f"{HEAD}Content-Length: {declared}\r\n\r\n".encode())
        if times == 2:
            connection.sendall(b" " * declared)
        found = answer(connection)
    assert status(found) == 413
    assert b"at most 2,000,000 bytes" in found


def test_a_chunked_body_over_the_limit(service: Served):
    chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
    with connect(service) as connection:
        connection.sendall(f"{HEAD}Transfer-Encoding: chunked\r\n\r\n".encode())
        connection.sendall(chunk * 3 + b"0\r\n\r\n")
        assert status(answer(connection)) == 413


def test_a_batch_over_the_limit(service: Served):
    response = service.post("/encode_batch", tokenizer="byte", texts=["a"] * 51)
    assert (response.status_code, response.json()["error"]["code"]) == (422, "batch_too_long")
    assert service.post("/encode_batch", tokenizer="byte", texts=["a"] * 50).status_code == 200


def test_slow_clients_are_told_and_let_go(start: Start):
    served = start("serve", "--timeout", "0.5")
    with connect(served) as slow:
        slow.sendall(f"{HEAD}Content-Length: 100\r\n\r\n".encode() + b"{")
        found = answer(slow)
    assert status(found) == 408
    assert b"body_too_slow" in found
    assert b"connection: close" in found
    assert served.metric("fretsaw_in_flight") == 0


def test_a_head_that_never_ends_is_let_go(start: Start):
    served = start(limits="head_s=0.2")
    with connect(served) as slow:
        slow.sendall(HEAD.encode())
        assert answer(slow) == b""
    with connect(served) as silent:
        assert answer(silent) == b""


def test_a_head_over_the_limit(start: Start):
    served = start(limits="head_bytes=5000")
    with connect(served) as connection:
        connection.sendall(HEAD.encode() + b"X-Filler: " + b"x" * 10_000)
        found = answer(connection)
    assert status(found) == 431
    head, _, body = found.partition(b"\r\n\r\n")
    assert b"\r\nconnection: close" in head
    assert json.loads(body)["error"] == {
        "code": "head_too_large",
        "message": "the head must have at most 5,000 bytes",
        "where": "",
    }
    assert served.client.get("/health", headers={"x-filler": "x" * 4000}).status_code == 200


def test_what_is_no_request_is_told(service: Served):
    with connect(service) as connection:
        connection.sendall(b"\x16\x03\x01 not http at all\r\n\r\n")
        found = answer(connection)
    assert status(found) == 400
    assert b'"code":"not_http"' in found


def sockets(served: Served) -> int:
    """How many connections a service has, beside what it listens on."""
    served.client.get("/health")
    found = 0
    for link in Path(f"/proc/{served.process.pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            found += os.readlink(link).startswith("socket:")
    return found


@pytest.mark.parametrize("path", ["/stream", "/encode"])
def test_a_client_that_never_reads_is_let_go(start: Start, path: str):
    served = start(limits="answer_s=0.2")
    before = sockets(served)
    stuck = socket.socket()
    stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    stuck.settimeout(60)
    stuck.connect(("127.0.0.1", served.port))
    more = {"ids": [65] * 200_000} if path == "/stream" else {"text": "a" * 1_000_000}
    body = json.dumps({"tokenizer": "byte", **more}).encode()
    head = HEAD.replace("/count", path) + f"Content-Length: {len(body)}\r\n\r\n"
    stuck.sendall(head.encode() + body)
    answered = f'fretsaw_requests_total{{endpoint="{path}",status="200"}} 1'
    while answered not in served.client.get("/metrics").text:
        assert served.post("/count", tokenizer="byte", text="abc").json() == {"count": 3}
    while sockets(served) > before:
        pass
    assert served.metric("fretsaw_in_flight") == 0
    found = b""
    with stuck, contextlib.suppress(ConnectionResetError):
        found = answer(stuck)
    assert b"event: done" not in found
    assert not found.endswith(b"}")


def test_as_many_requests_at_once_as_allowed(start: Start):
    served = start("serve", "--max-requests", "2", "--timeout", "60")
    head = f"{HEAD}Connection: close\r\nContent-Length: {len(BODY)}\r\n\r\n".encode()
    with connect(served) as one, connect(served) as other:
        for connection in (one, other):
            connection.sendall(head + BODY[:10])
        while served.metric("fretsaw_in_flight") < 2:
            pass
        refused = served.post("/count", tokenizer="byte", text="a")
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
        for connection in (one, other):
            connection.sendall(BODY[10:])
            assert answer(connection).endswith(b'{"count":3}')
    assert served.post("/count", tokenizer="byte", text="a").status_code == 200


def test_too_many_requests_at_once(start: Start):
    served = start("serve", "--max-requests", "0")
    refused = served.post("/count", tokenizer="byte", text="a")
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
    assert refused.json()["error"]["code"] == "too_many_requests"
    assert served.client.get("/health").status_code == 200


def test_broken_clients_do_no_harm(service: Served):
    broken = [
        b"\x16\x03\x01 not http at all\r\n\r\n",
        b"POST /count HTTP/9.9\r\n\r\n",
        f"{HEAD}Content-Length: -5\r\n\r\n".encode(),
        f"{HEAD}Content-Length: 100\r\n\r\n".encode() + BODY,
        f"{HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n".encode(),
        b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\n",
        HEAD.encode(),
        b"",
    ]
    for data in broken * 3:
        with connect(service) as connection:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            found = answer(connection)
            assert found == b"" or 400 <= status(found) < 500
    assert service.post("/count", tokenizer="byte", text="abc").json() == {"count": 3}
    while service.metric("fretsaw_in_flight"):
        pass


def test_a_client_that_does_not_read_does_no_harm(service: Served):
    stuck = connect(service)
    body = json.dumps({"tokenizer": "byte", "ids": [65] * 200_000}).encode()
    head = HEAD.replace("/count", "/stream") + f"Content-Length: {len(body)}\r\n\r\n"
    stuck.sendall(head.encode() + body)
    assert service.post("/count", tokenizer="byte", text="abc").json() == {"count": 3}
    stuck.close()
    while service.metric("fretsaw_in_flight"):
        pass


def test_answers_do_not_wait_for_acknowledgements():
    with listen("127.0.0.1", 0) as bound:
        assert bound.proto == socket.IPPROTO_TCP  # what asyncio needs to see for TCP_NODELAY


class Blocked:
    """An endpoint whose work takes until it is let go."""

    def __init__(self) -> None:
        self.free = threading.Event()
        self.endpoint = Endpoint("/blocked", "", (), {}, self.run)

    def run(self, _shelf: Shelf, _asked: dict[str, object]) -> Answer:
        self.free.wait()
        return Answer({})


def request(body: bytes = b"{}") -> Request:
    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": body, "more_body": False}

    headers = [(b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/blocked", "headers": headers}
    return Request(scope, receive)


def test_work_that_takes_too_long_keeps_its_place_until_it_ends():
    async def run() -> list[int]:
        blocked = Blocked()
        desk = Desk(Shelf(), Limits(time_s=0.05, concurrency=1), Metrics())
        statuses = []
        for _ in range(2):
            with pytest.raises(Problem) as raised:
                await desk.answer(request(), blocked.endpoint)
            statuses.append(raised.value.status)
        blocked.free.set()
        while desk.in_flight:
            await asyncio.sleep(0.001)
        statuses.append((await desk.answer(request(), blocked.endpoint)).status_code)
        return statuses

    assert asyncio.run(run()) == [408, 429, 200]


MANY = """
import asyncio, json, sys

async def one(port, number, times):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for turn in range(times):
        body = json.dumps({"tokenizer": "gpt2", "text": f"text {number} {turn}"}).encode()
        head = "POST /count HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Type: application/json\\r\\n"
        writer.write(f"{head}Content-Length: {len(body)}\\r\\n\\r\\n".encode() + body)
        found = await reader.readuntil(b"\\r\\n\\r\\n")
        assert b" 200 " in found, found
        length = int(found.lower().split(b"content-length: ")[1].split(b"\\r")[0])
        assert json.loads(await reader.readexactly(length))["count"] >= 3
    writer.close()

async def main(port, connections, times):
    await asyncio.gather(*(one(port, number, times) for number in range(connections)))

asyncio.run(main(*map(int, sys.argv[1:])))
"""


def memory_kb(served: Served) -> int:
    lines = Path(f"/proc/{served.process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))


def test_64_connections_from_a_second_process_and_memory_stays_flat(service: Served):
    command = [sys.executable, "-c", MANY, str(service.port), "64", "10"]
    before = 'fretsaw_requests_total{endpoint="/count",status="200"}'
    service.post("/count", tokenizer="gpt2", text="a")
    first = service.metric(before)
    subprocess.run(command, check=True, timeout=120)
    settled = memory_kb(service)
    for _ in range(3):
        subprocess.run(command, check=True, timeout=120)
    assert service.metric(before) == first + 4 * 640
    assert memory_kb(service) - settled < 16_000


def test_what_is_being_answered_is_answered_before_the_end(start: Start):
    served = start("serve", "--timeout", "20")
    with connect(served) as connection:
        head = f"{HEAD}Content-Length: {len(BODY)}\r\n\r\n".encode()
        connection.sendall(head + BODY[:10])
        while served.metric("fretsaw_in_flight") == 0:
            pass
        served.client.close()
        served.process.send_signal(signal.SIGTERM)
        while True:  # nothing new is accepted
            try:
                connect(served).close()
            except ConnectionError:
                break
        connection.sendall(BODY[10:])
        found = answer(connection)
    assert status(found) == 200
    assert found.endswith(b'{"count":3}')
    assert "Traceback" not in served.process.communicate(timeout=60)[1]
