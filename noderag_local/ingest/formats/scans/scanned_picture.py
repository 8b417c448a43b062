"""Reads a picture's metadata and then, by OCR, the text in it. The place is "page 2" in a TIFF of several pages, otherwise ""."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from noderag_local.ingest.chunks.parsed_document import PageRead
from noderag_local.ingest.chunks.scan_notes import WHOLE_FILE
from noderag_local.ingest.formats.block_writer import NOWHERE, BlockWriter, Whereabouts
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.pdf.page_columns import reading_order
from noderag_local.ingest.formats.pdf.paragraphs import paragraphs_of
from noderag_local.ingest.formats.scans.opened_picture import opened_picture, pages_of, upright_pages
from noderag_local.ingest.formats.scans.page_pictures import page_of, poor_pages
from noderag_local.ingest.formats.scans.photo_data import photo_data, write_photo_data
from noderag_local.ingest.formats.scans.text_in_pictures import LONGEST_SIDE, read_picture

_POINTS_A_PIXEL = 72 / 171
"""Length of a pixel if the picture is a sheet of A4 at LONGEST_SIDE; only proportions count."""


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument | PageRead]:
    pages = []
    confidences: list[tuple[int, float]] = []
    with opened_picture(file) as picture:
        count, data = pages_of(picture), photo_data(picture, name)
        for number, page in enumerate(upright_pages(picture, LONGEST_SIDE), start=1):
            found = read_picture(np.asarray(page, np.uint8))
            confidences.append((number if count > 1 else WHOLE_FILE, found.confidence))
            turns = page_of(found, _POINTS_A_PIXEL).turns
            pages.append([line for pieces in turns for line in reading_order(pieces, number)])
            yield PageRead(number, count)
    writer, blocks = BlockWriter(), paragraphs_of(pages)
    if data.has_words or blocks:
        write_photo_data(data, writer)
    for block in blocks:
        writer.add(block.kind, block.text, Whereabouts(f"page {block.page}") if count > 1 else NOWHERE)
    yield ExtractedDocument(writer.title, tuple(writer.blocks), notices=tuple(poor_pages(confidences)))


EXTRACTOR = Extractor(_read)
