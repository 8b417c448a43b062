"""Lines and points as SVG that stands in a page of its own: two small plots are not worth a plotting library on an offline machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

WIDTH, HEIGHT = 760, 380
LEFT, RIGHT, TOP, BOTTOM = 56, 170, 16, 48
COLOURS = ("#1b6ac9", "#d1495b", "#2e8b57", "#b8860b", "#7b4fbf", "#008b8b", "#c2548f", "#5f6b7a", "#8c5a2b", "#3a3a3a")
"""Ten that differ in lightness as well; from the eleventh line on they come again, dashed."""
Y_STEP = 10.0
NAME_HEIGHT = 14.0


@dataclass(frozen=True, slots=True)
class Line:
    """Points that are joined, in the order of their first numbers."""

    name: str
    points: tuple[tuple[float, float], ...]
    """(x, y), not empty."""


def plot(lines: Sequence[Line], x_title: str, y_title: str, ticks: Sequence[tuple[float, str]], *, is_log: bool) -> str:
    """An SVG element; hover over a point to read it.

    Args:
        ticks: (x, what stands below it); not empty. Their range and that of the points is what is shown.
        is_log: the x axis goes by factors.
    """
    axes = _Axes(lines, [x for x, _ in ticks], is_log)
    parts = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(y_title)} by {escape(x_title)}">']
    parts += _frame(axes, ticks, x_title, y_title)
    # The names stand at the height of the last points, moved apart where they would cover each other.
    heights = _apart([axes.y(line.points[-1][1]) for line in lines])
    for number, (line, height) in enumerate(zip(lines, heights, strict=True)):
        parts += _drawn(line, number, axes, height)
    return "\n".join([*parts, "</svg>"])


class _Axes:
    """From values to places on the drawing."""

    def __init__(self, lines: Sequence[Line], ticks: Sequence[float], is_log: bool) -> None:
        self._is_log = is_log
        xs = [self._scaled(x) for x in (*ticks, *(x for line in lines for x, _ in line.points))]
        ys = [y for line in lines for _, y in line.points]
        self.low, self.high = floor(min(ys) / Y_STEP) * Y_STEP, ceil(max(ys) / Y_STEP) * Y_STEP
        if self.low == self.high:
            self.high += Y_STEP
        self._first, self._span = min(xs), (max(xs) - min(xs)) or 1.0

    def _scaled(self, x: float) -> float:
        return log10(x) if self._is_log else x

    def x(self, value: float) -> float:
        return LEFT + (self._scaled(value) - self._first) / self._span * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        return HEIGHT - BOTTOM - (value - self.low) / (self.high - self.low) * (HEIGHT - TOP - BOTTOM)


def _frame(axes: _Axes, ticks: Sequence[tuple[float, str]], x_title: str, y_title: str) -> list[str]:
    parts = []
    value = axes.low
    while value <= axes.high:
        y = axes.y(value)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:.0f}</text>')
        value += Y_STEP
    for x, text in ticks:
        parts.append(f'<text x="{axes.x(x):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{escape(text)}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle:.0f}" y="{HEIGHT - 8}" text-anchor="middle">{escape(x_title)}</text>')
    parts.append(
        f'<text transform="translate(14 {HEIGHT / 2:.0f}) rotate(-90)" text-anchor="middle">{escape(y_title)}</text>'
    )
    return parts


def _drawn(line: Line, number: int, axes: _Axes, name_height: float) -> list[str]:
    colour = COLOURS[number % len(COLOURS)]
    dashes = ' stroke-dasharray="6 3"' if number >= len(COLOURS) else ""
    places = [(axes.x(x), axes.y(y)) for x, y in line.points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    parts = [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>']
    for (x, y), (told_x, told_y) in zip(places, line.points, strict=True):
        told = escape(f"{line.name}: {told_y:.1f} at {told_x:,.0f}")
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"><title>{told}</title></circle>')
    parts.append(
        f'<text x="{WIDTH - RIGHT + 12}" y="{name_height + 4:.1f}" style="fill:{colour}">{escape(line.name)}</text>'
    )
    return parts


def _apart(heights: Sequence[float]) -> list[float]:
    """The same heights with 14 units between any two, moved down first and then up into the drawing."""
    order = sorted(range(len(heights)), key=lambda at: (heights[at], at))
    moved, above, below = list(heights), -1e9, float(HEIGHT - BOTTOM)
    for at in order:
        moved[at] = above = max(heights[at], above + NAME_HEIGHT)
    for at in reversed(order):
        moved[at] = min(moved[at], below)
        below = moved[at] - NAME_HEIGHT
    return moved
