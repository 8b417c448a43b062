"""Reads the text in pictures, which is slow, after all other files: those that a run has noted as not read yet.

What a slow reader gives of a file takes the place of what the quick reader gave. A file that is left in the middle stays as
it was, and is read by a later run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial

from noderag_local.domain.documents import Skipped, SourceFile
from noderag_local.ingest.chunks.packing import Counters
from noderag_local.ingest.chunks.parsed_document import Draft, PageRead
from noderag_local.ingest.chunks.scan_notes import unread_pages
from noderag_local.ingest.sandbox.worker_process import WorkerProcess
from noderag_local.ingest.sync.file_changes import ReadMode
from noderag_local.ingest.sync.file_writes import FileReading, FileWrites
from noderag_local.ingest.sync.read_files import Wanted, read_many
from noderag_local.ingest.sync.record_diff import RecordDiff
from noderag_local.ingest.sync.skipped_files import SkippedFiles
from noderag_local.ingest.sync.tally import Tally
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows, KnownFile
from noderag_local.storage.documents.moved import MovedRows

READY_SECONDS = 300.0
"""Seconds for which files are read before what was found in them is made ready for questions."""


@dataclass(frozen=True, slots=True)
class UnreadScan:
    """A file with pictures whose text is not read yet."""

    file: SourceFile
    known: KnownFile
    notes: tuple[Skipped, ...]
    """Notes of the run that left them unread."""

    @property
    def pages(self) -> int:
        """Number of its pages that are pictures."""
        return sum(map(unread_pages, self.notes))


def unread_scans_of(store: Store, files: Sequence[SourceFile]) -> list[UnreadScan]:
    """Returns which of some files have pictures whose text is not read yet, those with the fewest pages first."""
    rows = FileRows(store)
    notes: dict[str, tuple[Skipped, ...]] = {}
    for skip in rows.skipped():
        if unread_pages(skip):
            notes[skip.path] = (*notes.get(skip.path, ()), skip)
    known = rows.known() if notes else {}
    found = [
        UnreadScan(file, known[file.path], notes[file.path])
        for file in files
        if file.path in notes and file.path in known and known[file.path].complete
    ]
    return sorted(found, key=lambda one: (one.pages, one.file.path))


class ScanBacklog:
    """Files that the slow reader has to read in a run, and how far it is."""

    def __init__(self, left: Sequence[UnreadScan]) -> None:
        """Begins with all files unread."""
        self.left = list(left)
        self.done: list[UnreadScan] = []

    def read(self, reading: ScanReading, tell: Callable[[int, int], None], cancelled: Callable[[], bool]) -> None:
        """Reads files for READY_SECONDS, or until the user stops the run; see `ScanReading.run`.

        Args:
            reading: reads the files.
            tell: told after each page the number of pages that are read, and the number of all.
            cancelled: asked after each page whether to stop.
        """
        before = sum(scan.pages for scan in self.done)
        total = before + sum(scan.pages for scan in self.left)
        tell(before, total)
        count = reading.run(self.left, lambda pages: tell(before + pages, total), cancelled, READY_SECONDS)
        self.done, self.left = [*self.done, *self.left[:count]], self.left[count:]


class ScanReading:
    """Reads files slowly, and writes what was read of them into the store."""

    def __init__(self, store: Store, counters: Counters, roots: Sequence[str], process: WorkerProcess) -> None:
        """Prepares a run; it reads no file yet.

        Args:
            store: store of the vault, open for writing.
            counters: count the tokens of documents.
            roots: absolute paths that the user named for this run.
            process: reads the files; it is not closed.
        """
        self._moved = MovedRows(store)
        self._process = process
        self.tally = Tally()
        self._skipped = SkippedFiles(FileRows(store), roots)
        self._writes = FileWrites(store, counters, FileRows(store).known(), self._skipped, self.tally)

    def run(
        self,
        scans: Sequence[UnreadScan],
        advanced: Callable[[int], None],
        cancelled: Callable[[], bool],
        seconds: float,
    ) -> int:
        """Reads files until some time has passed; returns how many were read. `tally` has the counts.

        Args:
            scans: files to read, in this order.
            advanced: told after each page the number of pages that are read by this call.
            cancelled: asked after each page whether to stop.
            seconds: time after which no further file is begun.
        """
        begun, pages = time.monotonic(), 0
        for number, scan in enumerate(scans):
            if number and time.monotonic() - begun > seconds:
                return number
            self._read(scan, partial(_told_after, advanced, pages), cancelled)
            if self.tally.stopped:
                return number
            pages += scan.pages
            advanced(pages)
        return len(scans)

    def _read(self, scan: UnreadScan, advanced: Callable[[int], None], cancelled: Callable[[], bool]) -> None:
        kept = RecordDiff(self._moved, scan.known.id, scan.known.complete, True)
        mode = ReadMode(scan.known.by_lines, scan.known.root)
        reading = FileReading(scan.file, mode, kept, is_scan=True, is_again=True)
        with closing(read_many((Wanted(scan.file, is_scan=True),), self._process)) as read:
            for _, found in read:
                if not self._take(reading, found, advanced, cancelled):
                    return
        if reading.broken and not reading.is_hopeless:
            reading.notes += scan.notes
        self.tally.skipped += reading.notes
        self._writes.end(reading)
        self._writes.write()

    def _take(
        self,
        reading: FileReading,
        found: Iterator[Draft | Skipped | PageRead],
        advanced: Callable[[int], None],
        cancelled: Callable[[], bool],
    ) -> bool:
        """Takes what is read of a file; returns whether it was read to its end."""
        drafts = []
        for one in found:
            self.tally.stopped = self.tally.stopped or cancelled()
            if self.tally.stopped:
                return False
            if isinstance(one, PageRead):
                advanced(one.page)
            elif isinstance(one, Skipped):
                reading.note(one, self._skipped.before(reading.file))
            else:
                drafts.append(one)
        for draft in drafts:
            first = draft.sentences[0].sentence.passage
            if not reading.kept.claims.claim_same(draft.record, draft.content_hash, draft.encoding, first):
                self._writes.add(reading, draft)
        return True


def _told_after(advanced: Callable[[int], None], before: int, pages: int) -> None:
    advanced(before + pages)
