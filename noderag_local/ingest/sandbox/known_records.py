"""Protocol by which the reader of a file asks which of its records the vault already has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from noderag_local.domain.documents import Passage
from noderag_local.ingest.chunks.file_parts import Stretch
from noderag_local.ingest.scan.opened_file import Opened


class KnownRecords(Protocol):
    """Stored records of one file. Records that it keeps are neither cut into sentences nor stored again."""

    def stretch(self, source: Opened) -> Stretch | None:
        """Returns the lines that must be read of a file with one record a line; None means all of them.

        Raises:
            NotAtRest: the file has changed since it was opened.
        """

    def counts(self, encoding: str, first_hash: str) -> Mapping[str, int]:
        """Returns the number of stored records by content hash.

        Args:
            encoding: of the file as it is now; records of another encoding do not count.
            first_hash: content hash of the file's first record.
        """

    def keep(self, record: int, content_hash: str, encoding: str, first: Passage) -> bool:
        """Keeps a record of the file as it is now; returns False if no stored record is left that it could be.

        Args:
            record: its 0-based number in the file.
            content_hash: SHA-256 of its bytes, in hexadecimal.
            encoding: encoding of the file.
            first: place of its first sentence.
        """

    def reached(self, record: int) -> None:
        """Notes that the file was read up to a record, kept or new."""


class NothingKnown:
    """The known records of a file that the vault does not have."""

    def stretch(self, source: Opened) -> Stretch | None:
        """Returns None: all lines are read."""
        return None

    def counts(self, encoding: str, first_hash: str) -> Mapping[str, int]:
        """Returns no counts."""
        return {}

    def keep(self, record: int, content_hash: str, encoding: str, first: Passage) -> bool:
        """Returns False: no record is kept."""
        return False

    def reached(self, record: int) -> None:
        """Does nothing."""


NOTHING_KNOWN = NothingKnown()
