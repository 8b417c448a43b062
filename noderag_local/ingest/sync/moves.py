"""Files that only lie elsewhere now, told from new ones by what they hold.

Each file is read once to learn this, up to the first document that no file of the vault had; so a thousand files of the same
size cost a thousand readings.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from noderag_local.domain.documents import Passage, Skipped, SourceFile
from noderag_local.ingest.chunks.file_parts import Stretch
from noderag_local.ingest.chunks.parsed_document import Draft
from noderag_local.ingest.sandbox.worker_process import WorkerProcess
from noderag_local.ingest.scan.opened_file import Opened
from noderag_local.ingest.sync.read_files import SMALL_BYTES, Wanted, read_drafts
from noderag_local.ingest.sync.record_claims import RecordClaims
from noderag_local.storage.database.spelling import storable
from noderag_local.storage.documents.file_rows import KnownFile
from noderag_local.storage.documents.moved import FirstRecord, MovedRows

_NOTHING = FirstRecord("", "")
"""Of a file in which no document is."""


class Moves:
    """Looks for files that are gone from their places."""

    def __init__(self, rows: MovedRows, gone: Sequence[KnownFile], by_lines: bool, process: WorkerProcess) -> None:
        """Asks what the files begin with.

        Args:
            gone: complete files; each is found once.
            by_lines: how they were read.
        """
        self._rows = rows
        self._by_lines = by_lines
        self._process = process
        self._gone: dict[int, dict[FirstRecord, list[KnownFile]]] = {}
        firsts = rows.first_records([file.id for file in gone]) if gone else {}
        for file in gone:
            alike = self._gone.setdefault(file.size_bytes, {})
            alike.setdefault(firsts.get(file.id, _NOTHING), []).append(file)
        self.notices: list[Skipped] = []
        """What is to be told of the files that were found."""

    def before(self, file: SourceFile) -> KnownFile | None:
        """What a file was when it lay elsewhere; None where nothing is gone that had its documents, titles included."""
        alike = self._gone.get(file.size_bytes)
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
    """Of one file with that of the files that are gone which begins like it."""

    def __init__(self, rows: MovedRows, alike: dict[FirstRecord, list[KnownFile]], tried: Collection[int]) -> None:
        self._rows = rows
        self._alike = alike
        self._tried = tried
        self._claims = RecordClaims(())
        self._titles: dict[int, str] = {}
        self._is_begun = False
        self._first = _NOTHING
        self.known: KnownFile | None = None
        """None until the first document is read, and where nothing begins with it."""
        self.notices: list[Skipped] = []

    def stretch(self, source: Opened) -> Stretch | None:
        """As `KnownRecords.stretch`: all is compared."""
        return None

    def counts(self, encoding: str, first_hash: str) -> Mapping[str, int]:
        """As `KnownRecords.counts`, of records whose titles are in what was hashed."""
        if not self._is_begun:
            self._begin(next((one for one in self._alike if one.content_hash == first_hash), None))
        return self._claims.counts(encoding)

    def reached(self, record: int) -> None:
        """As `KnownRecords.reached`; nothing follows from it."""

    def keep(self, record: int, content_hash: str, encoding: str, first: Passage) -> bool:
        """As `KnownRecords.keep`."""
        return self._claims.claim(record, content_hash, encoding, first)

    def goes_on(self, found: Draft | Skipped) -> bool:
        """Whether it may still be the same after what was read and not kept."""
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
        """Whether all of the other file was found, where it was."""
        if not self._is_begun:
            self._begin(_NOTHING)
        return self.known is not None and not self._claims.gone() and not self._claims.shifts()

    def taken(self) -> KnownFile | None:
        """The other file, which is no other's from now on."""
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
