"""What the reading process and its parent say to each other.

The process says first which walls stand around it (`walls.standing`).

The parent sends a batch of requests, a line of JSON with the files, or their beginnings, behind it. The process answers by
messages, each a line: a kind, a space, a value of JSON. Two kinds are questions, for another stretch of the file and for the records that the vault
has; the parent answers them. All others hand over what was read. Nothing is pickled, and the parent takes nothing for
granted: what reads a hostile file may have become hostile itself.
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
    """What a message of the reading process is."""

    DRAFTS = "drafts"
    """Documents, or stretches of a long one; value: a list of `handed_over.WireDraft`."""
    KEPT = "kept"
    """Records that the vault has already; value: a list of `handed_over.WireRecord`."""
    OMITTED = "omitted"
    """What was left out; value: a list of `handed_over.WireOmission`."""
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
    """How much of its beginning comes with the request."""
    memory_bytes: int
    """Memory that may be taken beside that."""
    seconds: int
    """Seconds that may be computed for a document."""
    part_bytes: int = 0
    """About the size of the parts that a text is read in; 0: what suits its format."""
    stretch: Stretch | None = None
    """The only lines to read of a text; None: all."""


def batch_line(requests: Sequence[ReadRequest]) -> bytes:
    """The line before the bytes of some files, which follow one after the other."""
    # File names may hold lone surrogates, which ASCII alone can carry.
    return json.dumps([asdict(request) for request in requests]).encode("ascii") + b"\n"


def requests_of(line: bytes) -> list[ReadRequest]:
    """The requests that `batch_line` was given."""
    return [_request(fields) for fields in json.loads(line)]


def message(kind: Kind, value: object = None) -> bytes:
    """A message with a value of JSON."""
    text = _LONE_SURROGATE.sub("\ufffd", json.dumps(value, ensure_ascii=False))
    return f"{kind} {text}\n".encode()


def _request(fields: dict[str, Any]) -> ReadRequest:
    stretch = fields.pop("stretch")
    return ReadRequest(**fields, stretch=Stretch(**stretch) if stretch else None)
