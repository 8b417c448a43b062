"""Reads a PDF slowly: pages with text as `pdf_file` does, and pages that are pictures by OCR."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np
import pypdfium2

from noderag_local.ingest.chunks.parsed_document import PageRead
from noderag_local.ingest.chunks.scan_notes import spelled_pages
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.pdf.pdf_file import MAX_PAGES, extracted_pdf, opened_pdf, read_page
from noderag_local.ingest.formats.pdf.pdf_text import PageText
from noderag_local.ingest.formats.scans.page_pictures import page_of, poor_pages
from noderag_local.ingest.formats.scans.text_in_pictures import LONGEST_SIDE, read_picture

MAX_SCANNED_PAGES = 500
"""The text of further pages that are pictures is left out, with a notice: these take half an hour."""
_MOST_DPI = 300
_POINTS_AN_INCH = 72


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument | PageRead]:
    document = opened_pdf(file)
    try:
        pages = [read_page(document, index) for index in range(min(len(document), MAX_PAGES))]
        pictures = [index for index, page in enumerate(pages) if page.is_picture]
        confidences: list[tuple[int, float]] = []
        chosen = pictures[:MAX_SCANNED_PAGES]
        for done, index in enumerate(chosen, start=1):
            pages[index], confidence = _scanned(document, index)
            confidences.append((index + 1, confidence))
            yield PageRead(done, len(chosen))
        notices = poor_pages(confidences)
        if len(pictures) > MAX_SCANNED_PAGES:
            left_out = spelled_pages([index + 1 for index in pictures[MAX_SCANNED_PAGES:]])
            notices.append(f"{left_out} are pictures that are left out; split the file to have them read")
        for index in pictures[MAX_SCANNED_PAGES:]:
            pages[index] = PageText((), pages[index].height, False, 0.0)
        yield extracted_pdf(document, name, pages, notices)
    finally:
        document.close()


def _scanned(document: Any, index: int) -> tuple[PageText, float]:
    """Returns the text of a page that is a picture, and its mean confidence; a damaged page has no text."""
    page = document[index]
    try:
        width, height = page.get_size()
        scale = min(_MOST_DPI / _POINTS_AN_INCH, LONGEST_SIDE / max(width, height, 1.0))
        picture = page.render(scale=scale, rev_byteorder=True, draw_annots=False).to_numpy()
        found = read_picture(_three_channels(picture))
    except pypdfium2.PdfiumError:
        return PageText((), 0.0, False, 0.0), 0.0
    finally:
        page.close()
    return page_of(found, 1 / scale), found.confidence


def _three_channels(picture: Any) -> Any:
    """Returns a picture with red, green and blue only; pdfium makes one channel of a grey page."""
    channels = picture if picture.ndim == 3 else picture[:, :, np.newaxis]
    return np.repeat(channels, 3, axis=2) if channels.shape[2] == 1 else channels[:, :, :3]


EXTRACTOR = Extractor(_read)
