"""Defines the messages between the reading process and its parent.

The first message of the process says which walls stand around it (`walls.standing`).

The parent sends a batch of requests: a line of JSON, followed by the bytes of the files, or by their beginnings. The
process answers with messages, each a line: a kind, a space, a JSON value. Two kinds are questions that the parent answers:
one asks for another stretch of the file, one for the records that the vault has. All others hold what was read. Nothing is
pickled, and the parent trusts nothing, since a hostile file may have taken over the process that reads it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from noderag_local.ingest.chunks.file_parts import Stretch

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class Kind(StrEnum):
    """Kind of a message of the reading process."""

    DRAFTS = "drafts"
    """Documents, or stretches of a long one; value: a list of `handed_over.WireDraft`."""
    KEPT = "kept"
    """Records that the vault has already; value: a list of `handed_over.WireRecord`."""
    OMITTED = "omitted"
    """What was left out; value: a list of `handed_over.WireOmission`."""
    PAGE = "page"
    """A page of pictures was read by the slow reader; value: [number of pages read, number of all]."""
    BLOCK = "block"
    """The question for a stretch of the file; value: [offset, size] in bytes."""
    KNOWN = "known"
    """The question which records the vault has; value: [encoding, content hash of the first record of the file]."""
    END = "end"
    """There is no more; value: null."""
    REFUSED = "refused"
    """The reader raised a DocumentError; value: its message."""
    STUMBLED = "stumbled"
    """The reader raised something else; value: the exception's name."""
    UNKNOWN = "unknown"
    """The reader cannot be loaded; value: why."""
    MEMORY = "memory"
    """There was not enough memory; the process ends after it; value: null."""


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """A file to be read."""

    module: str
    """Full name of a module with an `EXTRACTOR` or a `READER`."""
    name: str
    """Name of the file, for a text with that of its folder: "journals/2024_05_01.md"."""
    size_bytes: int
    """Size of the file."""
    sent_bytes: int
    """Bytes of its beginning that come with the request."""
    memory_bytes: int
    """Bytes of memory that the reader may take in addition."""
    seconds: int
    """Seconds of computing that each document may take."""
    part_bytes: int = 0
    """Approximate size of the parts in which a text is read; 0 means the size that suits its format."""
    stretch: Stretch | None = None
    """The only lines of a text to read; None means all."""


def batch_line(requests: Sequence[ReadRequest]) -> bytes:
    """Returns the line that is sent before the bytes of some files."""
    # File names may hold lone surrogates, which ASCII alone can carry.
    return json.dumps([asdict(request) for request in requests]).encode("ascii") + b"\n"


def requests_of(line: bytes) -> list[ReadRequest]:
    """Returns the requests in a line that `batch_line` made."""
    return [_request(fields) for fields in json.loads(line)]


def message(kind: Kind, value: object = None) -> bytes:
    """Returns a message as a line.

    Args:
        kind: kind of the message.
        value: what JSON can write; lone surrogates become U+FFFD.
    """
    text = _LONE_SURROGATE.sub("\ufffd", json.dumps(value, ensure_ascii=False))
    return f"{kind} {text}\n".encode()


def _request(fields: dict[str, Any]) -> ReadRequest:
    stretch = fields.pop("stretch")
    return ReadRequest(**fields, stretch=Stretch(**stretch) if stretch else None)
