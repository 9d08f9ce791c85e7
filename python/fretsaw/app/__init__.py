"""The JSON service and the page (extra `app`), and what both show, for the commands too.

`build` gives the ASGI application, `serve` runs it. They need Starlette and uvicorn, the others nothing
beyond the package.

>>> from fretsaw.app import explain
>>> explain(fretsaw.get("gpt2"), "hugs")["ids"]
[71, 10339]
"""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from ._explain import explain
from ._languages import Language, languages
from ._limits import Limits

__all__ = ["Language", "Limits", "build", "explain", "languages", "serve"]


def build(
    folders: Sequence[Path] = (),
    *,
    page: bool = False,
    limits: Limits | None = None,
    hosts: Collection[str] | None = None,
) -> Any:
    """The ASGI application: the JSON service, and with `page` the page and what it asks for.

    Beside the built-in tokenizers only files in `folders` can be named. `hosts` are the names it
    answers to, any if `None`. Raises `ImportError` without Starlette, `NotADirectoryError`.

    >>> from fretsaw.app import build
    >>> callable(build())
    True
    """
    from ._service import build as build_service

    return build_service(folders, limits=limits, hosts=hosts, page=page)


def serve(
    folders: Sequence[Path] = (),
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    page: bool = False,
    limits: Limits | None = None,
    ready: Callable[[str], None] = print,
) -> None:
    """Serves until SIGTERM or Ctrl-C; `ready` is told the address as soon as it answers.

    Port 0 is any free one. Raises `ImportError` without Starlette and uvicorn, `NotADirectoryError`,
    and `OSError` where the address can't be had.
    """
    from ._server import hosts_of, listen, run
    from ._service import build as build_service

    limits = limits or Limits()
    app = build_service(folders, limits=limits, hosts=hosts_of(host), page=page)
    bound = listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{bound.getsockname()[1]}"
    with bound:
        run(app, bound, limits, lambda: ready(address))
