"""What a reader is."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from noderag_local.ingest.draft import Draft
from noderag_local.ingest.encodings import Encoding, byte_order_mark, detect, refuse_binary
from noderag_local.ingest.opened import BLOCK_BYTES, Opened
from noderag_local.ingest.parts import PART_BYTES, Part
from noderag_local.records import Passage, Skipped

Records = Iterator[Draft | Skipped]


Keep = Callable[[int, str, str, Passage], bool]
"""(number of a record, its content hash, the encoding, where its first sentence stands) → whether it is known and need not be cut."""


@dataclass(frozen=True, slots=True)
class Reader:
    """How a format becomes documents."""

    read: Callable[[str, str, Iterator[Part]], Records]
    """(path, encoding name, parts of the file) → its documents, damaged ones as Skipped. It may raise DocumentError."""
    detect: Callable[[Opened], Encoding]
    """The encoding of the file; raises DocumentError where it is no text."""
    part_bytes: int = PART_BYTES
    skim: Callable[[str, str, Iterator[Part], Keep, int], Records] | None = None
    """As `read`, for formats of a record a line: records that are kept are passed over, neither cut nor yielded. The last
    argument is the number of the first record."""


def keeps_none(record: int, content_hash: str, encoding: str, first: Passage) -> bool:
    """For a file that nothing is known of."""
    return False


def guessed_encoding(source: Opened) -> Encoding:
    """For formats that may have any encoding: one pass over the file."""
    return detect(source.blocks())


def unicode_encoding(source: Opened) -> Encoding:
    """For formats that are UTF-8 by definition: the mark decides, and damage stays in the lines that have it."""
    head = source.file.read(BLOCK_BYTES)
    declared = byte_order_mark(head)
    if declared is None:
        refuse_binary(head)
    return declared or Encoding("utf-8")


def stem(path: str) -> str:
    """Name of a file without folder and suffix."""
    return os.path.splitext(os.path.basename(path))[0]


def content_hash(data: bytes) -> str:
    """SHA-256, hexadecimal."""
    return hashlib.sha256(data).hexdigest()
