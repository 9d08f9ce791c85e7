"""Where the commands write what is in colours on a terminal and plain elsewhere."""

import shutil

from rich.console import Console


def plain_console() -> Console:
    """A console that leaves what it is given as it is, as wide as the terminal or `COLUMNS` says.

    rich would look for `COLUMNS` in the environment that there was when it was imported.
    """
    columns, lines = shutil.get_terminal_size()
    return Console(width=columns, height=lines, highlight=False, markup=False, emoji=False)
