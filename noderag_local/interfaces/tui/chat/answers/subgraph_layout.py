"""Lays out a small layered graph as box-drawing characters, from left to right.

The nodes of a layer are drawn below each other. An edge over several layers gets a place in each layer between (after
Sugiyama, Tagawa and Toda 1981). All edges from one node are a net: they share its exit and one vertical line per gap. Where
two nets only cross, the cell shows the vertical one, so that a joint (├ ┬ ┼) always means a connection.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
_LINES = " │││─┘┐┤─└┌├─┴┬┼"
"""Character for each sum of the directions in which a line leaves a cell."""
ARROW = "▸"
SWEEPS = 4
NARROWEST = 6
"""Minimum width of a node's text in cells; if there is less room, the drawing becomes wider than requested."""
ALL_ORDERS = 5
"""Up to this number of vertical lines in a gap, every order of them is tried."""
FALSE_JOINT = 20
"""Cost of two nets that run into each other, compared with 1 for a crossing."""

Cell = tuple[int, int]
"""(line, column)"""
Edge = tuple[int, int]
"""(start, end), indices of nodes"""


class Item(NamedTuple):
    """A node, or a net passing through, that takes up a line in a layer."""

    net: int
    """Node that the net starts from; for a node, the node itself."""
    is_node: bool


@dataclass(frozen=True, slots=True)
class Box:
    """Position of a node's text."""

    line: int
    column: int
    width: int


@dataclass(frozen=True, slots=True)
class Drawing:
    """Lines between boxes."""

    width: int
    height: int
    boxes: tuple[Box, ...]
    """One box per node."""
    signs: Mapping[Cell, str]
    edges_at: Mapping[Cell, frozenset[Edge]]
    """Edges that run through each cell."""
    columns: tuple[tuple[int, ...], ...]
    """Nodes of each layer from top to bottom."""


class _Segment(NamedTuple):
    """Part of an edge between two neighbouring layers."""

    start: Item
    end: Item
    edges: frozenset[Edge]


def drawing(layers: Sequence[int], edges: Iterable[Edge], width: int, most_lines: int) -> Drawing:
    """Draws a graph.

    Args:
        layers: layer of each node; every edge leads to a later layer. Empty layers take no room.
        edges: (start, end) of each edge, as indices of nodes.
        width: width in cells. The first layer gets a single cell if it has a single node.
        most_lines: maximum height; blank lines are put between nodes if they fit.
    """
    ranks = {layer: rank for rank, layer in enumerate(sorted(set(layers)))}
    columns, segments = _passages([ranks[layer] for layer in layers], sorted(edges))
    columns = _untangled(columns, segments)
    most = max(map(len, columns), default=0)
    step = 2 if 2 * most - 1 <= most_lines else 1
    height = max(step * (most - 1) + 1, 0)
    lines = [
        {item: (height - 1 - step * (len(column) - 1)) // 2 + step * place for place, item in enumerate(column)}
        for column in columns
    ]
    gaps = [_Gap(segments[rank], lines[rank], lines[rank + 1]) for rank in range(len(columns) - 1)]
    return _Pen(columns, lines, gaps, width, height).drawn(len(layers))


def _passages(ranks: Sequence[int], edges: Sequence[Edge]) -> tuple[list[list[Item]], list[list[_Segment]]]:
    """Returns the items of each layer and the edge segments of each gap."""
    columns: list[list[Item]] = [[] for _ in range(max(ranks, default=-1) + 1)]
    for node, rank in enumerate(ranks):
        columns[rank].append(Item(node, True))
    through: list[dict[tuple[Item, Item], set[Edge]]] = [{} for _ in columns]
    for start, end in edges:
        here = Item(start, True)
        for rank in range(ranks[start], ranks[end]):
            there = Item(end, True) if rank + 1 == ranks[end] else Item(start, False)
            if there not in columns[rank + 1]:
                columns[rank + 1].append(there)
            through[rank].setdefault((here, there), set()).add((start, end))
            here = there
    segments = [[_Segment(*ends, frozenset(of)) for ends, of in sorted(gap.items())] for gap in through]
    return columns, segments


def _untangled(columns: list[list[Item]], segments: Sequence[Sequence[_Segment]]) -> list[list[Item]]:
    """Returns the layers with items sorted by the mean position of their neighbours, in forward and backward passes."""
    for sweep in range(SWEEPS):
        forwards = sweep % 2 == 0
        ranks = range(1, len(columns)) if forwards else range(len(columns) - 2, -1, -1)
        for rank in ranks:
            before = columns[rank - 1 if forwards else rank + 1]
            middles: defaultdict[Item, list[float]] = defaultdict(list)
            for start, end, _ in segments[rank - 1 if forwards else rank]:
                one, other = (end, start) if forwards else (start, end)
                middles[one].append((before.index(other) + 0.5) / len(before))
            own = {item: (place + 0.5) / len(columns[rank]) for place, item in enumerate(columns[rank])}
            middle = {item: sum(found) / len(found) if (found := middles[item]) else own[item] for item in own}
            columns[rank] = sorted(columns[rank], key=lambda item: (middle[item], own[item]))
    return columns


class _Gap:
    """The lines between two layers: a vertical line for each item of the left layer, ordered to have few crossings."""

    def __init__(self, segments: Sequence[_Segment], left: Mapping[Item, int], right: Mapping[Item, int]) -> None:
        self.runs = [(segment, left[segment.start], right[segment.end]) for segment in segments]
        bent = {segment.start for segment, start, end in self.runs if start != end}
        self.lanes = self._ordered(sorted(bent, key=lambda item: left[item]))

    @property
    def width(self) -> int:
        """Width in cells, with one cell before and two after the upright lines."""
        return len(self.lanes) + 3

    def _ordered(self, lanes: list[Item]) -> list[Item]:
        """Returns the best order of the vertical lines; for many lines, a good one found by swapping neighbours."""
        if len(lanes) <= ALL_ORDERS:
            return min((list(order) for order in permutations(lanes)), key=self._cost)
        return min((self._swapped(lanes), self._swapped(lanes[::-1])), key=self._cost)

    def _swapped(self, lanes: list[Item]) -> list[Item]:
        best, cost = lanes, self._cost(lanes)
        improved = True
        while improved:
            improved = False
            for at in range(len(best) - 1):
                tried = [*best[:at], best[at + 1], best[at], *best[at + 2 :]]
                if (found := self._cost(tried)) < cost:
                    best, cost, improved = tried, found, True
        return best

    def _cost(self, lanes: Sequence[Item]) -> int:
        """Returns the cost of an order: its crossings, and the places where two nets would look like one."""
        lane_of = {item: lane for lane, item in enumerate(lanes)}
        crossings = 0
        for one, start, end in self.runs:
            for other, other_start, other_end in self.runs:
                if one.start == other.start or other_start == other_end:
                    continue
                lane, low, high = lane_of[other.start], *sorted((other_start, other_end))
                own = lane_of.get(one.start, len(lanes))
                crossings += low < start < high and lane < own
                crossings += low < end < high and lane > own
                if start == other_end and start != end and lane <= own and one.end != other.end:
                    crossings += FALSE_JOINT
        return crossings


class _Pen:
    """Draws boxes and lines into cells."""

    def __init__(
        self,
        columns: Sequence[Sequence[Item]],
        lines: Sequence[Mapping[Item, int]],
        gaps: Sequence[_Gap],
        width: int,
        height: int,
    ) -> None:
        self._columns, self._lines, self._gaps, self._height = columns, lines, gaps, height
        first = 1 if columns and len(columns[0]) == 1 else 0
        texts = max(len(columns) - first, 1)
        room = (width - first - sum(gap.width for gap in gaps)) // texts
        self._widths = [1 if first and not rank else max(room, NARROWEST) for rank in range(len(columns))]
        self._strokes: defaultdict[Cell, dict[int, int]] = defaultdict(dict)
        self._edges: defaultdict[Cell, set[Edge]] = defaultdict(set)
        self._arrows: set[Cell] = set()

    def drawn(self, nodes: int) -> Drawing:
        boxes = [Box(0, 0, 0)] * nodes
        column = 0
        for rank, items in enumerate(self._columns):
            width = self._widths[rank]
            for item in items:
                line = self._lines[rank][item]
                if item.is_node:
                    boxes[item.net] = Box(line, column, width)
                self._pass_by(rank, item, line, column, width)
            if rank < len(self._gaps):
                self._bridge(self._gaps[rank], column + width)
                width += self._gaps[rank].width
            column += width
        signs = {cell: _sign(strokes) for cell, strokes in self._strokes.items()} | dict.fromkeys(self._arrows, ARROW)
        edges_at = {cell: frozenset(edges) for cell, edges in self._edges.items()}
        nodes_of = tuple(tuple(item.net for item in items if item.is_node) for items in self._columns)
        return Drawing(column, self._height, tuple(boxes), signs, edges_at, nodes_of)

    def _pass_by(self, rank: int, item: Item, line: int, column: int, width: int) -> None:
        """Draws a line from a node's text to its exit, or through the whole layer; the text is drawn over it."""
        leaving = (
            [segment for segment, _, _ in self._gaps[rank].runs if segment.start == item] if self._gaps[rank:] else []
        )
        edges = frozenset().union(*(segment.edges for segment in leaving))
        for at in range(column, column + width) if leaving else ():
            self._stroke((line, at), item.net, LEFT | RIGHT, edges)

    def _bridge(self, gap: _Gap, column: int) -> None:
        lane_of = {item: column + 1 + lane for lane, item in enumerate(gap.lanes)}
        last = column + gap.width - 1
        for segment, start, end in gap.runs:
            net, edges = segment.start.net, segment.edges
            # A space separates the arrow from a node's text; a net passing through continues at once.
            stop = last - 1 if segment.end.is_node else last
            turn = lane_of[segment.start] if start != end else stop
            for at in range(column, turn):
                self._stroke((start, at), net, LEFT | RIGHT, edges)
            self._stroke((start, turn), net, LEFT if start != end else LEFT | RIGHT, edges)
            if start != end:
                self._upright(turn, start, end, net, edges)
                self._stroke((end, turn), net, RIGHT, edges)
                for at in range(turn + 1, stop + 1):
                    self._stroke((end, at), net, LEFT | RIGHT, edges)
            if segment.end.is_node:
                self._arrows.add((end, stop))

    def _upright(self, column: int, start: int, end: int, net: int, edges: frozenset[Edge]) -> None:
        low, high = sorted((start, end))
        for line in range(low, high + 1):
            strokes = (UP if line > low else 0) | (DOWN if line < high else 0)
            self._stroke((line, column), net, strokes, edges)

    def _stroke(self, cell: Cell, net: int, strokes: int, edges: frozenset[Edge]) -> None:
        self._strokes[cell][net] = self._strokes[cell].get(net, 0) | strokes
        self._edges[cell] |= edges


def _sign(strokes: Mapping[int, int]) -> str:
    """Returns the character of a cell: the vertical line if nets only cross, else all lines joined."""
    upright = [one for one in strokes.values() if one & (UP | DOWN)]
    if len(strokes) > 1 and upright and all(not one & (LEFT | RIGHT) for one in upright):
        return _LINES[UP | DOWN]
    whole = 0
    for one in strokes.values():
        whole |= one
    return _LINES[whole]
