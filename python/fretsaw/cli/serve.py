"""`fretsaw serve`: the JSON service."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from fretsaw.app import Limits
from fretsaw.app import serve as serve_service

from ._input import InputError

Command = TypeVar("Command", bound=Callable[..., Any])


def folder_option(command: Command) -> Command:
    """`--folder`: where tokenizer files may be."""
    option = click.option(
        "--folder",
        "folders",
        multiple=True,
        metavar="DIR",
        help="Let requests name tokenizer files below this folder; can be given several times.",
    )
    return option(command)


@click.command()
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; any but this machine's own lets others in.",
)
@click.option(
    "--port", default=8000, show_default=True, help="Port to listen on; 0 is any free one."
)
@folder_option
@click.option("--max-body", default=Limits.body_bytes, show_default=True, metavar="BYTES")
@click.option("--max-batch", default=Limits.batch, show_default=True, metavar="TEXTS")
@click.option("--max-requests", default=Limits.concurrency, show_default=True, metavar="N")
@click.option("--timeout", default=Limits.time_s, show_default=True, metavar="SECONDS")
def serve(
    host: str,
    port: int,
    folders: tuple[str, ...],
    max_body: int,
    max_batch: int,
    max_requests: int,
    timeout: float,
) -> None:
    """Serves encode, decode, count and stream as JSON over HTTP, until Ctrl-C or SIGTERM.

    Requests name a built-in vocabulary or a file below a --folder. GET /openapi.json describes
    everything. The limits are for the body of a request, the texts of a batch, the requests that are
    answered at once, and the time that a body, its work or taking the answer may last.
    """
    limits = Limits(
        body_bytes=max_body,
        batch=max_batch,
        concurrency=max_requests,
        time_s=timeout,
        answer_s=timeout,
    )
    run(host, port, folders, limits, lambda address: click.echo(f"serving on {address}"))


def run(
    host: str,
    port: int,
    folders: tuple[str, ...],
    limits: Limits,
    ready: Callable[[str], None],
    page: bool = False,
) -> None:
    """Serves; a port that is taken, a folder that is none and a missing extra are bad input."""
    if not 0 <= port < 1 << 16:
        raise InputError(f"{port} is no port: a port is a number from 0 to 65535")
    paths = [Path(folder) for folder in folders]
    try:
        serve_service(paths, host=host, port=port, page=page, limits=limits, ready=ready)
    except ImportError as error:
        message = (
            f"{error.name} is not installed; the extra `app` brings it: pip install fretsaw[app]"
        )
        raise InputError(message) from error
    except OSError as error:
        raise InputError(f"{host}:{port}: {error}") from error
