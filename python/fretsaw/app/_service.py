"""The ASGI application: routes, and errors as JSON without a traceback.

`build` is the JSON service alone; with `page` it has the page, its own endpoints and the loading of
files as well.
"""

from collections.abc import Collection, Sequence
from importlib.metadata import version
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

import fretsaw

from ._desk import Desk, json_response
from ._door import Door
from ._endpoints import Endpoint, service_endpoints
from ._limits import Limits
from ._metrics import Metrics
from ._openapi import description
from ._problem import Problem
from ._samples import STATIC
from ._sent import Sent
from ._shelf import Shelf
from ._views import view_endpoints

__all__ = ["build"]


def build(
    folders: Sequence[Path] = (),
    *,
    limits: Limits | None = None,
    hosts: Collection[str] | None = None,
    page: bool = False,
) -> Door:
    """The application; `hosts` are the names it goes by, any if `None`."""
    limits = limits or Limits()
    metrics = Metrics()
    desk = Desk(Shelf(folders, limits), limits, metrics)
    table = [*service_endpoints(limits), *(view_endpoints() if page else [])]
    document = description(table, limits, page)
    routes: list[BaseRoute] = [_route(desk, endpoint) for endpoint in table]
    routes += _looks(desk, document)
    if page:
        routes.append(_files(desk))
    paths = [route.path for route in routes if isinstance(route, Route)]
    if page:
        routes.append(Mount("/", StaticFiles(directory=STATIC, html=True)))
    handlers = {Problem: _problem, HTTPException: _http_problem, Exception: _failure}
    app = Starlette(routes=routes, exception_handlers=handlers)  # type: ignore[arg-type]
    return Door(app, metrics, paths, hosts)


def _route(desk: Desk, endpoint: Endpoint) -> Route:
    async def answer(request: Request) -> Response:
        return await desk.answer(request, endpoint)

    return Route(endpoint.path, answer, methods=["POST"])


def _looks(desk: Desk, document: dict[str, object]) -> list[Route]:
    """What can be looked at with GET."""

    async def tokenizers(_request: Request) -> Response:
        names = await desk.on_thread(desk.shelf.names)
        return json_response(
            {"tokenizers": [{"name": name, "source": source} for name, source in names]}
        )

    async def health(_request: Request) -> Response:
        return json_response({"status": "ok", "version": version("fretsaw")})

    async def metrics(_request: Request) -> Response:
        cache = fretsaw.cache_info()
        gauges = {
            "fretsaw_in_flight": ("Requests that are read or worked on now.", desk.in_flight),
            "fretsaw_tokenizers": ("Tokenizers from files in memory.", len(desk.shelf)),
            "fretsaw_cache_bytes": ("Memory of all piece caches.", cache.used_bytes),
            "fretsaw_cache_limit_bytes": ("What they may take at most.", cache.limit_bytes),
        }
        return Response(
            desk.metrics.text(gauges), media_type="text/plain; version=0.0.4; charset=utf-8"
        )

    async def openapi(_request: Request) -> Response:
        return json_response(document)

    looks = {
        "/tokenizers": tokenizers,
        "/health": health,
        "/metrics": metrics,
        "/openapi.json": openapi,
    }
    return [Route(path, look, methods=["GET"]) for path, look in looks.items()]


def _files(desk: Desk) -> Route:
    """Takes a tokenizer file from the page; it stays in this process."""

    async def receive(request: Request) -> Response:
        def load(content: bytes) -> Response:
            called = desk.shelf.receive(Sent.read(request.query_params, content))
            size = desk.shelf.get(called).get_vocab_size()
            return json_response({"name": called, "vocab_size": size})

        return await desk.work(request, desk.limits.file_bytes, load)

    return Route("/files", receive, methods=["POST"])


async def _problem(_request: Request, error: Problem) -> Response:
    return json_response(error.as_dict(), error.status)


async def _http_problem(_request: Request, error: HTTPException) -> Response:
    codes = {404: "no_such_path", 405: "method_not_allowed"}
    problem = Problem(error.status_code, codes.get(error.status_code, "refused"), error.detail)
    response = json_response(problem.as_dict(), error.status_code)
    response.headers.update(error.headers or {})
    return response


async def _failure(_request: Request, _error: Exception) -> Response:
    message = "something went wrong here; the log of the service has more"
    return json_response(Problem(500, "failure", message).as_dict(), 500)
