"""Brings the store up to date with the files: reads new and changed ones, removes deleted ones, leaves the rest.

A file is recognised by its size and time of change first, its documents by the hash of their bytes: a JSON Lines file
that grew by a line costs one document.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from noderag_local.domain.documents import Skipped, SourceFile
from noderag_local.ingest.chunks.packing import Counters
from noderag_local.ingest.chunks.parsed_document import Draft, PageRead
from noderag_local.ingest.reading_version import is_outdated
from noderag_local.ingest.sandbox.worker_process import WorkerProcess
from noderag_local.ingest.scan.scan import Scan
from noderag_local.ingest.sync.file_changes import ReadMode, is_as_known, missing, read_mode_of
from noderag_local.ingest.sync.file_writes import FileReading, FileWrites
from noderag_local.ingest.sync.forgetting import without_forgotten
from noderag_local.ingest.sync.missing_roots import note_drives, really_gone, told_emptied
from noderag_local.ingest.sync.moves import Moves
from noderag_local.ingest.sync.quoted_files import QuotedFiles
from noderag_local.ingest.sync.read_files import Wanted, read_many
from noderag_local.ingest.sync.record_diff import RecordDiff
from noderag_local.ingest.sync.skipped_files import SkippedFiles
from noderag_local.ingest.sync.tally import Tally
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows, KnownFile
from noderag_local.storage.documents.moved import MovedRows
from noderag_local.storage.forgetting.forgotten import ForgottenRows
from noderag_local.system.batches.executor import Executor


class Sync:
    """One run over the files of a scan."""

    def __init__(
        self,
        store: Store,
        counters: Counters,
        by_lines: bool,
        roots: Sequence[Path],
        process: WorkerProcess,
        *,
        again: bool = False,
        keep_old: bool = False,
        executor: Executor | None = None,
    ) -> None:
        """Prepares a run; it reads no file yet.

        Args:
            store: store of the vault, open for writing.
            counters: count the tokens of documents.
            by_lines: whether each line of a text below the roots is a document.
            roots: paths that the user named for this run.
            process: reads the files.
            again: whether to read files that have not changed.
            keep_old: whether to leave unchanged files as an older version of their reader read them.
            executor: reads new files in other processes; None lets `process` read all.
        """
        self._store = store
        self._files = FileRows(store)
        self._moved = MovedRows(store)
        self._by_lines = by_lines
        self._again = again
        self._keep_old = keep_old
        self._roots = [os.path.abspath(os.path.expanduser(root)) for root in roots]
        self._known = self._files.known(self._roots)
        self._skipped = SkippedFiles(self._files, self._roots)
        self._process = process
        self._executor = executor
        self._readings: dict[str, FileReading] = {}
        """Files that are about to be read, by path."""
        self._quoted = QuotedFiles(store)
        self.tally = Tally()
        self._writes = FileWrites(store, counters, self._known, self._skipped, self.tally)

    def run(self, scan: Scan, advanced: Callable[[int, int], None], cancelled: Callable[[], bool]) -> None:
        """Reads new and changed files and removes deleted ones; `tally` has the counts.

        Args:
            scan: scan of the roots.
            advanced: told after each file the number of files that are done, and the number of all.
            cancelled: asked before each file and each batch whether to stop.
        """
        scan = self._without_forgotten(scan)
        self.tally.skipped += scan.skipped
        with self._process:
            note_drives(self._store, scan, self._roots)
            scan = self._move(scan, cancelled)
            if not self.tally.stopped:
                self._remove_missing(scan)
            self._read_all(scan.files, advanced, cancelled)
        self._writes.write()
        self._quoted.after_reading(self._writes.new)
        advanced(len(scan.files), len(scan.files))
        self._skipped.finish(self.tally.skipped, self._known)

    def _read_all(
        self, files: Sequence[SourceFile], advanced: Callable[[int, int], None], cancelled: Callable[[], bool]
    ) -> None:
        all_wanted = self._wanted(files, advanced, cancelled)
        with closing(read_many(all_wanted, self._process, self._executor, lambda: self._stopped(cancelled))) as read:
            for wanted, found in read:
                if not self._stopped(cancelled):
                    self._read(self._readings.pop(wanted.file.path), found, cancelled)
                if self.tally.stopped:
                    return

    def _wanted(
        self, files: Sequence[SourceFile], advanced: Callable[[int, int], None], cancelled: Callable[[], bool]
    ) -> Iterator[Wanted]:
        """Yields the files that must be read."""
        for done, file in enumerate(files):
            advanced(done - len(self._readings), len(files))
            if self._stopped(cancelled):
                return
            if self._is_unchanged(file):
                self.tally.unchanged += 1
                # What earlier runs could not read of it still cannot be read.
                self.tally.skipped += self._skipped.before(file)
                continue
            mode, known = self._mode(file), self._known.get(file.path)
            is_again = known is not None and is_as_known(known, file, mode.by_lines) and self._is_due_again(known)
            reading = FileReading(file, mode, self._comparable(known, mode), is_again)
            self._readings[file.path] = reading
            yield Wanted(file, mode.by_lines, known=reading.kept, is_new=known is None)

    def _without_forgotten(self, scan: Scan) -> Scan:
        """Leaves out forgotten files; a file that the user names is no longer forgotten, in this and all later runs."""
        rows = ForgottenRows(self._store)
        rows.take_back(self._roots)
        return without_forgotten(scan, rows.paths(), self._roots, self._known)

    def _stopped(self, cancelled: Callable[[], bool]) -> bool:
        self.tally.stopped = self.tally.stopped or cancelled()
        return self.tally.stopped

    def _is_unchanged(self, file: SourceFile) -> bool:
        """Returns whether the store is up to date with a file; an unreadable file is tried again if the user names it."""
        known = self._known.get(file.path)
        if file.path in self._roots and any(skip.is_error for skip in self._skipped.before(file)):
            return False
        is_known = is_as_known(known, file, self._mode(file).by_lines)
        return is_known and known is not None and not self._is_due_again(known)

    def _is_due_again(self, known: KnownFile) -> bool:
        """Returns whether an unchanged file must be read again in this run."""
        return self._again or (is_outdated(known) and not self._keep_old)

    def _mode(self, file: SourceFile) -> ReadMode:
        return read_mode_of(file, self._known.get(file.path), self._roots, self._by_lines)

    def _read(
        self, reading: FileReading, drafts: Iterator[Draft | Skipped | PageRead], cancelled: Callable[[], bool]
    ) -> None:
        known, kept = self._known.get(reading.file.path), reading.kept
        if reading.is_again:
            self.tally.read_again += 1
        else:
            self.tally.changed += known is not None and known.complete
        for found in drafts:
            if isinstance(found, Skipped):
                self.tally.skipped.append(reading.note(found, self._skipped.before(reading.file)))
                continue
            if isinstance(found, PageRead):
                continue
            first = found.sentences[0].sentence.passage
            if kept.claims.claim_same(found.record, found.content_hash, found.encoding, first):
                continue
            self._writes.add(reading, found)
            # A changed stretch is written as a whole: what stands behind it moves with it.
            if self._writes.is_full and not kept.has_ends:
                self._writes.write()
                if self._stopped(cancelled):
                    return
        self._writes.end(reading)

    def _comparable(self, known: KnownFile | None, mode: ReadMode) -> RecordDiff:
        """Returns the stored records of a file that may be kept: none if the file was read in another way."""
        if known is None or known.by_lines != mode.by_lines:
            return RecordDiff(self._moved, None)
        return RecordDiff(self._moved, known.id, known.complete, self._again or is_outdated(known))

    def _move(self, scan: Scan, cancelled: Callable[[], bool]) -> Scan:
        """Moves files that only changed their place, with all that was made of them; returns the scan of the others."""
        gone = [
            known
            for known in missing(self._known.values(), scan, self._roots)
            if known.complete and known.by_lines == self._by_lines
        ]
        moves = Moves(self._moved, gone, self._by_lines, self._process)
        moved: dict[str, tuple[KnownFile, SourceFile]] = {}
        for file in scan.files if gone else ():
            if self._stopped(cancelled):
                break
            if file.path not in self._known and (before := moves.before(file)) is not None:
                moved[file.path] = before, file
        with self._store.transaction():
            for before, file in moved.values():
                self._moved.move_file(before.id, file, file.root)
                del self._known[before.path]
        self.tally.moved += len(moved)
        self.tally.skipped += moves.notices
        return replace(scan, files=tuple(file for file in scan.files if file.path not in moved))

    def _remove_missing(self, scan: Scan) -> None:
        gone, folders = really_gone(self._store, missing(self._known.values(), scan, self._roots), scan, self._roots)
        self.tally.skipped += map(told_emptied, folders)
        if gone:
            self._quoted.before_removal(gone)
            with self._store.transaction():
                self.tally.removed += self._files.remove([known.id for known in gone])
        for known in gone:
            del self._known[known.path]
