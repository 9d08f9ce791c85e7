"""A picture of compression against vocabulary size, as SVG written by hand.

A line for each text; sizes on a logarithmic scale, bytes per token on a linear one from 0.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 60, 180, 40, 50
INK, FAINT = "#222222", "#dddddd"
COLOURS = ("#2f6f9f", "#c0392b", "#27874f", "#8e5ea2", "#c77f1a", "#555555")


@dataclass(frozen=True)
class Curve:
    """A text's name, and its bytes per token by vocabulary size."""

    name: str
    points: Sequence[tuple[int, float]]


def picture(title: str, curves: Sequence[Curve]) -> str:
    """An SVG document; curves without points are left out."""
    curves = [curve for curve in curves if curve.points]
    sizes = sorted({size for curve in curves for size, _ in curve.points}) or [1]
    highest = max((value for curve in curves for _, value in curve.points), default=1.0)
    low, high = math.log(sizes[0]), math.log(max(sizes[-1], sizes[0] + 1))

    def x(size: float) -> float:
        return round(LEFT + (math.log(size) - low) / (high - low) * (WIDTH - LEFT - RIGHT), 1)

    def y(value: float) -> float:
        return round(HEIGHT - BOTTOM - value / highest * (HEIGHT - TOP - BOTTOM), 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}"'
        ' font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>',
        _text(LEFT, 20, title, size=14),
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, "vocabulary size", anchor="middle"),
        _text(LEFT - 45, TOP - 10, "bytes per token"),
    ]
    for size in sizes:
        parts.append(_line(x(size), TOP, x(size), HEIGHT - BOTTOM))
        parts.append(_text(x(size), HEIGHT - BOTTOM + 16, f"{size:,}", anchor="middle"))
    for mark in _marks(highest):
        parts.append(_line(LEFT, y(mark), WIDTH - RIGHT, y(mark)))
        parts.append(_text(LEFT - 6, y(mark) + 4, f"{mark:g}", anchor="end"))
    for number, curve in enumerate(curves):
        colour = COLOURS[number % len(COLOURS)]
        places = [(x(size), y(value)) for size, value in curve.points]
        path = " ".join(f"{across},{down}" for across, down in places)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for across, down in places:
            parts.append(f'<circle cx="{across}" cy="{down}" r="3" fill="{colour}"/>')
        last = f"{curve.name} {curve.points[-1][1]:.2f}"
        parts.append(_text(WIDTH - RIGHT + 8, TOP + 8 + 16 * number, last, colour=colour))
    return "\n".join([*parts, "</svg>\n"])


def halves(size: int) -> list[int]:
    """`size`, its half and so on, six at most, ascending."""
    return sorted({max(1, size >> times) for times in range(6)})


def _marks(highest: float) -> Iterator[float]:
    step = next(step for step in (0.2, 0.5, 1, 2, 5, 10, math.inf) if highest / step <= 8)
    if step < math.inf:
        yield from (times * step for times in range(int(highest / step) + 1))


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{FAINT}"/>'


def _text(
    x: float, y: float, text: str, anchor: str = "start", size: int = 11, colour: str = INK
) -> str:
    return (
        f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="{size}" fill="{colour}">'
        f"{escape(text)}</text>"
    )
