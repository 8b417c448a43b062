"""Reads the words that somebody wrote about a picture, and reports that it may show text, which `scanned_picture` reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from noderag_local.ingest.chunks.scan_notes import WHOLE_FILE
from noderag_local.ingest.formats.block_writer import BlockWriter
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.scans.opened_picture import opened_picture, pages_of
from noderag_local.ingest.formats.scans.photo_data import photo_data
from noderag_local.ingest.formats.scans.photo_paragraphs import write_photo_data
from noderag_local.text.dates.told_day import iso_day


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    with opened_picture(file) as picture:
        count = pages_of(picture)
        data = photo_data(picture, name)
    writer = BlockWriter()
    if data.has_words:
        write_photo_data(data, writer)
    yield ExtractedDocument(
        writer.title,
        tuple(writer.blocks),
        scanned_pages=tuple(range(1, count + 1)) if count > 1 else (WHOLE_FILE,),
        day=iso_day(data.taken),
    )


EXTRACTOR = Extractor(_read)
