"""Finds the reading order of a page: one column after the other, and the lines that run across all columns.

Two columns and the two halves of a table look alike. A table's cells are short, or the file writes them row by row;
a column's lines fill its width, or the file writes one column after the other.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from noderag_local.ingest.formats.pdf.text_piece import SAME_LINE, Line, TextPiece, lines_of

MAX_COLUMNS = 12
"""Most columns side by side on a page; newspapers have eight."""

_ALIGNED = 2.0
"""Points by which the left ends of a column's lines may differ."""
_MIN_ALIGNED = 3
"""Pieces with the same left end that make it the edge of a column."""
_MIN_LINES = 3
"""Least lines of each of two columns that the file writes one after the other."""
_MIN_ALTERNATING_LINES = 6
"""Least lines of each of two columns that the file writes line by line across."""
_MIN_FILLED_SHARE = 0.7
_MIN_LINE_CHARACTERS = 18
_MIN_PROSE_SHARE = 0.6
_MIN_MEAN_CHARACTERS = 10
"""Least mean characters of the pieces of a column; the marks of a list have fewer."""
_MAX_CANDIDATES = 12


def reading_order(pieces: Sequence[TextPiece], page: int) -> list[Line]:
    """Returns the lines of a page in the order in which people read them.

    Args:
        pieces: pieces in the order that the file writes them.
        page: number of the page, from 1.
    """
    columns = _columns(pieces, 0)
    return [replace(line, column=number) for number, column in enumerate(columns) for line in lines_of(column, page)]


def _columns(pieces: Sequence[TextPiece], depth: int) -> Iterator[Sequence[TextPiece]]:
    """Yields the columns of a page and what runs across between them, in reading order.

    Args:
        pieces: pieces in the order that the file writes them.
        depth: number of columns that were split off from these pieces before.
    """
    edge = _best_edge(pieces) if depth < MAX_COLUMNS else None
    if edge is None:
        yield pieces
        return
    across: list[TextPiece] = []
    for band in _bands(pieces, edge):
        if not _are_columns(band, edge):
            across += band
            continue
        if across:
            yield across
            across = []
        for side in _sides(band, edge):
            yield from _columns(side, depth + 1)
    if across:
        yield across


def _best_edge(pieces: Sequence[TextPiece]) -> float | None:
    """Returns the left end of the column that most text stands beside; None if there is only one column."""
    best, most = None, 0
    for edge in _edges(pieces):
        bands = [band for band in _bands(pieces, edge) if _are_columns(band, edge)]
        size = sum(len(band) for band in bands)
        if size > most:
            best, most = edge, size
    return best


def _edges(pieces: Sequence[TextPiece]) -> list[float]:
    """Returns left ends that many pieces share, without the leftmost; those shared by most come first."""
    starts = sorted(piece.left for piece in pieces)
    groups: list[list[float]] = []
    for start in starts:
        if groups and start - groups[-1][0] <= _ALIGNED:
            groups[-1].append(start)
        else:
            groups.append([start])
    shared = [group for group in groups if len(group) >= _MIN_ALIGNED]
    shared = [group for group in shared if group[0] > starts[0] + _ALIGNED]
    shared.sort(key=lambda group: (-len(group), group[0]))
    return [group[0] for group in shared[:_MAX_CANDIDATES]]


def _bands(pieces: Sequence[TextPiece], edge: float) -> list[list[TextPiece]]:
    """Returns slices of the page from top to bottom: rows that run across the edge, and what stands beside it between them."""
    across = sorted(piece.baseline for piece in pieces if piece.left < edge - _ALIGNED and piece.right > edge + 1)
    bands: dict[tuple[int, bool], list[TextPiece]] = {}
    for piece in pieces:
        reach = SAME_LINE * piece.size
        above = bisect_left(across, piece.baseline - reach)
        is_level = above < len(across) and across[above] < piece.baseline + reach
        bands.setdefault((above, is_level), []).append(piece)
    return [bands[key] for key in sorted(bands)]


def _sides(band: Sequence[TextPiece], edge: float) -> tuple[list[TextPiece], list[TextPiece]]:
    left = [piece for piece in band if piece.left < edge - _ALIGNED]
    return left, [piece for piece in band if piece.left >= edge - _ALIGNED]


def _are_columns(band: Sequence[TextPiece], edge: float) -> bool:
    """Returns whether the text left of the edge is read before the text right of it, as in columns."""
    left, right = _sides(band, edge)
    fewest = min(len(left), len(right))
    if fewest < _MIN_LINES or not _overlap(left, right):
        return False
    switches = sum((one.left < edge - _ALIGNED) != (other.left < edge - _ALIGNED) for one, other in pairwise(band))
    if switches <= 2:
        return all(sum(len(piece.text) for piece in side) >= _MIN_MEAN_CHARACTERS * len(side) for side in (left, right))
    is_prose = all(_is_prose(side) for side in (left, right))
    return is_prose and (fewest >= _MIN_ALTERNATING_LINES or switches < fewest)


def _overlap(left: Sequence[TextPiece], right: Sequence[TextPiece]) -> bool:
    """Whether the two stand side by side for at least half the height of the lower one."""
    spans = [(min(p.baseline for p in side), max(p.baseline for p in side)) for side in (left, right)]
    shared = min(spans[0][1], spans[1][1]) - max(spans[0][0], spans[1][0])
    return shared >= 0.5 * min(spans[0][1] - spans[0][0], spans[1][1] - spans[1][0]) > 0


def _is_prose(side: Sequence[TextPiece]) -> bool:
    """Whether most of the text stands in lines that fill the column."""
    width = max(piece.right for piece in side) - min(piece.left for piece in side)
    lines = lines_of(side, 0)
    filled = sum(
        len(line.text)
        for line in lines
        if len(line.cells) == 1
        and line.right - line.left >= _MIN_FILLED_SHARE * width
        and len(line.text) >= _MIN_LINE_CHARACTERS
    )
    return filled >= _MIN_PROSE_SHARE * sum(len(line.text) for line in lines)
