"""Documents into the store: what is new or changed is read and written, what is gone is removed, the rest is left.

A file is known by size and time of change first, its documents by the hash of their bytes: a JSON Lines file that
grew by a line costs one document. Documents of many small files are written in one transaction, since a transaction
costs a write to the disk that is waited for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from noderag_local.ingest.chunk import CountTokens, chunk_documents
from noderag_local.ingest.claims import Claims
from noderag_local.ingest.draft import Draft
from noderag_local.ingest.emptied import without_emptied
from noderag_local.ingest.forgotten import nameless, without_forgotten
from noderag_local.ingest.formats.worker_process import WorkerProcess
from noderag_local.ingest.kept import Kept
from noderag_local.ingest.read import HOPELESS, read_drafts
from noderag_local.ingest.scan import Scan
from noderag_local.ingest.unread import is_as_known, missing
from noderag_local.paths import lies_in
from noderag_local.records import Document, Skipped, SourceFile
from noderag_local.store.database import Store
from noderag_local.store.documents import DocumentRows
from noderag_local.store.files import FileRows, KnownFile
from noderag_local.store.forgotten import ForgottenRows
from noderag_local.store.moved import MovedRows
from noderag_local.store.spelling import storable

BATCH_CHARACTERS = 1 << 20


@dataclass(frozen=True, slots=True)
class Counters:
    """How tokens are counted."""

    chunk: CountTokens
    """For the size of chunks: the embedding model's word pieces, the same whatever language model there is."""
    context: CountTokens
    """For budgets: the language model's tokens."""


@dataclass(slots=True)
class Tally:
    """What came of it so far."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    moved: int = 0
    shifted: int = 0
    """Documents that stand at another place of their file, with the same content."""
    skipped: list[Skipped] = field(default_factory=list)
    stopped: bool = False

    @property
    def touched(self) -> bool:
        """Whether the store's documents are not what they were."""
        return bool(self.added or self.removed or self.moved or self.shifted)


@dataclass(slots=True)
class _Open:
    """A file whose documents are on their way into the store."""

    file: SourceFile
    kept: Kept
    """Of what the store has of it."""
    broken: bool = False
    is_hopeless: bool = False
    """Broken, and so again as long as the file stays as it is."""
    ended: bool = False


class Intake:
    """One run over the files of a scan."""

    def __init__(self, store: Store, counters: Counters, by_lines: bool, roots: Sequence[Path]) -> None:
        self._store = store
        self._files = FileRows(store)
        self._documents = DocumentRows(store)
        self._moved = MovedRows(store)
        self._counters = counters
        self._by_lines = by_lines
        self._roots = [os.path.abspath(root.expanduser()) for root in roots]
        self._known = self._files.known()
        self._noted = _by_path(self._files.skipped())
        self._process = WorkerProcess()
        self._batch: list[tuple[_Open, Draft]] = []
        self._waiting: list[_Open] = []
        self._characters = 0
        self.tally = Tally()

    def run(self, scan: Scan, advanced: Callable[[int, int], None], cancelled: Callable[[], bool]) -> None:
        """Reads what needs reading and removes what is gone; the results are in `tally`.

        Args:
            advanced: told after each file how many are done, and of how many.
            cancelled: asked before each file and each batch.
        """
        scan = self._without_forgotten(scan)
        self.tally.skipped += scan.skipped
        with self._process:
            scan = self._move(scan)
            self._remove_missing(scan)
            for done, file in enumerate(scan.files):
                advanced(done, len(scan.files))
                if self._stopped(cancelled):
                    break
                if self._is_unchanged(file):
                    self.tally.unchanged += 1
                    # What could not be read of it is as true as it was.
                    self.tally.skipped += self._noted.get(file.path, ())
                else:
                    self._read(file, cancelled)
        self._write()
        advanced(len(scan.files), len(scan.files))
        for root in self._roots:
            kept = [nameless(skip, root) for skip in self.tally.skipped if self._root_of(skip.path) == root]
            self._files.replace_skipped(root, kept)

    def _without_forgotten(self, scan: Scan) -> Scan:
        """Naming a path takes it back for this run and all later ones."""
        rows = ForgottenRows(self._store)
        rows.take_back(self._roots)
        return without_forgotten(scan, rows.paths(), self._roots, self._known)

    def _stopped(self, cancelled: Callable[[], bool]) -> bool:
        self.tally.stopped = self.tally.stopped or cancelled()
        return self.tally.stopped

    def _is_unchanged(self, file: SourceFile) -> bool:
        """Whether the store has all that a file says; one that could not be read is tried again where it is named itself."""
        known = self._known.get(file.path)
        if file.path in self._roots and any(skip.is_error for skip in self._noted.get(file.path, ())):
            return False
        return is_as_known(known, file, self._by_lines)

    def _read(self, file: SourceFile, cancelled: Callable[[], bool]) -> None:
        known = self._known.get(file.path)
        kept = self._comparable(known)
        reading = _Open(file, kept)
        self.tally.changed += known is not None and known.complete
        for found in self._drafts(file, kept):
            if isinstance(found, Skipped):
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

    def _drafts(self, file: SourceFile, kept: Kept) -> Iterator[Draft | Skipped]:
        return read_drafts(
            file, by_lines=self._by_lines, process=self._process, keep=kept.keep, changed=kept.changed_stretch
        )

    def _comparable(self, known: KnownFile | None) -> Kept:
        """What the store has of a file and may keep: nothing where it was read in another way."""
        if known is None or known.by_lines != self._by_lines:
            return Kept(self._moved, None)
        return Kept(self._moved, known.id, known.complete)

    def _write(self) -> None:
        """Everything read so far, in one transaction."""
        drafts = [draft for _, draft in self._batch]
        documents = chunk_documents(drafts, self._counters.chunk)
        texts = [sentence.text for document in documents for chunk in document.chunks for sentence in chunk.sentences]
        tokens = iter(self._counters.context(texts))
        by_file: dict[int, tuple[_Open, list[Document]]] = {}
        for (reading, _), document in zip(self._batch, documents, strict=True):
            by_file.setdefault(id(reading), (reading, []))[1].append(document)
        for reading in self._waiting:
            by_file.setdefault(id(reading), (reading, []))
        with self._store.transaction():
            for reading, of_file in by_file.values():
                counts = [next(tokens) for document in of_file for chunk in document.chunks for _ in chunk.sentences]
                self._write_file(reading, of_file, counts)
        self._batch, self._waiting, self._characters = [], [], 0

    def _write_file(self, reading: _Open, documents: list[Document], tokens: list[int]) -> None:
        file = reading.file
        known = self._known.get(file.path)
        if reading.broken and reading.ended:
            # One that vanished or changed under our hands leaves nothing half-read behind; the next run takes it whole.
            self.tally.removed += self._files.remove_unfinished(file.path)
            if reading.is_hopeless and (known is None or known.by_lines == self._by_lines):
                self._files.finish(self._begun(file), file.size_bytes, file.modified_ns)
            return
        if known is not None and known.by_lines != self._by_lines:
            self.tally.removed += self._files.remove([known.id])
            del self._known[file.path]
        file_id = self._begun(file)
        if reading.ended:
            self._make_room(reading.kept, file_id)
        self._moved.make_room(reading.kept.claims.stored_as(document.record for document in documents))
        self._documents.add(file_id, documents, tokens)
        self.tally.added += len(documents)
        if reading.ended:
            self._finish(reading, file_id)

    def _begun(self, file: SourceFile) -> int:
        return self._files.begin(file, self._root_of(file.path), self._by_lines)

    def _make_room(self, kept: Kept, file_id: int) -> None:
        self._remove(kept.claims.gone())
        if kept.tail:
            self._moved.lift(file_id, kept.tail)

    def _finish(self, reading: _Open, file_id: int) -> None:
        claims, tail = reading.kept.claims, reading.kept.tail
        shifts, reordered = claims.shifts(), claims.in_another_order()
        self._moved.shift(shifts)
        self._moved.reorder(reordered)
        self.tally.shifted += len(shifts) + len(reordered)
        if tail:
            self._moved.settle(file_id, tail)
            self.tally.shifted += tail.count
        self._files.finish(file_id, reading.file.size_bytes, reading.file.modified_ns)

    def _remove(self, document_ids: list[int]) -> None:
        if document_ids:
            self._documents.remove(document_ids)
            self.tally.removed += len(document_ids)

    def _move(self, scan: Scan) -> Scan:
        """Files that only lie elsewhere now keep all they have; the scan of the others."""
        by_size: dict[int, list[KnownFile]] = {}
        for known in missing(self._known.values(), scan, self._roots):
            if known.complete and known.by_lines == self._by_lines:
                by_size.setdefault(known.size_bytes, []).append(known)
        moved: set[str] = set()
        for file in scan.files:
            if file.path in self._known or file.size_bytes not in by_size:
                continue
            alike = by_size[file.size_bytes]
            before = next((one for one in alike if self._holds_the_same(file, one)), None)
            if before is not None:
                alike.remove(before)
                self._moved.move_file(before.id, file, self._root_of(file.path))
                del self._known[before.path]
                moved.add(file.path)
        self.tally.moved += len(moved)
        return replace(scan, files=tuple(file for file in scan.files if file.path not in moved))

    def _holds_the_same(self, file: SourceFile, known: KnownFile) -> bool:
        """Whether reading a file gives the documents that the store has of another, titles included."""
        claims, titles = Claims(self._moved.records(known.id)), self._moved.titles(known.id)
        notices: list[Skipped] = []
        for found in read_drafts(file, by_lines=self._by_lines, process=self._process, keep=claims.claim):
            if isinstance(found, Skipped) and not found.is_error:
                notices.append(found)
                continue
            if isinstance(found, Skipped) or titles.get(found.record) != storable(found.title):
                return False
            first = found.sentences[0].sentence.passage
            if not claims.claim_same(found.record, found.content_hash, found.encoding, first):
                return False
        is_same = not claims.gone() and not claims.shifts()
        self.tally.skipped += notices if is_same else []
        return is_same

    def _remove_missing(self, scan: Scan) -> None:
        gone, spared = without_emptied(missing(self._known.values(), scan, self._roots), self._roots)
        self.tally.skipped += spared
        if gone:
            with self._store.transaction():
                self.tally.removed += self._files.remove([known.id for known in gone])

    def _root_of(self, path: str) -> str:
        """The path of this run that it lies under; "" where it lies under none."""
        return next((root for root in self._roots if lies_in(path, root)), "")


def _by_path(skipped: Sequence[Skipped]) -> dict[str, list[Skipped]]:
    found: dict[str, list[Skipped]] = {}
    for one in skipped:
        found.setdefault(one.path, []).append(one)
    return found


def _is_of_a_record(skipped: Skipped) -> bool:
    """Whether one record is broken and the rest of its file is fine."""
    return skipped.reason.startswith(("damaged record", "record "))
