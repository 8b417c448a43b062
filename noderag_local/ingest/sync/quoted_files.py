"""Keeps track of files that conversations quote when they are renamed, edited or deleted on disk."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from noderag_local.domain.errors import StoreError
from noderag_local.storage.conversations.conversations import Conversations
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows, KnownFile
from noderag_local.storage.forgetting.former_paths import FormerPaths


@dataclass(frozen=True, slots=True)
class _Gone:
    """A deleted file, with what identifies its new version."""

    name: str
    titles: frozenset[str]
    sentences: frozenset[str]
    marks: Sequence[bytes]
    """Marks of every path that the file has had."""


class QuotedFiles:
    """Follows quoted files through one run of indexing: call `before_removal`, then `after_reading`."""

    def __init__(self, store: Store) -> None:
        self._files = FileRows(store)
        self._former = FormerPaths(store)
        self._conversations = Conversations(store.folder)
        self._gone: list[_Gone] = []

    def before_removal(self, gone: Sequence[KnownFile]) -> None:
        """Notes in the conversations where files lay before the vault removes them."""
        # Indexing goes on without conversations that cannot be read now; what is forgotten later is found by its words.
        with suppress(StoreError):
            quoted = self._conversations.quoted_paths()
            if not quoted:
                return
            moved = self._former.now(quoted, [file.id for file in gone])
            self._conversations.note_later(moved)
            named = quoted | {later for _, later in moved}
            self._gone += [self._remembered(file) for file in gone if file.path in named]

    def after_reading(self, new: Mapping[int, str]) -> None:
        """Notes which new files are deleted ones that were renamed and edited at once.

        Args:
            new: file id → path.
        """
        for file_id, path in new.items() if self._gone else ():
            name = os.path.basename(path)
            titles, sentences = self._files.texts(file_id)
            for gone in self._gone:
                shared = len(sentences & gone.sentences)
                is_half = shared and 2 * shared >= min(len(sentences), len(gone.sentences))
                if is_half or name == gone.name or titles & gone.titles:
                    self._former.hand_on(gone.marks, file_id)

    def _remembered(self, file: KnownFile) -> _Gone:
        return _Gone(os.path.basename(file.path), *self._files.texts(file.id), self._former.marks(file.id, file.path))
