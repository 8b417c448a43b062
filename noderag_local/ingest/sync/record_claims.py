"""Which of a file's stored documents its present records are, told by content and not by number."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from noderag_local.domain.documents import Passage
from noderag_local.storage.documents.moved import Shift, StoredRecord


class RecordClaims:
    """The stored documents of one file, each claimed by one record at most."""

    def __init__(self, stored: Collection[StoredRecord], *, is_outdated: bool = False) -> None:
        """Takes the stored documents.

        Args:
            is_outdated: none of them can be claimed, since the same content makes another document today.
        """
        self._stored = {one.document_id: one for one in stored}
        self._by_number = {one.record: one for one in stored}
        self._by_content: dict[tuple[str, str], dict[int, StoredRecord]] = {}
        for one in () if is_outdated else stored:
            self._by_content.setdefault((one.content_hash, one.encoding), {})[one.document_id] = one
        self._claimed: dict[int, Shift] = {}

    def counts(self, encoding: str) -> dict[str, int]:
        """How many documents are unclaimed of each content hash, in an encoding."""
        found = ((content, len(unclaimed)) for (content, of), unclaimed in self._by_content.items() if of == encoding)
        return {content: count for content, count in found if count}

    def claim(self, record: int, content_hash: str, encoding: str, first: Passage) -> bool:
        """Whether the store has a record; its document is then kept.

        A document of the same number comes first, else the first one with the same content that nobody has claimed.

        Args:
            record: its number in the file.
            first: where its first sentence stands in the file.
        """
        unclaimed = self._by_content.get((content_hash, encoding))
        if not unclaimed:
            return False
        same = self._by_number.get(record)
        number = same.document_id if same and same.document_id in unclaimed else next(iter(unclaimed))
        self._keep(unclaimed.pop(number), record, first)
        return True

    def claim_same(self, record: int, content_hash: str, encoding: str, first: Passage) -> bool:
        """As `claim`, of the document of the same number alone."""
        same = self._by_number.get(record)
        unclaimed = self._by_content.get((content_hash, encoding), {})
        if same is None or same.document_id not in unclaimed:
            return False
        self._keep(unclaimed.pop(same.document_id), record, first)
        return True

    def gone(self) -> list[int]:
        """Ids of the documents that no record is."""
        return [number for number in self._stored if number not in self._claimed]

    def stored_as(self, records: Iterable[int]) -> list[int]:
        """Ids of the documents that are stored under some numbers."""
        return [self._by_number[record].document_id for record in records if record in self._by_number]

    def shifts(self) -> list[Shift]:
        """Of the claimed documents, those that stand elsewhere now; by record."""
        moved = [
            one for one in self._claimed.values() if one.moves or one.record != self._stored[one.document_id].record
        ]
        return sorted(moved, key=lambda one: one.record)

    def in_another_order(self) -> list[int]:
        """Ids of the claimed documents, where they do not follow one another as they did."""
        records = [self._claimed[number].record for number in self._in_stored_order() if number in self._claimed]
        return [] if records == sorted(records) else sorted(self._claimed)

    def _keep(self, was: StoredRecord, record: int, first: Passage) -> None:
        by = first.start - was.start, first.start_byte - was.start_byte, first.first_line - was.first_line
        self._claimed[was.document_id] = Shift(was.document_id, record, *by)

    def _in_stored_order(self) -> list[int]:
        return sorted(self._stored, key=lambda number: self._stored[number].record)
