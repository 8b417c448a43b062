"""Reads the text in one page of a picture by OCR."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from PIL import Image

from noderag_local.ingest.formats.pdf.page_columns import reading_order
from noderag_local.ingest.formats.pdf.text_piece import Line
from noderag_local.ingest.formats.scans.page_pictures import page_of
from noderag_local.ingest.formats.scans.text_in_pictures import read_picture

_POINTS_A_PIXEL = 72 / 171
"""Length of a pixel if the picture is a sheet of A4 of `text_in_pictures.LONGEST_SIDE`; only proportions count."""


class ScannedPage(NamedTuple):
    """Text of a page."""

    lines: list[Line]
    """Lines in the order in which people read them."""
    confidence: float
    """Mean confidence of all letters, from 0 to 1; 1 if there are none."""


def scanned_page(page: Image.Image, number: int) -> ScannedPage:
    """Returns the text of a page.

    Args:
        page: upright, in red, green and blue, no larger than `text_in_pictures.LONGEST_SIDE`.
        number: number of the page, from 1.
    """
    found = read_picture(np.asarray(page, np.uint8))
    turns = page_of(found, _POINTS_A_PIXEL).turns
    return ScannedPage([line for pieces in turns for line in reading_order(pieces, number)], found.confidence)
