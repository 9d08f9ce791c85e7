"""Bar charts of ratios as SVG, written by hand: one bar a cell on a logarithmic scale.

Bars start at 1, to the right where fretsaw is ahead and to the left, in another colour, where it is
behind; a thin line over each is its interval, a dashed one across all is the goal.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from intervals import Interval

LABELS, PLOT, RIGHT = 330, 420, 130
ROW, TOP, BOTTOM = 18, 44, 30
AHEAD, BEHIND, INK, FAINT = "#2f6f9f", "#c0392b", "#222222", "#cccccc"
MARKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True)
class Bar:
    """One cell: its label, with whom it is compared, and the ratio."""

    label: str
    best: str
    ratio: Interval


def chart(title: str, bars: Sequence[Bar], goal: float | None) -> str:
    """An SVG document."""
    ends = [end for bar in bars for end in (bar.ratio.low, bar.ratio.high)]
    low = min(0.8, *ends) / 1.1
    high = max(1.25, goal or 1.0, *ends) * 1.1
    height = TOP + ROW * len(bars) + BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LABELS + PLOT + RIGHT}" height="{height}"'
        ' font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="8" y="18" font-size="14" fill="{INK}">{escape(title)}</text>',
        *_scale(low, high, height, goal),
    ]
    for number, bar in enumerate(bars):
        parts += _bar(bar, TOP + ROW * number, low, high)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _x(value: float, low: float, high: float) -> float:
    share = math.log(value / low) / math.log(high / low)
    return round(LABELS + PLOT * share, 1)


def _scale(low: float, high: float, height: int, goal: float | None) -> Iterator[str]:
    end = height - BOTTOM
    for mark in (mark for mark in MARKS if low <= mark <= high):
        x = _x(mark, low, high)
        colour = INK if mark == 1 else FAINT
        yield f'<line x1="{x}" y1="{TOP - 8}" x2="{x}" y2="{end}" stroke="{colour}"/>'
        yield f'<text x="{x}" y="{end + 14}" text-anchor="middle" fill="{INK}">{mark:g}</text>'
    if goal is not None:
        x = _x(goal, low, high)
        dashes = 'stroke-dasharray="4 3"'
        yield f'<line x1="{x}" y1="{TOP - 8}" x2="{x}" y2="{end}" stroke="{INK}" {dashes}/>'
        yield f'<text x="{x}" y="{TOP - 12}" text-anchor="middle" fill="{INK}">goal {goal:g}</text>'


def _bar(bar: Bar, top: int, low: float, high: float) -> Iterator[str]:
    one, end = _x(1, low, high), _x(bar.ratio.median, low, high)
    colour = AHEAD if bar.ratio.median >= 1 else BEHIND
    middle = top + ROW / 2
    left, width = min(one, end), round(max(abs(end - one), 1), 1)
    spread = [_x(value, low, high) for value in (bar.ratio.low, bar.ratio.high)]
    yield (
        f'<text x="{LABELS - 6}" y="{middle + 4}" text-anchor="end" fill="{INK}">'
        f"{escape(bar.label)}</text>"
    )
    yield f'<rect x="{left}" y="{top + 3}" width="{width}" height="{ROW - 6}" fill="{colour}"/>'
    yield f'<line x1="{spread[0]}" y1="{middle}" x2="{spread[1]}" y2="{middle}" stroke="{INK}"/>'
    yield (
        f'<text x="{LABELS + PLOT + 6}" y="{middle + 4}" fill="{INK}">'
        f"{bar.ratio.median:.2f} {escape(bar.best)}</text>"
    )
