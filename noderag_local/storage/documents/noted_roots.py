"""Keeps two lists of folders as facts: roots that came with an import, and folders where drives were mounted."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable

from noderag_local.storage.database.fact_names import BROUGHT_ROOTS, DRIVE_PLACES
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows
from noderag_local.system.paths import nearest


class BroughtRoots:
    """Roots that came with an import, kept as a fact.

    An imported file from somebody else can name any folder of this machine, so no such root is indexed until the user names it.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def known(self) -> frozenset[str]:
        """Returns every root that came with an import, absolute."""
        return frozenset(json.loads(self._store.facts.get(BROUGHT_ROOTS, "[]")))

    def keep(self) -> tuple[str, ...]:
        """Stores all roots of the vault as imported roots, inside a transaction, and returns them."""
        roots = sorted({root for root, _ in FileRows(self._store).roots()})
        # Escaped to ASCII, since names of folders need not be valid UTF-8.
        self._store.facts[BROUGHT_ROOTS] = json.dumps(roots)
        return tuple(roots)

    def choose(self, paths: Collection[str]) -> None:
        """Takes absolute paths that the user has named off the list: they may be indexed from now on."""
        self._leave(root for root in self.known() if not nearest(root, frozenset(paths)))

    def drop_unused(self) -> None:
        """Takes roots without a file of the vault off the list, so that forgetting the files also forgets the root's path."""
        self._leave(self.known() & {root for root, _ in FileRows(self._store).roots()})

    def _leave(self, roots: Iterable[str]) -> None:
        """Leaves only some of the roots on the list."""
        left = sorted(roots)
        if len(left) < len(self.known()):
            with self._store.transaction():
                self._store.facts[BROUGHT_ROOTS] = json.dumps(left)


class DrivePlaces:
    """Folders where a drive was mounted when its files were read, kept as a fact.

    Only folders with files of the vault are kept, so that forgetting the files also forgets the folder's path.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def known(self) -> frozenset[str]:
        """Returns the absolute paths of all such folders."""
        return frozenset(json.loads(self._store.facts.get(DRIVE_PLACES, "[]")))

    def keep(self, places: Collection[str], files: Collection[str]) -> None:
        """Replaces the stored folders by those of `places` that contain any of `files`."""
        held = {nearest(file, places) for file in files} - {""} if places else set()
        if held == self.known():
            return
        if held:
            # Escaped to ASCII, since names of folders need not be valid UTF-8.
            self._store.facts[DRIVE_PLACES] = json.dumps(sorted(held))
        else:
            del self._store.facts[DRIVE_PLACES]

    def drop_unused(self) -> frozenset[str]:
        """Removes folders that contain no file of the vault any more from the list, and returns them."""
        before = self.known()
        if before:
            self.keep(before, FileRows(self._store).known())
        return before - self.known()
