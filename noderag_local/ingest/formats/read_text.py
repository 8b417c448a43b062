"""A file of text to documents; works in the reading process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from noderag_local.ingest.chunks.encodings import Encoding
from noderag_local.ingest.chunks.file_parts import Stretch, part_of, parts
from noderag_local.ingest.chunks.parsed_document import Draft, Omission
from noderag_local.ingest.formats.text.text_reader import Keep, TextReader


def read_text(
    reader: TextReader, file: BinaryIO, name: str, *, part_bytes: int, stretch: Stretch | None, keep: Keep
) -> Iterator[Draft | Omission]:
    """The documents of a file that are not kept, and the records that are none.

    Args:
        file: open for reading bytes and seekable.
        name: of the file, with that of its folder.
        part_bytes: read in parts of about this size; 0: what suits the format.
        stretch: the only lines to read, of a file in UTF-8; None: all.
        keep: asked for each record of a format that has one a line.

    Raises:
        DocumentError: it is no text.
    """
    if stretch is None:
        encoding = reader.detect(file)
        return reader.read(name, encoding.name, parts(file, encoding, part_bytes or reader.part_bytes), keep, 0)
    encoding = Encoding("utf-8")
    return reader.read(name, encoding.name, iter((part_of(file, encoding, stretch),)), keep, stretch.record)
