"""How much a file may take to be read, which a decompression bomb or an endless loop would go over."""

from __future__ import annotations

from dataclasses import dataclass, replace

TEXT_SECONDS = 1
TEXT_SECONDS_A_MEGABYTE = 10
"""Seconds of computing that a text file may take. Ordinary notes take 0.3 to 1.5 a megabyte on a slow laptop core."""
TEXT_OUTPUT_SHARE = 24
"""Bytes handed over for a byte of text at the most: "a. b. c." is a sentence with its places for every three."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one file; what goes over one costs this file alone."""

    memory_bytes: int = 512 << 20
    """Memory beside what the process has before it, and beside the file itself."""
    document_seconds: int = 120
    """Seconds for a document, from the end of the one before: as long as a reader may be silent, and may compute."""
    file_seconds: int = 600
    """Seconds to wait for all documents of a file together."""
    output_bytes: int = 96 << 20
    """Size of all documents of a file together, as they are handed over."""

    def of_text(self, size_bytes: int) -> Limits:
        """Limits of a text file of some size, which grow with it."""
        megabytes = size_bytes >> 20
        return replace(
            self,
            document_seconds=min(self.document_seconds, TEXT_SECONDS + TEXT_SECONDS_A_MEGABYTE * megabytes),
            file_seconds=self.file_seconds + TEXT_SECONDS_A_MEGABYTE * megabytes,
            output_bytes=self.output_bytes + TEXT_OUTPUT_SHARE * size_bytes,
        )


DEFAULT_LIMITS = Limits()
