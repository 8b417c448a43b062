"""How much a file may take to be read, which a decompression bomb or an endless loop would go over."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one file; what goes over one costs this file alone."""

    memory_bytes: int = 512 << 20
    """Beside what the process has before it, and beside the file itself."""
    document_seconds: int = 120
    """Of a document, from the one before it on: as long as a reader may be silent, and may compute."""
    file_seconds: int = 600
    """Waited for all documents of a file together."""
    output_bytes: int = 64 << 20
    """Of all documents of a file together, as they are handed over."""


DEFAULT_LIMITS = Limits()
