"""Reads databases that Notion exports as tables; the title is the name of the database without its identifier."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO

from noderag_local.ingest.chunks.parsed_document import PageRead
from noderag_local.ingest.formats.exports.notion_names import page_name
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.office import document_tables


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument | PageRead]:
    for found in document_tables.EXTRACTOR.read(file, name):
        yield replace(found, title=page_name(name)) if isinstance(found, ExtractedDocument) else found


EXTRACTOR = Extractor(_read)
