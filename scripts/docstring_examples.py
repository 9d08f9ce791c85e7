"""An extension of griffe: examples in docstrings become blocks of code in the API reference.

Docstrings here put an example behind the text, `>>> ` and what it prints, without a heading. As
Markdown that would be a paragraph, and lists in it links.
"""

from typing import Any

import griffe


def fenced(text: str) -> str:
    """The text with each run of lines from a `>>> ` to an empty line as a block of code."""
    lines: list[str] = []
    within = False
    for line in text.split("\n"):
        if not within and line.startswith(">>> "):
            lines += ["", "```pycon"]
            within = True
        elif within and not line.strip():
            lines.append("```")
            within = False
        lines.append(line)
    return "\n".join([*lines, "```"] if within else lines)


class Examples(griffe.Extension):
    """Rewrites the docstring of each object."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called by griffe for everything that it loads."""
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)
