"""What a reader makes of a file."""

from __future__ import annotations

import importlib
import io

from noderag_local.ingest.formats.extract import ExtractedDocument
from noderag_local.ingest.formats.registry import FORMATS


def documents(reader: str, data: str | bytes, name: str) -> list[ExtractedDocument]:
    """The documents of a file of this content, by the reader of this name."""
    known = next(known for known in FORMATS if known.name == reader)
    content = data.encode() if isinstance(data, str) else data
    return list(importlib.import_module(known.full_module).EXTRACTOR.read(io.BytesIO(content), name))


def document(reader: str, data: str | bytes, name: str) -> ExtractedDocument:
    """The one document of a file."""
    (found,) = documents(reader, data, name)
    return found


def texts(found: ExtractedDocument) -> list[str]:
    return [block.text for block in found.blocks]


def lines(found: ExtractedDocument) -> list[tuple[int, int]]:
    return [(block.first_line, block.last_line) for block in found.blocks]
