"""The Python session of `newcomer.py`: runs the blocks of a page one after the other, their names shared.

A line of JSON on standard input is a block: its page, the line that it begins at, its text. A line of JSON
answers it: what went wrong, or nothing. `>>>` blocks are compared with what they show, as doctests. What
blocks print goes to standard error.
"""

import doctest
import json
import os
import traceback


def run(page: str, line: int, text: str, names: dict[str, object]) -> str:
    """Runs a block; what went wrong, or an empty string."""
    if ">>>" not in text:
        try:
            exec(compile("\n" * (line - 1) + text, page, "exec"), names)
        except BaseException:
            return traceback.format_exc(limit=-5)
        return ""
    test = doctest.DocTestParser().get_doctest(text, names, page, page, line)
    said: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(
        test, out=said.append, clear_globs=False
    )
    return "".join(said)


def main() -> None:
    """Answers until standard input ends; children of blocks don't get the file of the answers."""
    with os.fdopen(os.dup(1), "w") as answers, os.fdopen(os.dup(0)) as given:
        os.dup2(2, 1)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        names: dict[str, object] = {"__name__": "__main__"}
        for line in given:
            block = json.loads(line)
            wrong = run(block["page"], block["line"], block["text"], names)
            print(json.dumps(wrong), file=answers, flush=True)


if __name__ == "__main__":
    main()
