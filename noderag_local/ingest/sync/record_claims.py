"""Matches the present records of a file with its stored documents by content, not by number."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from noderag_local.domain.documents import Passage
from noderag_local.storage.documents.moved import Shift, StoredRecord


class RecordClaims:
    """The stored documents of one file, each claimed by one record at most."""

    def __init__(self, stored: Collection[StoredRecord], *, is_outdated: bool = False) -> None:
        """Begins with no document claimed.

        Args:
            stored: stored documents of the file.
            is_outdated: whether none of them can be claimed, since the same content makes another document today.
        """
        self._stored = {one.document_id: one for one in stored}
        self._by_number = {one.record: one for one in stored}
        self._by_content: dict[tuple[str, str], dict[int, StoredRecord]] = {}
        for one in () if is_outdated else stored:
            self._by_content.setdefault((one.content_hash, one.encoding), {})[one.document_id] = one
        self._claimed: dict[int, Shift] = {}

    def counts(self, encoding: str) -> dict[str, int]:
        """Returns the number of unclaimed documents by content hash, for an encoding."""
        found = ((content, len(unclaimed)) for (content, of), unclaimed in self._by_content.items() if of == encoding)
        return {content: count for content, count in found if count}

    def claim(self, record: int, content_hash: str, encoding: str, first: Passage) -> bool:
        """Returns whether the store has a record, and claims its document if so.

        A document of the same number comes first, else the first one with the same content that nobody has claimed.

        Args:
            record: its 0-based number in the file.
            content_hash: SHA-256 of its bytes, in hexadecimal.
            encoding: encoding of the file.
            first: place of its first sentence in the file.
        """
        unclaimed = self._by_content.get((content_hash, encoding))
        if not unclaimed:
            return False
        same = self._by_number.get(record)
        number = same.document_id if same and same.document_id in unclaimed else next(iter(unclaimed))
        self._keep(unclaimed.pop(number), record, first)
        return True

    def claim_same(self, record: int, content_hash: str, encoding: str, first: Passage) -> bool:
        """Claims only the document with the same number; otherwise like `claim`."""
        same = self._by_number.get(record)
        unclaimed = self._by_content.get((content_hash, encoding), {})
        if same is None or same.document_id not in unclaimed:
            return False
        self._keep(unclaimed.pop(same.document_id), record, first)
        return True

    def gone(self) -> list[int]:
        """Returns the ids of the documents that no record has claimed."""
        return [number for number in self._stored if number not in self._claimed]

    def stored_as(self, records: Iterable[int]) -> list[int]:
        """Returns the ids of the documents stored under some numbers."""
        return [self._by_number[record].document_id for record in records if record in self._by_number]

    def shifts(self) -> list[Shift]:
        """Returns the new places of the claimed documents that have moved, by record."""
        moved = [
            one for one in self._claimed.values() if one.moves or one.record != self._stored[one.document_id].record
        ]
        return sorted(moved, key=lambda one: one.record)

    def in_another_order(self) -> list[int]:
        """Returns the ids of the claimed documents if their order has changed."""
        records = [self._claimed[number].record for number in self._in_stored_order() if number in self._claimed]
        return [] if records == sorted(records) else sorted(self._claimed)

    def _keep(self, was: StoredRecord, record: int, first: Passage) -> None:
        by = first.start - was.start, first.start_byte - was.start_byte, first.first_line - was.first_line
        self._claimed[was.document_id] = Shift(was.document_id, record, *by)

    def _in_stored_order(self) -> list[int]:
        return sorted(self._stored, key=lambda number: self._stored[number].record)
