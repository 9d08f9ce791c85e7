"""What the checks of wheels and of source distributions share: how large one may be, and how they report."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

MOST_BYTES = 12_000_000


def check_named(about: str, problems: Callable[[Path], list[str]]) -> int:
    """Checks the files named on the command line; 1 if anything is wrong with one, which is printed."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("packages", nargs="+", type=Path)
    code = 0
    for path in parser.parse_args().packages:
        wrong = problems(path)
        for line in wrong:
            print(f"{path.name}: {line}", file=sys.stderr)
        if not wrong:
            print(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB, as it should be")
        code |= bool(wrong)
    return code
