"""Notes that a picture is there; `scanned_picture` reads the text in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from noderag_local.ingest.chunks.scan_notes import WHOLE_FILE
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.scans.opened_picture import opened_picture, pages_of


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    with opened_picture(file) as picture:
        count = pages_of(picture)
    yield ExtractedDocument("", (), scanned_pages=tuple(range(1, count + 1)) if count > 1 else (WHOLE_FILE,))


EXTRACTOR = Extractor(_read)
