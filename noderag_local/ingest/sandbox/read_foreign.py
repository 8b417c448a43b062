"""Reads a file of a format other than text into documents, inside the reading process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from noderag_local.ingest.chunks.drafts import drafted
from noderag_local.ingest.chunks.parsed_document import Draft, Omission
from noderag_local.ingest.formats.extract import Extractor, writable

PARTLY_READ = "partly read"
NOTICES_TOLD = 5
"""Most notices of a document that are reported; a scanned book has one a page."""


def read_format(extractor: Extractor, file: BinaryIO, name: str) -> Iterator[Draft | Omission]:
    """Yields the documents of a file, and what could not be read of them.

    Args:
        file: open for reading bytes and seekable.
        name: of the file, without its folder.

    Raises:
        DocumentError: it cannot be read.
    """
    record = 0
    for document in map(writable, extractor.read(file, name)):
        if document.notices:
            yield Omission(PARTLY_READ, _told(document.notices))
        draft = drafted(name, record, document)
        if draft is not None:
            yield draft
            record += 1


def _told(notices: tuple[str, ...]) -> str:
    more = f"; and {len(notices) - NOTICES_TOLD} more" if len(notices) > NOTICES_TOLD else ""
    return f"was not read in full: {'; '.join(notices[:NOTICES_TOLD])}{more}."
