"""Folders in which a drive was mounted when their files were read."""

from __future__ import annotations

import json
from collections.abc import Collection

from noderag_local.storage.database.fact_names import DRIVE_PLACES
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows
from noderag_local.system.paths import nearest


class DrivePlaces:
    """A fact with the paths of these folders. Only folders with files of the vault are kept, so that forgetting the files forgets the path."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def known(self) -> frozenset[str]:
        """Returns all of these folders, absolute."""
        return frozenset(json.loads(self._store.facts.get(DRIVE_PLACES, "[]")))

    def keep(self, places: Collection[str], files: Collection[str]) -> None:
        """Replaces the known places; drops new ones that contain none of `files`."""
        held = {nearest(file, places) for file in files} - {""} if places else set()
        if held == self.known():
            return
        if held:
            # Escaped to ASCII, since names of folders need not be valid UTF-8.
            self._store.facts[DRIVE_PLACES] = json.dumps(sorted(held))
        else:
            del self._store.facts[DRIVE_PLACES]

    def drop_unused(self) -> frozenset[str]:
        """Drops the places that contain no file of the vault any more, and returns them."""
        before = self.known()
        if before:
            self.keep(before, FileRows(self._store).known())
        return before - self.known()
