"""Makes a document of a picture: of its metadata and of the text in it. The place is "page 2" in a TIFF of several pages, otherwise ""."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from noderag_local.ingest.chunks.parsed_document import PageRead
from noderag_local.ingest.chunks.scan_notes import WHOLE_FILE
from noderag_local.ingest.formats.block_writer import NOWHERE, BlockWriter, Whereabouts
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.pdf.paragraphs import paragraphs_of
from noderag_local.ingest.formats.scans.opened_picture import opened_picture, pages_of, upright_pages
from noderag_local.ingest.formats.scans.page_pictures import poor_pages
from noderag_local.ingest.formats.scans.photo_data import photo_data
from noderag_local.ingest.formats.scans.photo_paragraphs import write_photo_data
from noderag_local.ingest.formats.scans.scanned_page import ScannedPage, scanned_page
from noderag_local.ingest.formats.scans.text_in_pictures import LONGEST_SIDE
from noderag_local.text.dates.told_day import iso_day


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument | PageRead]:
    pages: list[ScannedPage] = []
    with opened_picture(file) as picture:
        count, data = pages_of(picture), photo_data(picture, name)
        for number, page in enumerate(upright_pages(picture, LONGEST_SIDE), start=1):
            pages.append(scanned_page(page, number))
            yield PageRead(number, count)
    writer, blocks = BlockWriter(), paragraphs_of([page.lines for page in pages])
    if data.has_words or blocks:
        write_photo_data(data, writer)
    for block in blocks:
        writer.add(block.kind, block.text, Whereabouts(f"page {block.page}") if count > 1 else NOWHERE)
    confidences = [(number if count > 1 else WHOLE_FILE, page.confidence) for number, page in enumerate(pages, start=1)]
    notices = tuple(poor_pages(confidences))
    yield ExtractedDocument(writer.title, tuple(writer.blocks), notices=notices, day=iso_day(data.taken))


EXTRACTOR = Extractor(_read)
