"""What the reading process and its parent say to each other: requests one way, documents or the reason of none the other.

A request is a line of JSON and the bytes of the file after it. An answer is a line of JSON: a kind, a space, a value.
Nothing is pickled, and the parent takes nothing for granted: what reads a hostile file may have become hostile itself.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import StrEnum

from noderag_local.ingest.formats.extract import ExtractedBlock, ExtractedDocument

READY = b"ready\n"
"""Said once, by a process that has given up all that it can do without."""

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class Kind(StrEnum):
    """What an answer is."""

    DOCUMENT = "document"
    """value: the fields of an ExtractedDocument"""
    END = "end"
    """there are no more documents; value: null"""
    REFUSED = "refused"
    """the reader raised a DocumentError; value: its message"""
    STUMBLED = "stumbled"
    """the reader raised something else; value: the exception's name"""
    UNKNOWN = "unknown"
    """the reader cannot be loaded; value: why"""
    MEMORY = "memory"
    """there was not enough memory; the process ends after it; value: null"""


@dataclass(frozen=True, slots=True)
class Request:
    """A file to be read."""

    module: str
    """Full name of a module with an `EXTRACTOR`."""
    name: str
    """Of the file, without its folder."""
    size_bytes: int
    memory_bytes: int
    """That may be taken beside it."""
    seconds: int
    """That may be computed for a document."""


def request_line(request: Request) -> bytes:
    """The line before the file's bytes."""
    fields = {name: getattr(request, name) for name in Request.__slots__}
    # File names may hold lone surrogates, which ASCII alone can carry.
    return json.dumps(fields).encode("ascii") + b"\n"


def request_of(line: bytes) -> Request:
    """The request that `request_line` was given."""
    return Request(**json.loads(line))


def answer_line(kind: Kind, value: object = None) -> bytes:
    """An answer with a value of JSON."""
    text = _LONE_SURROGATE.sub("\ufffd", json.dumps(value, ensure_ascii=False))
    return f"{kind} {text}\n".encode()


def document_line(document: ExtractedDocument) -> bytes:
    """The answer that is a document."""
    fields = {
        "title": document.title,
        "blocks": [_block_fields(block) for block in document.blocks],
        "tags": document.tags,
        "aliases": document.aliases,
        "notices": document.notices,
    }
    return answer_line(Kind.DOCUMENT, fields)


def document_of(value: bytes) -> ExtractedDocument:
    """The document of an answer.

    Raises:
        ValueError: it is none, in any of its fields.
    """
    # Imported by the parent alone; the reading process starts sooner without.
    from pydantic import TypeAdapter

    return TypeAdapter(ExtractedDocument).validate_json(value, strict=True)


def _block_fields(block: ExtractedBlock) -> dict[str, object]:
    fields: dict[str, object] = {name: getattr(block, name) for name in ExtractedBlock.__slots__}
    fields["links"] = [{"target": link.target, "label": link.label} for link in block.links]
    return fields
