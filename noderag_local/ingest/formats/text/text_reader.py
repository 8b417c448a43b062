"""Protocol between the readers of text formats and the process that runs them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from noderag_local.domain.documents import Passage
from noderag_local.ingest.chunks.encodings import Encoding, byte_order_mark, detect, refuse_binary
from noderag_local.ingest.chunks.file_parts import BLOCK_BYTES, PART_BYTES, Part, blocks_of
from noderag_local.ingest.chunks.parsed_document import Draft, Omission

Found = Iterator[Draft | Omission]

Keep = Callable[[int, str, str, Passage], bool]
"""(number of a record, its content hash, the encoding, where its first sentence stands) → whether it is known and need not be cut."""


@dataclass(frozen=True, slots=True)
class TextReader:
    """Reader of a text format."""

    read: Callable[[str, str, Iterator[Part], Keep, int], Found]
    """(name, encoding name, parts of the file, what is kept, number of the first record) → its documents, and the
    records that are none. A format that makes each line a document passes over those that are kept; the other formats make no
    use of the last two arguments. The name is that of the file with its folder's, "journals/2024_05_01.md". It may raise
    DocumentError."""
    detect: Callable[[BinaryIO], Encoding]
    """Tells the encoding of an open file; raises DocumentError where it is no text."""
    part_bytes: int = PART_BYTES
    """Size of the parts that suits the format."""


def guessed_encoding(file: BinaryIO) -> Encoding:
    """Returns the encoding of a file whose format allows any; takes one pass over the file."""
    return detect(blocks_of(file))


def unicode_encoding(file: BinaryIO) -> Encoding:
    """Returns the encoding of a format that is UTF-8 by definition: that of its mark, or UTF-8 even if some lines are damaged."""
    head = file.read(BLOCK_BYTES)
    declared = byte_order_mark(head)
    if declared is None:
        refuse_binary(head)
    return declared or Encoding("utf-8")


def stem(path: str) -> str:
    """Returns the name of a file without folder and suffix."""
    return os.path.splitext(os.path.basename(path))[0]


def content_hash(data: bytes) -> str:
    """Returns the SHA-256 of some bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()
