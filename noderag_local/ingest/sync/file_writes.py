"""Writes the documents and skipped parts of files that were read into the store.

Documents of many small files are written in one transaction, since a transaction waits for the disk.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from noderag_local.domain.documents import Skipped, SourceFile
from noderag_local.ingest.chunks.packing import Counters, Cut, cut
from noderag_local.ingest.chunks.parsed_document import Draft
from noderag_local.ingest.reading_version import reading_version
from noderag_local.ingest.sync.file_changes import ReadMode
from noderag_local.ingest.sync.read_files import is_hopeless, with_advice
from noderag_local.ingest.sync.record_diff import RecordDiff
from noderag_local.ingest.sync.skipped_files import SkippedFiles
from noderag_local.ingest.sync.tally import Tally
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.document_rows import DocumentRows
from noderag_local.storage.documents.file_rows import FileRows, KnownFile
from noderag_local.storage.documents.moved import MovedRows

BATCH_CHARACTERS = 1 << 20
"""Text of the documents that are written in one transaction, about."""
COARSE_NS = 2_000_000_000
"""Smallest difference between two times of change that a USB stick can store; other drives store whole seconds."""


@dataclass(slots=True)
class FileReading:
    """State of a file that is being read and written to the store."""

    file: SourceFile
    mode: ReadMode
    kept: RecordDiff
    """Stored records of the file, and which of them are kept."""
    is_again: bool = False
    """Whether the file is read although it has not changed: for example because an older version of its reader read it."""
    is_scan: bool = False
    """Whether the slow reader of its format reads it, with the text in its pictures."""
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

    def note(self, found: Skipped, before: Sequence[Skipped]) -> Skipped:
        """Notes a part of the file that could not be read; returns the note, with the advice that fits.

        Args:
            found: what was skipped.
            before: notes of the run before about the file.
        """
        noted = with_advice(found, before)
        self.notes.append(noted)
        self.broken = self.broken or (noted.is_error and not noted.is_of_a_record)
        self.is_hopeless = self.is_hopeless or is_hopeless(noted, before)
        return noted

    @property
    def modified_ns(self) -> int:
        """Time of change to store for the file.

        It is one that the file does not have if the file may change once more within the precision of its drive's clock; the
        next run then reads the file again.
        """
        modified = self.file.modified_ns
        is_whole = modified % 1_000_000_000 == 0
        # A stick that was written in another time zone has times far ahead: its files would be read at every run.
        return modified + 1 if is_whole and abs(self.since_ns - modified) < COARSE_NS else modified


class FileWrites:
    """Documents that were read and are not written yet."""

    def __init__(
        self, store: Store, counters: Counters, known: dict[str, KnownFile], skipped: SkippedFiles, tally: Tally
    ) -> None:
        """Prepares a run; nothing is written yet.

        Args:
            store: open for writing.
            counters: count the tokens of the documents.
            known: files of the vault by path; a file that is removed to be read in another way is taken out.
            skipped: notes of the run about skipped files.
            tally: counts what is written.
        """
        self._store = store
        self._files = FileRows(store)
        self._documents = DocumentRows(store)
        self._moved = MovedRows(store)
        self._counters = counters
        self._known = known
        self._skipped = skipped
        self._tally = tally
        self._batch: list[tuple[FileReading, Draft]] = []
        self._ended: list[FileReading] = []
        self._characters = 0
        self.new: dict[int, str] = {}
        """File id -> path of the files that the vault did not have before."""

    @property
    def is_full(self) -> bool:
        """Whether there is enough to write."""
        return self._characters >= BATCH_CHARACTERS

    def add(self, reading: FileReading, draft: Draft) -> None:
        """Takes a document of a file."""
        self._batch.append((reading, draft))
        self._characters += draft.characters

    def end(self, reading: FileReading) -> None:
        """Notes that a file was read to its end."""
        reading.ended = True
        self._ended.append(reading)

    def write(self) -> None:
        """Writes everything that was added, in one transaction."""
        made = cut([draft for _, draft in self._batch], self._counters)
        by_file: dict[int, tuple[FileReading, list[Cut]]] = {}
        for (reading, _), one in zip(self._batch, made, strict=True):
            of_file = by_file.setdefault(id(reading), (reading, []))[1]
            if isinstance(one, Skipped):
                reading.has_uncut = True
                reading.notes.append(one)
                self._tally.skipped.append(one)
            else:
                of_file.append(one)
        for reading in self._ended:
            by_file.setdefault(id(reading), (reading, []))
        with self._store.transaction():
            for reading, of_file in by_file.values():
                self._write_file(reading, of_file)
        self._batch, self._ended, self._characters = [], [], 0

    def _write_file(self, reading: FileReading, made: list[Cut]) -> None:
        file = reading.file
        if reading.ended:
            self._skipped.note(file, reading.notes)
        if reading.broken and reading.ended:
            self._write_broken(reading)
            return
        known = self._known.get(file.path)
        if known is not None and known.by_lines != reading.mode.by_lines:
            self._tally.removed += self._files.remove([known.id])
            del self._known[file.path]
        file_id = self._begun(reading)
        if reading.ended:
            self._make_room(reading.kept, file_id)
        self._moved.make_room(reading.kept.claims.stored_as(one.document.record for one in made))
        tokens = [count for one in made for count in one.tokens]
        self._documents.add(file_id, [one.document for one in made], tokens)
        self._tally.added += len(made)
        if reading.ended:
            self._finish(reading, file_id)

    def _write_broken(self, reading: FileReading) -> None:
        """Finishes a file that cannot be read.

        One that vanished or changed meanwhile keeps what is stored of it, unfinished: a log that grows all the time would
        lose all that was made of it. The next run reads it. One that holds something else now, which cannot be read or was too
        slow twice, no longer says what it said: it may be encrypted, or blacked out.
        """
        if not reading.is_hopeless:
            return
        file, known = reading.file, self._known.get(reading.file.path)
        self._tally.removed += self._files.remove_unfinished(file.path)
        if known is not None and known.is_changed(file):
            self._tally.removed += self._files.remove_documents([known.id])
        if known is None or known.by_lines == reading.mode.by_lines:
            self._files.finish(self._begun(reading), file.size_bytes, file.modified_ns, self._version(reading))

    def _version(self, reading: FileReading) -> str:
        return reading_version(reading.file.path, reading.mode.by_lines, is_scan=reading.is_scan)

    def _begun(self, reading: FileReading) -> int:
        mode = reading.mode
        file_id = self._files.begin(reading.file, mode.root, mode.by_lines, self._version(reading))
        if reading.file.path not in self._known:
            self.new[file_id] = reading.file.path
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
        self._tally.shifted += len(shifts) + len(reordered)
        if tail:
            self._moved.settle(file_id, tail)
            self._tally.shifted += tail.count
        if not reading.has_uncut:
            # Unfinished, a file is read again by the next run.
            self._files.finish(file_id, reading.file.size_bytes, reading.modified_ns, self._version(reading))

    def _remove(self, document_ids: list[int]) -> None:
        if document_ids:
            self._documents.remove(document_ids)
            self._tally.removed += len(document_ids)
