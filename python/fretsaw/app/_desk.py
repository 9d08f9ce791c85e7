"""One request: a place, its body, work on a thread, an answer; each with its limit.

A request takes a place before its body is read and leaves it when its work has ended, even if the
client was told before that it took too long; so no client makes the process do, or hold, more than
`Limits.concurrency` things. Work is on threads, as many as CPUs: the event loop stays free to refuse.

Cost: two copies of a body, one of an answer.
"""

import asyncio
import itertools
import json
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

import fretsaw

from ._endpoints import Endpoint
from ._fields import read_body
from ._limits import Limits
from ._metrics import Metrics
from ._problem import Problem
from ._shelf import Shelf

__all__ = ["Desk"]

DRAINED = 4
"""A body that is too large is read to its end, unheard, up to this many times the limit: a client that
sends all before it reads sees the answer then."""
EVENTS_AT_ONCE = 64
Result = TypeVar("Result")
Events = Iterator[tuple[str, Mapping[str, Any]]]


class Desk:
    """Answers requests within limits."""

    def __init__(self, shelf: Shelf, limits: Limits, metrics: Metrics) -> None:
        self.shelf = shelf
        self.limits = limits
        self.metrics = metrics
        self.in_flight = 0
        threads = max(2, len(os.sched_getaffinity(0)))
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="fretsaw-work")

    async def answer(self, request: Request, endpoint: Endpoint) -> Response:
        """The answer to a POST of JSON; raises `Problem`."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise Problem(415, "not_json", "the Content-Type must be application/json")

        def work(body: bytes) -> Response | Events:
            asked = read_body(body, endpoint.fields)
            if endpoint.stream is not None:
                events = endpoint.stream(self.shelf, asked)
                first = next(events)  # a wrong name or id shows here, while there is no answer
                self.metrics.worked(endpoint.path, len(body), len(asked["ids"]))
                return itertools.chain([first], events)
            assert endpoint.run is not None
            answer = endpoint.run(self.shelf, asked)
            self.metrics.worked(endpoint.path, len(body), answer.tokens)
            return json_response(answer.body)

        return await self.work(request, self.limits.body_bytes, work)

    async def work(
        self, request: Request, most_bytes: int, work: Callable[[bytes], Response | Events]
    ) -> Response:
        """Reads a body and gives it to a function on a worker thread."""
        if self.in_flight >= self.limits.concurrency:
            message = (
                f"{self.limits.concurrency} requests are being answered; try again in a second"
            )
            raise Problem(429, "too_many_requests", message)
        self.in_flight += 1
        working: asyncio.Future[Response | Events] | None = None
        kept = False
        try:
            body = await self._body(request, most_bytes)
            working = self.on_thread(lambda: told(lambda: work(body)))
            await asyncio.wait({working}, timeout=self.limits.time_s)
            if not working.done():
                message = f"this took longer than {self.limits.time_s:g} seconds"
                raise Problem(408, "too_slow", message)
            found = working.result()
            if isinstance(found, Response):
                return found
            kept = True
            return _EventResponse(self, found)
        finally:
            if working is not None and not working.done():
                working.add_done_callback(lambda _: self.leave())
            elif not kept:
                self.leave()

    def leave(self) -> None:
        """Gives a place back."""
        self.in_flight -= 1

    def on_thread(self, work: Callable[[], Result]) -> "asyncio.Future[Result]":
        """Runs a function on a worker thread."""
        return asyncio.get_running_loop().run_in_executor(self._pool, work)

    async def _body(self, request: Request, most_bytes: int) -> bytes:
        too_large = Problem(
            413, "body_too_large", f"the body must have at most {most_bytes:,} bytes"
        )
        declared = request.headers.get("content-length", "0")
        if declared.isdecimal() and int(declared[:20]) > DRAINED * most_bytes:
            raise too_large
        body, size_bytes = bytearray(), 0
        try:
            async with asyncio.timeout(self.limits.time_s):
                async for chunk in request.stream():
                    size_bytes += len(chunk)
                    if size_bytes <= most_bytes:
                        body += chunk
                    elif size_bytes > DRAINED * most_bytes:
                        break
        except TimeoutError as error:
            message = f"the body did not come within {self.limits.time_s:g} seconds"
            raise Problem(408, "body_too_slow", message) from error
        except ClientDisconnect as error:
            raise Problem(400, "client_gone", "the body ended too early") from error
        if size_bytes > most_bytes:
            raise too_large
        return bytes(body)


class _EventResponse(Response):
    """Server-sent events, made on a worker thread a few at a time while the client listens."""

    def __init__(self, desk: Desk, events: Events) -> None:
        super().__init__(media_type="text/event-stream")
        del self.headers["content-length"]
        self._desk = desk
        self._events = events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the events; whatever happens, the place at the desk is given back."""
        request = Request(scope, receive)
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        try:
            await send(start)
            while not await request.is_disconnected():
                data = await self._desk.on_thread(self._some)
                await send({"type": "http.response.body", "body": data, "more_body": bool(data)})
                if not data:
                    break
        finally:
            self._desk.leave()

    def _some(self) -> bytes:
        """A few events as bytes, nothing at the end; an error is the last event."""
        lines = []
        try:
            for name, data in itertools.islice(self._events, EVENTS_AT_ONCE):
                lines.append(_event(name, data))
        except fretsaw.FretsawError as error:
            self._events = iter(())
            lines.append(_event("error", Problem(422, "not_possible", str(error)).as_dict()))
        return "".join(lines).encode()


def told(work: Callable[[], Any]) -> Any:
    """Runs work, with what the library refuses as a `Problem`."""
    try:
        return work()
    except (fretsaw.FretsawError, OverflowError) as error:
        raise Problem(422, "not_possible", str(error)) from error


def json_response(body: Mapping[str, Any], status: int = 200) -> Response:
    """An answer in JSON."""
    data = json.dumps(body, ensure_ascii=status != 200, separators=(",", ":"))
    return Response(data.encode(), status, media_type="application/json")


def _event(name: str, data: Mapping[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(data, separators=(',', ':'))}\n\n"
