"""Turns the lines that were found in a picture into the pieces of text of a page, so that they are read like those of a PDF."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from noderag_local.ingest.formats.pdf.pdf_text import PageText
from noderag_local.ingest.formats.pdf.text_piece import TextPiece
from noderag_local.ingest.formats.scans.text_in_pictures import POOR_CONFIDENCE, PictureText

_SIZE = 0.72
"""Font size as a share of the height of a line, which takes in the room that detection leaves around it."""
_BASELINE = 0.35
"""Distance of the baseline from the middle of a line, as a share of the font size."""
_SAME_SIZE = 0.3
"""Share by which the height of a line may differ from the usual one of its page and still be the same size."""
_SAME_EDGE = 0.6
"""Distance of the left ends of two lines at one edge, as a share of the font size."""


def page_of(text: PictureText, points_a_pixel: float) -> PageText:
    """Returns the text of a picture as that of a page.

    Args:
        text: what was found in the picture.
        points_a_pixel: length of a pixel, in points.
    """
    if not text.lines:
        return PageText((), text.height * points_a_pixel, False, 0.0)
    usual = median(line.height for line in text.lines)
    edges = _edges([line.left for line in text.lines], _SAME_EDGE * _SIZE * usual)
    pieces = []
    for line in text.lines:
        is_usual = abs(line.height - usual) <= _SAME_SIZE * usual
        size = _SIZE * (usual if is_usual else line.height) * points_a_pixel
        baseline = line.middle * points_a_pixel + _BASELINE * size
        pieces.append(
            TextPiece(line.text, edges[line.left] * points_a_pixel, line.right * points_a_pixel, baseline, size)
        )
    return PageText((tuple(pieces),), text.height * points_a_pixel, False, 0.0)


def _edges(lefts: Sequence[float], same: float) -> dict[float, float]:
    """Returns the left end of each line -> the edge that it belongs to: that of the leftmost line near it."""
    edges: dict[float, float] = {}
    edge = -1e9
    for left in sorted(set(lefts)):
        if left - edge > same:
            edge = left
        edges[left] = edge
    return edges


def poor_pages(confidences: Sequence[tuple[int, float]]) -> list[str]:
    """Returns notices about pages that were read with little confidence.

    Args:
        confidences: (number of the page, mean confidence) of the pages that were read.
    """
    return [
        f"{f'page {number}' if number else 'the text in it'} was read with little confidence ({confidence:.0%})"
        for number, confidence in confidences
        if confidence < POOR_CONFIDENCE
    ]
