"""A file whose documents are on their way into the store."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from noderag_local.domain.documents import Skipped, SourceFile
from noderag_local.ingest.sync.file_changes import ReadMode
from noderag_local.ingest.sync.record_diff import RecordDiff

COARSE_NS = 2_000_000_000
"""Smallest difference between two times of change that a USB stick can store; other drives store whole seconds."""


@dataclass(slots=True)
class FileReading:
    """Progress of a run with one file."""

    file: SourceFile
    way: ReadMode
    kept: RecordDiff
    """Stored records of the file, and what becomes of them."""
    is_again: bool = False
    """Whether the file is read although it has not changed: for example because an older version of its reader read it."""
    since_ns: int = field(default_factory=time.time_ns)
    """Time at which reading began."""
    notes: list[Skipped] = field(default_factory=list)
    """Parts of the file that could not be read, or not in full."""
    broken: bool = False
    is_hopeless: bool = False
    """Whether reading failed and will fail again as long as the file stays as it is."""
    has_uncut: bool = False
    """Whether one of its documents could not be cut into chunks; the others are written."""
    ended: bool = False

    @property
    def modified_ns(self) -> int:
        """Time of change to note: one that the file does not have where it may change once more at the same time, so that it
        is looked at again."""
        modified = self.file.modified_ns
        is_whole = modified % 1_000_000_000 == 0
        # Not of a time far ahead, as a stick has it that tells the time of another zone: it would be read at every run.
        return modified + 1 if is_whole and abs(self.since_ns - modified) < COARSE_NS else modified
