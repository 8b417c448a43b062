"""Remembers from run to run which files could not be read, or not in full."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from itertools import chain

from noderag_local.domain.documents import Skipped, SourceFile
from noderag_local.ingest.chunks.scan_notes import unread_pages
from noderag_local.ingest.sync.forgetting import nameless
from noderag_local.storage.documents.file_rows import FileRows
from noderag_local.system.paths import nearest


class SkippedFiles:
    """Notes of one run about skipped files. Unchanged files are not read again, so their notes are carried over."""

    def __init__(self, rows: FileRows, roots: Sequence[str]) -> None:
        """Reads the notes of earlier runs.

        Args:
            rows: stored notes.
            roots: absolute paths that the user named for this run.
        """
        self._rows = rows
        self._roots = frozenset(roots)
        self._told: set[str] = set()
        self._before: dict[str, list[Skipped]] = {}
        for skip in rows.skipped():
            self._before.setdefault(skip.path, []).append(skip)

    def before(self, file: SourceFile) -> Sequence[Skipped]:
        """Returns what earlier runs noted about a file."""
        self._told.add(file.path)
        return self._before.get(file.path, ())

    def unread_pages(self, file: SourceFile) -> int:
        """Returns how many pages of a file were left for the slow reader by an earlier run."""
        return sum(map(unread_pages, self._before.get(file.path, ())))

    def note(self, file: SourceFile, skipped: Sequence[Skipped]) -> None:
        """Stores notes together with their file, so that an interrupted run does not lose them."""
        self._told.add(file.path)
        if file.path in self._before:
            self._rows.remove_skipped([file.path])
        if skipped:
            self._rows.note_skipped(file.root, skipped)

    def finish(self, skipped: Iterable[Skipped], known: Container[str]) -> None:
        """Stores all notes of the run.

        Args:
            skipped: notes of this run.
            known: paths of the vault's files. Notes of those that the run did not reach stay: it was stopped, or their drive
                is not there.
        """
        noted: dict[str, list[Skipped]] = {root: [] for root in self._roots}
        others = (of_file for path, of_file in self._before.items() if path in known and path not in self._told)
        for skip in (*skipped, *chain.from_iterable(others)):
            root = nearest(skip.path, self._roots)
            if root:
                noted[root].append(nameless(skip, root))
        self._rows.replace_skipped(noted)
