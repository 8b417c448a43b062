"""Finds files that were moved by comparing their content with that of missing files.

The first document of a file tells which missing file it can be. A large file is read no further than to the first document that
differs. So a thousand files of the same size cost about a thousand readings, not one for each pair.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from noderag_local.domain.documents import Passage, Skipped, SourceFile
from noderag_local.ingest.chunks.file_parts import Stretch
from noderag_local.ingest.chunks.parsed_document import Draft
from noderag_local.ingest.reading_version import reading_version
from noderag_local.ingest.sandbox.worker_process import WorkerProcess
from noderag_local.ingest.scan.opened_file import Opened
from noderag_local.ingest.sync.read_files import SMALL_BYTES, Wanted, read_drafts
from noderag_local.ingest.sync.record_claims import RecordClaims
from noderag_local.storage.database.spelling import storable
from noderag_local.storage.documents.file_rows import KnownFile
from noderag_local.storage.documents.moved import FirstRecord, MovedRows

_NOTHING = FirstRecord("", "")
"""Hash of a file without documents."""


class Moves:
    """Finds the earlier place of files that were moved."""

    def __init__(self, rows: MovedRows, gone: Sequence[KnownFile], by_lines: bool, process: WorkerProcess) -> None:
        """Reads the first records of the missing files.

        Args:
            rows: stored records.
            gone: missing files that were read to their end; each is found once.
            by_lines: whether each line of a text was read as a document.
            process: reads the files to compare.
        """
        self._rows = rows
        self._by_lines = by_lines
        self._process = process
        self._gone: dict[tuple[int, str], dict[FirstRecord, list[KnownFile]]] = {}
        """Missing files by size and by how their format is read: the same bytes make another document in another format."""
        firsts = rows.first_records([file.id for file in gone]) if gone else {}
        for file in gone:
            alike = self._gone.setdefault((file.size_bytes, reading_version(file.path, by_lines)), {})
            alike.setdefault(firsts.get(file.id, _NOTHING), []).append(file)
        self.notices: list[Skipped] = []
        """Messages about the files that were found."""

    def before(self, file: SourceFile) -> KnownFile | None:
        """Returns the missing file that had the same documents and titles; None if there is none."""
        alike = self._gone.get((file.size_bytes, reading_version(file.path, self._by_lines)))
        tried: set[int] = set()
        while alike:
            comparison = _Comparison(self._rows, alike, tried)
            if self._is_same(file, comparison):
                self.notices += comparison.notices
                return comparison.taken()
            if comparison.known is None:
                return None
            # Another one may begin like it: a file of records that was copied and then changed.
            tried.add(comparison.known.id)
        return None

    def _is_same(self, file: SourceFile, comparison: _Comparison) -> bool:
        is_same = True
        for found in read_drafts(Wanted(file, self._by_lines, known=comparison), self._process):
            is_same = is_same and comparison.goes_on(found)
            # The rest of a small file is sooner read than the process that is left in the middle of it is replaced.
            if not is_same and file.size_bytes > SMALL_BYTES:
                return False
        return is_same and comparison.is_whole()


class _Comparison:
    """Comparison of a file with the missing file that begins like it."""

    def __init__(self, rows: MovedRows, alike: dict[FirstRecord, list[KnownFile]], tried: Collection[int]) -> None:
        self._rows = rows
        self._alike = alike
        self._tried = tried
        self._claims = RecordClaims(())
        self._titles: dict[int, str] = {}
        self._is_begun = False
        self._first = _NOTHING
        self.known: KnownFile | None = None
        """The missing file; None before the first document is read, and if no missing file begins with it."""
        self.notices: list[Skipped] = []

    def stretch(self, source: Opened) -> Stretch | None:
        """Returns None: the whole file is compared. See `KnownRecords.stretch`."""
        return None

    def counts(self, encoding: str, first_hash: str) -> Mapping[str, int]:
        """Returns `KnownRecords.counts` of records whose hashes include their titles."""
        if not self._is_begun:
            self._begin(next((one for one in self._alike if one.content_hash == first_hash), None))
        return self._claims.counts(encoding)

    def reached(self, record: int) -> None:
        """Does nothing with the record that was reached. See `KnownRecords.reached`."""

    def keep(self, record: int, content_hash: str, encoding: str, first: Passage) -> bool:
        """Claims the stored record that is the same. See `KnownRecords.keep`."""
        return self._claims.claim(record, content_hash, encoding, first)

    def goes_on(self, found: Draft | Skipped) -> bool:
        """Returns whether the two files may still be the same after a document or notice that was not kept."""
        if isinstance(found, Skipped):
            self.notices.append(found)
            return not found.is_error
        if not self._is_begun:
            self._begin(FirstRecord(found.content_hash, storable(found.title)))
        first = found.sentences[0].sentence.passage
        return self._titles.get(found.record) == storable(found.title) and self._claims.claim_same(
            found.record, found.content_hash, found.encoding, first
        )

    def is_whole(self) -> bool:
        """Whether every record of the missing file was found at its place."""
        if not self._is_begun:
            self._begin(_NOTHING)
        return self.known is not None and not self._claims.gone() and not self._claims.shifts()

    def taken(self) -> KnownFile | None:
        """Returns the missing file and takes it, so that no other file can be matched with it."""
        left = [one for one in self._alike[self._first] if one is not self.known]
        if left:
            self._alike[self._first] = left
        else:
            del self._alike[self._first]
        return self.known

    def _begin(self, first: FirstRecord | None) -> None:
        self._is_begun = True
        candidates = self._alike.get(first, ()) if first else ()
        self.known = next((one for one in candidates if one.id not in self._tried), None)
        if first and self.known is not None:
            self._first = first
            self._claims = RecordClaims(self._rows.records(self.known.id))
            self._titles = self._rows.titles(self.known.id)
