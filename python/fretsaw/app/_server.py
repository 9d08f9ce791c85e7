"""Serving over HTTP: patience with clients, an address that is told, an orderly end.

uvicorn does the work. What it lacks is here: a connection is closed when the head of a request does not
come in time, or when the client does not take its answer; what is no request is told so in JSON. On
SIGTERM or Ctrl-C nothing new is accepted, what is being answered is answered, and the process ends.
"""

import asyncio
import ipaddress
import socket
import sys
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ._desk import json_response
from ._door import HEADERS, Door
from ._limits import Limits
from ._problem import Problem

__all__ = ["hosts_of", "listen", "run"]

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")


def hosts_of(host: str) -> tuple[str, ...] | None:
    """The names that a service bound to an address goes by; `None` (any) where others may reach it.

    >>> hosts_of("127.0.0.1"), hosts_of("0.0.0.0")
    (('localhost', '127.0.0.1', '[::1]'), None)
    """
    try:
        loopback = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return None
    return LOOPBACK_NAMES if loopback else None


def listen(host: str, port: int) -> socket.socket:
    """A socket that is bound, so that the address is known before anything is served; `OSError`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol must be named: asyncio turns Nagle's algorithm off only where it reads TCP here, and
    # with it on, an answer's second packet waits 40 ms for the client's acknowledgement.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
    except OSError:
        bound.close()
        raise
    return bound


def run(app: Door, bound: socket.socket, limits: Limits, ready: Callable[[], None]) -> None:
    """Serves until a signal says stop; `ready` is called when connections are accepted."""

    class Protocol(_PatientProtocol):
        served_limits = limits

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready()

    config = uvicorn.Config(
        app,
        http=Protocol,
        ws="none",
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=limits.head_bytes,
        timeout_graceful_shutdown=int(limits.time_s) + 1,
    )
    Server(config).run(sockets=[bound])


class _PatientProtocol(H11Protocol):
    """HTTP/1.1 with an end to waiting for a request's head and for the client to read."""

    served_limits: Limits

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._head_timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begins to wait for the first request."""
        super().connection_made(transport)
        self._watch_head()

    def data_received(self, data: bytes) -> None:
        """Takes a part of a request; the wait for a head does not begin anew with each byte of it."""
        super().data_received(data)
        self._watch_head()

    def send_400_response(self, msg: str) -> None:
        """Says what is wrong with what is no request, or with a head that is too large, and closes."""
        error = sys.exc_info()[1]  # what h11 raised, with the status that it would give
        problem = Problem(400, "not_http", "this is no request of HTTP/1.1")
        if getattr(error, "error_status_hint", 400) == 431:
            message = f"the head must have at most {self.served_limits.head_bytes:,} bytes"
            problem = Problem(431, "head_too_large", message)
        response = json_response(problem.as_dict(), problem.status)
        response.headers.update({**HEADERS, "connection": "close"})
        phrase = HTTPStatus(problem.status).phrase
        lines = [f"HTTP/1.1 {problem.status} {phrase}".encode()]
        lines += [name + b": " + value for name, value in response.raw_headers]
        self.transport.write(b"\r\n".join([*lines, b"", bytes(response.body)]))
        self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Ends all waiting."""
        _stop(self._head_timer)
        _stop(self._write_timer)
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The client does not take what is sent: begins to wait for it."""
        super().pause_writing()
        if self._write_timer is None:
            self._write_timer = self.loop.call_later(
                self.served_limits.answer_s, self.transport.abort
            )

    def resume_writing(self) -> None:
        """The client has taken it."""
        super().resume_writing()
        _stop(self._write_timer)
        self._write_timer = None

    def _watch_head(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            _stop(self._head_timer)
            self._head_timer = None
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(self.served_limits.head_s, self.transport.abort)


def _stop(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
