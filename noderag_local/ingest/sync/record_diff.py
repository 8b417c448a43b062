"""Finds out which stored records of a changed file can stay and which lines must be read.

Most lines of a long file with a record a line stay the same. Those at both ends are recognised by their hashes, without
being decoded, cut or compared one by one; only what lies between is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

from noderag_local.domain.documents import Passage
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.chunks.encodings import Encoding, detect
from noderag_local.ingest.chunks.file_parts import Stretch
from noderag_local.ingest.formats.text.text_reader import content_hash
from noderag_local.ingest.scan.opened_file import Opened
from noderag_local.ingest.sync.record_claims import RecordClaims
from noderag_local.storage.documents.moved import MovedRows, StoredRecord, Tail

MOST_BYTES = 32 << 20
"""Largest file that is compared, since it is in memory twice. Longer files are read record by record."""
MOST_LINES = 1 << 19
"""Most lines of a file that is compared: splitting it is one step, which blocks the rest of the process."""
MOST_BYTES_BETWEEN = 1 << 20
"""Largest changed stretch between the ends; it is written in one transaction."""

_UTF8 = Encoding("utf-8")
_Place = tuple[int, int, int]
"""Position, or distance, in characters, bytes and lines."""


class RecordDiff:
    """Stored records of one file, and which of them are kept."""

    def __init__(
        self, rows: MovedRows, file_id: int | None, is_complete: bool = False, is_outdated: bool = False
    ) -> None:
        """Prepares a comparison; no row is read yet.

        Args:
            rows: stored records.
            file_id: id of the stored file; None if nothing of it is to be kept.
            is_complete: whether the file was read to its end, so that its records are in order.
            is_outdated: whether all of the file is read again, and nothing kept.
        """
        self._rows = rows
        self._file_id = file_id
        self._is_complete = is_complete
        self._is_outdated = is_outdated
        self._ends: _Ends | None = None
        self._last_record = 0

    @cached_property
    def claims(self) -> RecordClaims:
        """Claims on all stored records, or on those in the changed stretch."""
        between = self._ends.between if self._ends else None
        stored = () if self._file_id is None else self._rows.records(self._file_id, between)
        return RecordClaims(stored, is_outdated=self._is_outdated)

    def keep(self, record: int, content_hash: str, encoding: str, first: Passage) -> bool:
        """Keeps a record if the store has it. See `KnownRecords.keep`."""
        return self.claims.claim(record, content_hash, encoding, first)

    def counts(self, encoding: str, first_hash: str) -> Mapping[str, int]:
        """Returns the number of stored records by content hash. See `KnownRecords.counts`."""
        return self.claims.counts(encoding)

    def reached(self, record: int) -> None:
        """Notes that the file was read up to a record. See `KnownRecords.reached`."""
        self._last_record = record

    @property
    def has_ends(self) -> bool:
        """Whether only the stretch between unchanged ends of the file is read."""
        return self._ends is not None

    @property
    def tail(self) -> Tail | None:
        """The stored records behind the changed stretch and how far they move, once it is read; None if they stay."""
        if self._ends is None or self._ends.tail < 2:
            return None
        # The stretch ends with the first of them.
        moved = self._last_record - self._ends.between[1]
        tail = Tail(self._ends.between[1] + 1, self._ends.tail - 1, moved, *self._ends.by)
        return tail if tail.records or tail.moves else None

    def stretch(self, source: Opened) -> Stretch | None:
        """Returns the lines that must be read. See `KnownRecords.stretch`."""
        if self._file_id is None or not self._is_complete or self._is_outdated:
            return None
        hashes = self._rows.hashes(self._file_id, _UTF8.name)
        data = _read(source) if hashes else b""
        if not data:
            return None
        lines = _Lines(data, _UTF8)
        self._ends = self._compared(self._file_id, lines, hashes)
        return lines.stretch(self._ends) if self._ends else None

    def _compared(self, file_id: int, lines: _Lines, hashes: Sequence[str]) -> _Ends | None:
        """Returns the records that both versions share at their ends, if the places show nothing between those lines."""
        ends = _Ends(len(hashes), *lines.alike(hashes))
        if (not ends.head and not ends.tail) or lines.stretch(ends).size > MOST_BYTES_BETWEEN:
            return None
        stored = self._rows.records_at(file_id, {ends.head - 1, ends.between[1], len(hashes) - 1})
        if ends.head and lines.moved(stored[ends.head - 1], ends.head - 1) != (0, 0, 0):
            return None
        if not ends.tail:
            return ends
        by = lines.moved(stored[ends.between[1]], len(lines.lines) - ends.tail)
        return replace(ends, by=by) if by and by == lines.moved(stored[len(hashes) - 1], len(lines.lines) - 1) else None


@dataclass(frozen=True, slots=True)
class _Ends:
    """The stored records that the file still begins and ends with."""

    stored: int
    """Number of all stored records."""
    head: int
    """Number of stored records that the file begins with."""
    tail: int
    """Number of stored records that the file ends with, not counting the head."""
    by: _Place = (0, 0, 0)
    """Distance by which the tail has moved."""

    @property
    def between(self) -> tuple[int, int]:
        """Numbers of the first and the last stored record of the changed stretch, with the first one of the tail."""
        return self.head, self.stored - self.tail if self.tail else self.stored - 1


class _Lines:
    """Lines of a file, without blank ones at its end."""

    def __init__(self, data: bytes, encoding: Encoding) -> None:
        self._data = data
        self._encoding = encoding
        self.lines = data.split(b"\n")
        while self.lines and not self.lines[-1].strip():
            self.lines.pop()

    def alike(self, hashes: Sequence[str]) -> tuple[int, int]:
        """Returns how many lines at the beginning and at the end are unchanged."""
        head = _alike(self.lines, hashes)
        most = min(len(self.lines), len(hashes)) - head
        return head, _alike(islice(reversed(self.lines), most), hashes[::-1])

    def stretch(self, ends: _Ends) -> Stretch:
        """Returns the changed lines, with the first line of the tail."""
        char, byte, line = self._place(ends.head)
        after = len(self.lines) - max(ends.tail - 1, 0)
        end = self._byte(after) if ends.tail else len(self._data)
        return Stretch(char, byte, line, ends.head, min(end, len(self._data)), ends.head + ends.tail)

    def moved(self, stored: StoredRecord, number: int) -> _Place | None:
        """Returns how far a record that is a line now has moved; None where its place is not the beginning of the line."""
        if self.lines[number].decode(self._encoding.name, self._encoding.errors)[0].isspace():
            return None
        char, byte, line = self._place(number)
        return char - stored.start, byte - stored.start_byte, line - stored.first_line

    def _place(self, number: int) -> _Place:
        byte = min(self._byte(number), len(self._data))
        return len(self._data[:byte].decode(self._encoding.name, self._encoding.errors)), byte, number + 1

    def _byte(self, number: int) -> int:
        return sum(map(len, self.lines[:number])) + number


def _read(source: Opened) -> bytes:
    """Returns the file's bytes if it can be compared by its lines alone, else none."""
    source.file.seek(0)
    data = source.file.read(MOST_BYTES + 1)
    source.check_unchanged()
    return data if len(data) <= MOST_BYTES and _is_of_plain_lines(data) else b""


def _is_of_plain_lines(data: bytes) -> bool:
    """Whether the data are UTF-8 without a mark or damage, with Unix line ends, and not of too many lines."""
    if b"\r" in data or data.count(b"\n") > MOST_LINES:
        return False
    try:
        data.decode(_UTF8.name)
        return detect([data]) == _UTF8
    except (UnicodeDecodeError, DocumentError):
        return False


def _alike(lines: Iterable[bytes], hashes: Sequence[str]) -> int:
    """Returns how many lines are unchanged before the first changed one."""
    count = 0
    for line, stored in zip(lines, hashes, strict=False):
        if content_hash(line) != stored:
            break
        count += 1
    return count
