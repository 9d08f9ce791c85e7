"""Which interpreters of this machine a wheel is built for: each CPython from 3.11 on, one of each version.

Every `python3.N` of PATH, of /usr/bin and of pyenv's folder is started and asked what it is; a name that
starts nothing, or not CPython, is passed over. Where there are two of one version the first is taken, in
that order. Seconds.
"""

import json
import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

OLDEST = (3, 11)
ASK = (
    "import json, sys, sysconfig; print(json.dumps([sys.implementation.name, sys.version_info[:2],"
    " sys.executable, bool(sysconfig.get_config_var('Py_GIL_DISABLED'))]))"
)


def candidates(folders: Iterable[Path]) -> Iterator[Path]:
    """The programs named `python3.N` in these folders."""
    for folder in folders:
        if folder.is_dir():
            yield from sorted(
                path for path in folder.iterdir() if re.fullmatch(r"python3\.\d+t?", path.name)
            )


def search_folders() -> list[Path]:
    """PATH, /usr/bin and what pyenv has, without the environment that this runs in."""
    home = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    named = [Path(name) for name in os.environ.get("PATH", "").split(os.pathsep) if name]
    found = [*named, Path("/usr/bin"), *sorted((home / "versions").glob("*/bin"))]
    return [folder for folder in found if not (folder.parent / "pyvenv.cfg").is_file()]


def interpreters(folders: Iterable[Path]) -> list[Path]:
    """One program for each version of CPython that is there, the oldest first."""
    found: dict[tuple[int, int, bool], Path] = {}
    for program in candidates(folders):
        try:
            done = subprocess.run(
                [program, "-I", "-c", ASK], capture_output=True, text=True, timeout=60
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode != 0:
            continue
        implementation, version, executable, free_threaded = json.loads(done.stdout)
        major, minor = version
        # PyO3 builds for free-threaded Python from 3.14 on.
        buildable = not free_threaded or (major, minor) >= (3, 14)
        if implementation == "cpython" and (major, minor) >= OLDEST and buildable:
            found.setdefault((major, minor, free_threaded), Path(executable))
    return [found[version] for version in sorted(found)]


def main() -> None:
    """Prints them, one a line."""
    for program in interpreters(search_folders()):
        print(program)


if __name__ == "__main__":
    main()
