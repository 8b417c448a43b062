"""Reads OpenDocument texts (.odt): headings by outline level, lists, tables as statements, footnotes, text frames."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from noderag_local.domain.documents import BlockKind
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.office.opendocument import OFFICE, TextWalk, opened_archive, title_of


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    archive = opened_archive(file)
    content = archive.xml("content.xml")
    body = content.find(f"{OFFICE}body/{OFFICE}text")
    if body is None:
        raise DocumentError("it is damaged, or no OpenDocument text: it has no text body")
    walk = TextWalk(content, title_of(archive))
    walk.container(body, BlockKind.PARAGRAPH, 0)
    yield ExtractedDocument(walk.writer.title, tuple(walk.writer.blocks))


EXTRACTOR = Extractor(_read)
