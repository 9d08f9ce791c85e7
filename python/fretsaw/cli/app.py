"""`fretsaw app`: the page."""

import webbrowser

import click

from fretsaw.app import Limits

from .serve import folder_option, run


@click.command()
@click.option("--port", default=0, show_default="any free one", help="Port to listen on.")
@click.option("--no-browser", is_flag=True, help="Don't open a browser.")
@folder_option
def app(port: int, no_browser: bool, folders: tuple[str, ...]) -> None:
    """Opens a page to look into tokenizers: tokens, merges, training, streams, languages.

    The page is served to this machine alone, with the JSON service of `fretsaw serve`, and asks for
    nothing from elsewhere. Files that the page loads are sent to this process only.
    """

    def ready(address: str) -> None:
        click.echo(f"{address}  (Ctrl-C ends it)")
        if not no_browser:
            webbrowser.open(address)

    run("127.0.0.1", port, folders, Limits(), ready, page=True)
