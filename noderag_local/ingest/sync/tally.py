"""Counts what a run of reading has done, and logs it."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Container
from dataclasses import dataclass, field

from noderag_local.domain.documents import Skipped
from noderag_local.ingest.chunks.parsed_document import PARTLY_READ, SCAN_UNREAD
from noderag_local.ingest.chunks.scan_notes import unread_pages
from noderag_local.ingest.formats.text.jsonl import DAMAGED, TEXTLESS
from noderag_local.ingest.scan.ignored import RULES_OVER_LIMIT
from noderag_local.ingest.scan.scan import (
    DEAD_LINK,
    GIT_IGNORED,
    LINK_LOOP,
    LINK_OUT,
    OTHER_KIND,
    SPECIAL,
    TWIN,
    UNREADABLE,
)
from noderag_local.ingest.scan.skipped_names import (
    HIDDEN,
    OFFICE_LOCK,
    OLD_VERSION,
    PACKAGES,
    PROGRAM_FILES,
    VERSION_CONTROL,
)
from noderag_local.ingest.sync.forgetting import FORGOTTEN
from noderag_local.ingest.sync.missing_roots import AWAY, EMPTIED
from noderag_local.ingest.sync.read_files import (
    EMPTY,
    NO_READER,
    NOT_AT_REST,
    NOT_READABLE,
    NOT_USABLE,
    READER_ENDED,
    TOO_SLOW,
    VANISHED,
)
from noderag_local.system.log.log_lines import Term

REASONS = frozenset(
    {
        *(HIDDEN, VERSION_CONTROL, GIT_IGNORED, OFFICE_LOCK, OLD_VERSION, OTHER_KIND),
        *(SPECIAL, LINK_LOOP, DEAD_LINK, LINK_OUT, PACKAGES, PROGRAM_FILES, TWIN, UNREADABLE),
        *(EMPTY, NOT_USABLE, NOT_READABLE, NOT_AT_REST, NO_READER, VANISHED, READER_ENDED, TOO_SLOW),
        *(EMPTIED, AWAY, RULES_OVER_LIMIT, FORGOTTEN, PARTLY_READ, SCAN_UNREAD, DAMAGED, TEXTLESS),
    }
)
"""Reasons that are written as they are. Others may come from a reading process that a file has taken over, or from another
person's archive."""
_OVER_LIMIT = re.compile(r"over [0-9.]+ MB")

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Tally:
    """Counts of what a run of reading has done so far."""

    added: int = 0
    changed: int = 0
    read_again: int = 0
    removed: int = 0
    unchanged: int = 0
    moved: int = 0
    shifted: int = 0
    """Number of documents that moved within their file with the same content."""
    skipped: list[Skipped] = field(default_factory=list)
    stopped: bool = False

    @property
    def touched(self) -> bool:
        """Whether the documents in the store have changed."""
        return bool(self.added or self.removed or self.moved or self.shifted)

    def take_scans(self, scanned: Tally, paths: Container[str]) -> None:
        """Adds what the slow reader has done.

        Args:
            scanned: its counts.
            paths: files that it has read, which are no longer noted as unread.
        """
        self.added += scanned.added
        self.removed += scanned.removed
        self.skipped = [skip for skip in self.skipped if not (skip.path in paths and unread_pages(skip))]
        self.skipped += scanned.skipped


def log_tally(tally: Tally) -> None:
    """Logs the counts of a run and why files were skipped."""
    _log.info(
        "%d documents added, %d removed, %d files changed, %d moved, %d unchanged",
        *(tally.added, tally.removed, tally.changed, tally.moved, tally.unchanged),
    )
    for (reason, is_error), number in Counter((_told(skip.reason), skip.is_error) for skip in tally.skipped).items():
        _log.log(logging.WARNING if is_error else logging.INFO, "left out: %d, %s", number, reason)
    for skip in tally.skipped:
        _log.debug("left out, %s: %s", _told(skip.reason), skip.told)


def _told(reason: str) -> Term:
    is_ours = reason in REASONS or _OVER_LIMIT.fullmatch(reason)
    return Term(reason if is_ours else "for another reason")
