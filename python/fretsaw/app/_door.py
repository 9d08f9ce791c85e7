"""Who may come in, what every answer says of itself, and how it is counted.

The service is for this machine. A page of another site that is open in the same browser must not use
it: a request with a foreign `Origin`, or for a name other than those of this machine (DNS rebinding),
is refused, and no answer has CORS headers. Answers load nothing from elsewhere, and are not kept.
"""

import time
from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ._desk import json_response
from ._metrics import Metrics
from ._problem import Problem

__all__ = ["Door"]

HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": (
        "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    ),
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


class Door:
    """An ASGI application around another."""

    def __init__(
        self,
        app: ASGIApp,
        metrics: Metrics,
        paths: Collection[str],
        hosts: Collection[str] | None,
    ) -> None:
        """`paths` are counted by name, all others as one; `hosts` is `None` where any will do."""
        self._app = app
        self._metrics = metrics
        self._paths = frozenset(paths)
        self._hosts = None if hosts is None else frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers, or lets the other application answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        status = 500

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                if status in (408, 413):
                    headers["connection"] = "close"
                if status == 429:
                    headers["retry-after"] = "1"
            await send(message)

        refused = self._refusal(Headers(scope=scope))
        try:
            app = self._app if refused is None else json_response(refused.as_dict(), refused.status)
            await app(scope, receive, send_with_headers)
        finally:
            endpoint = scope["path"] if scope["path"] in self._paths else "other"
            self._metrics.answered(endpoint, status, time.perf_counter() - started)

    def _refusal(self, headers: Headers) -> Problem | None:
        host = headers.get("host", "")
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
        if self._hosts is not None and name.lower() not in self._hosts:
            return Problem(403, "foreign_host", "this service does not go by that name")
        origin = headers.get("origin")
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return Problem(403, "foreign_origin", "other sites may not use this service")
        return None
