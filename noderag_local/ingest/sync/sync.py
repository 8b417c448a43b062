"""Brings the store up to date with the files: reads new and changed ones, removes deleted ones, leaves the rest.

A file is known by size and time of change first, its documents by the hash of their bytes: a JSON Lines file that
grew by a line costs one document. Documents of many small files are written in one transaction, since a transaction
costs a write to the disk that is waited for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from noderag_local.domain.documents import Skipped, SourceFile
from noderag_local.ingest.chunks.packing import Counters, Cut, cut
from noderag_local.ingest.chunks.parsed_document import Draft
from noderag_local.ingest.reading_version import is_outdated, reading_version
from noderag_local.ingest.sandbox.worker_process import WorkerProcess
from noderag_local.ingest.scan.scan import Scan
from noderag_local.ingest.sync.file_changes import ReadMode, is_as_known, missing, root_of, way_of
from noderag_local.ingest.sync.file_reading import FileReading
from noderag_local.ingest.sync.forgetting import without_forgotten
from noderag_local.ingest.sync.missing_roots import note_drives, really_gone, told_emptied
from noderag_local.ingest.sync.moves import Moves
from noderag_local.ingest.sync.quoted_files import QuotedFiles
from noderag_local.ingest.sync.read_files import HOPELESS, Wanted, read_many
from noderag_local.ingest.sync.record_diff import RecordDiff
from noderag_local.ingest.sync.skipped_files import SkippedFiles
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.document_rows import DocumentRows
from noderag_local.storage.documents.file_rows import FileRows, KnownFile
from noderag_local.storage.documents.moved import MovedRows
from noderag_local.storage.forgetting.forgotten import ForgottenRows

BATCH_CHARACTERS = 1 << 20


@dataclass(slots=True)
class Tally:
    """Counts of what the run has done so far."""

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
    ) -> None:
        """Prepares a run; it reads no file yet.

        Args:
            by_lines: how the roots are to be read.
            roots: that the user named for this run.
            process: reads the files.
            again: files are read though they have not changed.
            keep_old: files that an older version of their reader has read are left as they are, unless they have changed.
        """
        self._store = store
        self._files = FileRows(store)
        self._documents = DocumentRows(store)
        self._moved = MovedRows(store)
        self._counters = counters
        self._by_lines = by_lines
        self._again = again
        self._keep_old = keep_old
        self._roots = [os.path.abspath(os.path.expanduser(root)) for root in roots]
        self._known = self._files.known()
        self._left_out = SkippedFiles(self._files, self._roots)
        self._process = process
        self._readings: dict[str, FileReading] = {}
        """Files that are about to be read, by path."""
        self._quoted = QuotedFiles(store)
        self._new: dict[int, str] = {}
        self._batch: list[tuple[FileReading, Draft]] = []
        self._waiting: list[FileReading] = []
        self._characters = 0
        self.tally = Tally()

    def run(self, scan: Scan, advanced: Callable[[int, int], None], cancelled: Callable[[], bool]) -> None:
        """Reads new and changed files and removes deleted ones; `tally` has the counts.

        Args:
            advanced: told after each file how many are done, and of how many.
            cancelled: asked before each file and each batch.
        """
        scan = self._without_forgotten(scan)
        self.tally.skipped += scan.skipped
        with self._process:
            note_drives(self._store, scan, self._roots, self._known)
            scan = self._move(scan, cancelled)
            if not self.tally.stopped:
                self._remove_missing(scan)
            self._read_all(scan.files, advanced, cancelled)
        self._write()
        self._quoted.after_reading(self._new)
        advanced(len(scan.files), len(scan.files))
        self._left_out.finish(self.tally.skipped, self._known)

    def _read_all(
        self, files: Sequence[SourceFile], advanced: Callable[[int, int], None], cancelled: Callable[[], bool]
    ) -> None:
        with closing(read_many(self._wanted(files, advanced, cancelled), self._process)) as read:
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
            advanced(done, len(files))
            if self._stopped(cancelled):
                return
            if self._is_unchanged(file):
                self.tally.unchanged += 1
                # What could not be read of it is as true as it was.
                self.tally.skipped += self._left_out.before(file)
                continue
            way, known = self._way(file), self._known.get(file.path)
            is_again = known is not None and is_as_known(known, file, way.by_lines) and self._is_due_again(known)
            reading = FileReading(file, way, self._comparable(known, way), is_again)
            self._readings[file.path] = reading
            yield Wanted(file, way.by_lines, known=reading.kept)

    def _without_forgotten(self, scan: Scan) -> Scan:
        """Leaves out forgotten files; a file that the user names is no longer forgotten, in this and all later runs."""
        rows = ForgottenRows(self._store)
        rows.take_back(self._roots)
        return without_forgotten(scan, rows.paths(), self._roots, self._known)

    def _stopped(self, cancelled: Callable[[], bool]) -> bool:
        self.tally.stopped = self.tally.stopped or cancelled()
        return self.tally.stopped

    def _is_unchanged(self, file: SourceFile) -> bool:
        """Whether the store has all that a file says; one that could not be read is tried again where it is named itself."""
        known = self._known.get(file.path)
        if file.path in self._roots and any(skip.is_error for skip in self._left_out.before(file)):
            return False
        is_known = is_as_known(known, file, self._way(file).by_lines)
        return is_known and known is not None and not self._is_due_again(known)

    def _is_due_again(self, known: KnownFile) -> bool:
        """Whether a file is read in this run though it has not changed."""
        return self._again or (is_outdated(known) and not self._keep_old)

    def _way(self, file: SourceFile) -> ReadMode:
        return way_of(file.path, self._known.get(file.path), self._roots, self._by_lines)

    def _read(self, reading: FileReading, drafts: Iterator[Draft | Skipped], cancelled: Callable[[], bool]) -> None:
        known, kept = self._known.get(reading.file.path), reading.kept
        if reading.is_again:
            self.tally.read_again += 1
        else:
            self.tally.changed += known is not None and known.complete
        for found in drafts:
            if isinstance(found, Skipped):
                reading.notes.append(found)
                self.tally.skipped.append(found)
                reading.broken = reading.broken or (found.is_error and not _is_of_a_record(found))
                reading.is_hopeless = reading.is_hopeless or found.reason in HOPELESS
                continue
            first = found.sentences[0].sentence.passage
            if kept.claims.claim_same(found.record, found.content_hash, found.encoding, first):
                continue
            self._batch.append((reading, found))
            self._characters += found.characters
            # A changed stretch is written as a whole: what stands behind it moves with it.
            if self._characters >= BATCH_CHARACTERS and not kept.has_ends:
                self._write()
                if self._stopped(cancelled):
                    return
        reading.ended = True
        self._waiting.append(reading)

    def _comparable(self, known: KnownFile | None, way: ReadMode) -> RecordDiff:
        """Returns the stored records of a file that may be kept: none if the file was read in another way."""
        if known is None or known.by_lines != way.by_lines:
            return RecordDiff(self._moved, None)
        return RecordDiff(self._moved, known.id, known.complete, self._again or is_outdated(known))

    def _write(self) -> None:
        """Writes everything read so far in one transaction."""
        made = cut([draft for _, draft in self._batch], self._counters)
        by_file: dict[int, tuple[FileReading, list[Cut]]] = {}
        for (reading, _), one in zip(self._batch, made, strict=True):
            of_file = by_file.setdefault(id(reading), (reading, []))[1]
            if isinstance(one, Skipped):
                reading.has_uncut = True
                reading.notes.append(one)
                self.tally.skipped.append(one)
            else:
                of_file.append(one)
        for reading in self._waiting:
            by_file.setdefault(id(reading), (reading, []))
        with self._store.transaction():
            for reading, of_file in by_file.values():
                self._write_file(reading, of_file)
        self._batch, self._waiting, self._characters = [], [], 0

    def _write_file(self, reading: FileReading, made: list[Cut]) -> None:
        file = reading.file
        if reading.ended:
            self._left_out.note(file, reading.notes)
        if reading.broken and reading.ended:
            self._write_broken(reading)
            return
        known = self._known.get(file.path)
        if known is not None and known.by_lines != reading.way.by_lines:
            self.tally.removed += self._files.remove([known.id])
            del self._known[file.path]
        file_id = self._begun(reading)
        if reading.ended:
            self._make_room(reading.kept, file_id)
        self._moved.make_room(reading.kept.claims.stored_as(one.document.record for one in made))
        tokens = [count for one in made for count in one.tokens]
        self._documents.add(file_id, [one.document for one in made], tokens)
        self.tally.added += len(made)
        if reading.ended:
            self._finish(reading, file_id)

    def _write_broken(self, reading: FileReading) -> None:
        """One that vanished or changed under our hands leaves nothing half-read behind; the next run takes it whole."""
        file, known = reading.file, self._known.get(reading.file.path)
        self.tally.removed += self._files.remove_unfinished(file.path)
        if reading.is_hopeless and (known is None or known.by_lines == reading.way.by_lines):
            self._files.finish(self._begun(reading), file.size_bytes, file.modified_ns, self._version(reading))

    def _version(self, reading: FileReading) -> str:
        return reading_version(reading.file.path, reading.way.by_lines)

    def _begun(self, reading: FileReading) -> int:
        way = reading.way
        file_id = self._files.begin(reading.file, way.root, way.by_lines, self._version(reading))
        if reading.file.path not in self._known:
            self._new[file_id] = reading.file.path
        return file_id

    def _make_room(self, kept: RecordDiff, file_id: int) -> None:
        self._remove(kept.claims.gone())
        if kept.tail:
            self._moved.lift(file_id, kept.tail)

    def _finish(self, reading: FileReading, file_id: int) -> None:
        claims, tail = reading.kept.claims, reading.kept.tail
        shifts, reordered = claims.shifts(), claims.in_another_order()
        self._moved.shift(shifts)
        self._moved.reorder(reordered)
        self.tally.shifted += len(shifts) + len(reordered)
        if tail:
            self._moved.settle(file_id, tail)
            self.tally.shifted += tail.count
        if not reading.has_uncut:
            # Unfinished, a file is read again by the next run.
            self._files.finish(file_id, reading.file.size_bytes, reading.modified_ns, self._version(reading))

    def _remove(self, document_ids: list[int]) -> None:
        if document_ids:
            self._documents.remove(document_ids)
            self.tally.removed += len(document_ids)

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
                self._moved.move_file(before.id, file, root_of(file.path, self._roots))
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


def _is_of_a_record(skipped: Skipped) -> bool:
    """Whether one record is broken and the rest of its file is fine."""
    return skipped.reason.startswith(("damaged record", "record "))
