"""Writes the metadata of a picture as the paragraphs of a document."""

from __future__ import annotations

from noderag_local.domain.documents import BlockKind
from noderag_local.ingest.formats.block_writer import BlockWriter
from noderag_local.ingest.formats.scans.photo_record import PhotoData


def write_photo_data(data: PhotoData, writer: BlockWriter) -> None:
    """Writes the metadata of a picture: first the words about it, then when and where it was taken."""
    writer.title = data.title
    writer.add(BlockKind.PARAGRAPH, data.description)
    if data.people:
        writer.add(BlockKind.PARAGRAPH, f"People: {', '.join(data.people)}.")
    if data.keywords:
        writer.add(BlockKind.PARAGRAPH, f"Keywords: {', '.join(data.keywords)}.", tags=data.keywords)
    where = ", ".join(data.place_names)
    parts = [
        f"on {data.taken}" if data.taken else "",
        f"in {where}" if where else "",
        f"at {data.coordinates}" if data.coordinates else "",
        f"with {data.camera}" if data.camera else "",
    ]
    if any(parts):
        writer.add(BlockKind.PARAGRAPH, f"Photo taken {' '.join(filter(None, parts))}.")
