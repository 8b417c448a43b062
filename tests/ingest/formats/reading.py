"""What a reader makes of a file."""

from __future__ import annotations

import importlib
import io

from noderag_local.ingest.formats.extract import ExtractedDocument


def documents(module: str, data: str | bytes, name: str) -> list[ExtractedDocument]:
    """The documents of a file of this content, by the reader of this name."""
    reader = importlib.import_module(f"noderag_local.ingest.formats.{module}")
    content = data.encode() if isinstance(data, str) else data
    return list(reader.EXTRACTOR.read(io.BytesIO(content), name))


def document(module: str, data: str | bytes, name: str) -> ExtractedDocument:
    """The one document of a file."""
    (found,) = documents(module, data, name)
    return found


def texts(found: ExtractedDocument) -> list[str]:
    return [block.text for block in found.blocks]


def lines(found: ExtractedDocument) -> list[tuple[int, int]]:
    return [(block.first_line, block.last_line) for block in found.blocks]
