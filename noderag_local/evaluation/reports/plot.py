"""Draws lines and points as SVG; two small plots do not justify a plotting library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

WIDTH, LEAST_HEIGHT = 800, 380
LEFT, RIGHT, TOP, BOTTOM = 56, 210, 16, 48
COLOURS = 10
"""Number of line colours, classes c0 to c9 of page.css for light and dark themes; further lines repeat them, dashed."""
MOST_DASHES = 2
"""Number of dash styles, classes dash1 and dash2."""
Y_STEP = 10.0
NAME_HEIGHT = 14.0


@dataclass(frozen=True, slots=True)
class PlotLine:
    """A line through points, ordered by x."""

    name: str
    points: tuple[tuple[float, float], ...]
    """(x, y), not empty."""


def plot(
    lines: Sequence[PlotLine], x_title: str, y_title: str, ticks: Sequence[tuple[float, str]], *, is_log: bool
) -> str:
    """Returns an SVG element; hovering over a point shows its values.

    Args:
        lines: lines to draw.
        x_title: title of the x axis.
        y_title: title of the y axis.
        ticks: (x, label) of the marks on the x axis; not empty. The axis covers these and all points.
        is_log: whether the x axis is logarithmic.
    """
    axes = _Axes(lines, [x for x, _ in ticks], is_log)
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {axes.height:.0f}" role="img" aria-label="{escape(y_title)} by {escape(x_title)}">'
    ]
    parts += _frame(axes, ticks, x_title, y_title)
    heights = _name_heights(lines, axes)
    for number, (line, height) in enumerate(zip(lines, heights, strict=True)):
        parts += _drawn(line, number, axes, height)
    return "\n".join([*parts, "</svg>"])


class _Axes:
    """Maps values to positions on the drawing."""

    def __init__(self, lines: Sequence[PlotLine], ticks: Sequence[float], is_log: bool) -> None:
        self._is_log = is_log
        # Each name needs a line of text beside the drawing.
        self.height = max(LEAST_HEIGHT, TOP + BOTTOM + NAME_HEIGHT * len(lines))
        self.bottom = self.height - BOTTOM
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
        return self.bottom - (value - self.low) / (self.high - self.low) * (self.bottom - TOP)


def _frame(axes: _Axes, ticks: Sequence[tuple[float, str]], x_title: str, y_title: str) -> list[str]:
    parts = []
    value = axes.low
    while value <= axes.high:
        y = axes.y(value)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:.0f}</text>')
        value += Y_STEP
    for x, text in ticks:
        parts.append(f'<text x="{axes.x(x):.1f}" y="{axes.bottom + 18:.1f}" text-anchor="middle">{escape(text)}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle:.0f}" y="{axes.height - 8:.1f}" text-anchor="middle">{escape(x_title)}</text>')
    parts.append(
        f'<text transform="translate(14 {axes.height / 2:.0f}) rotate(-90)" text-anchor="middle">{escape(y_title)}</text>'
    )
    return parts


def _drawn(line: PlotLine, number: int, axes: _Axes, name_height: float) -> list[str]:
    places = [(axes.x(x), axes.y(y)) for x, y in line.points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dashes = min(number // COLOURS, MOST_DASHES)
    parts = [f'<g class="c{number % COLOURS} dash{dashes}"><polyline points="{path}"/>']
    for (x, y), (told_x, told_y) in zip(places, line.points, strict=True):
        told = escape(f"{line.name}: {told_y:.1f} at {told_x:,.0f}")
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5"><title>{told}</title></circle>')
    name = f'<text x="{places[-1][0] + 12:.1f}" y="{name_height + 4:.1f}">{escape(line.name)}</text>'
    return [*parts, f"{name}</g>"]


def _name_heights(lines: Sequence[PlotLine], axes: _Axes) -> list[float]:
    """Returns the height of each line's name: that of its last point, moved so that names do not overlap."""
    heights = [axes.y(line.points[-1][1]) for line in lines]
    columns: dict[float, list[int]] = {}
    for at, line in enumerate(lines):
        columns.setdefault(line.points[-1][0], []).append(at)
    for column in columns.values():
        for at, height in zip(column, _apart([heights[at] for at in column], axes.bottom), strict=True):
            heights[at] = height
    return heights


def _apart(heights: Sequence[float], bottom: float) -> list[float]:
    """Returns heights at least 14 units apart, moved down where they collide, then up into the drawing."""
    order = sorted(range(len(heights)), key=lambda at: (heights[at], at))
    moved, above, below = list(heights), -1e9, bottom
    for at in order:
        moved[at] = above = max(heights[at], above + NAME_HEIGHT)
    for at in reversed(order):
        moved[at] = min(moved[at], below)
        below = moved[at] - NAME_HEIGHT
    return moved
