"""Tells `vault.watch.follow` which folders and files of a vault to follow, and what has changed there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from noderag_local.domain.documents import Skipped
from noderag_local.domain.errors import StoreError, VaultMissing
from noderag_local.domain.progress import IndexReport
from noderag_local.ingest.scan.scan import scan
from noderag_local.ingest.sync.file_changes import Unread, unread
from noderag_local.ingest.sync.forgetting import not_forgotten
from noderag_local.storage.browsing.freshness import is_complete
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows
from noderag_local.vault.index import LoadedModels
from noderag_local.vault.reader import Reader
from noderag_local.vault.watch import Watched, known_roots

if TYPE_CHECKING:
    from noderag_local.vault.vault import Vault


def indexing_of(vault: Vault, stopped: Callable[[], bool], *, keep_old: bool) -> Callable[[Watched, int], IndexReport]:
    """Returns a function that indexes paths into a vault and keeps the models loaded between its calls."""
    models = LoadedModels(vault.settings)

    def index(one: Watched, files: int) -> IndexReport:
        return vault.index(
            one.paths,
            by_lines=one.by_lines,
            takes_back=one.takes_back,
            keep_old=keep_old,
            models=models,
            cancelled=stopped,
        )

    return index


class VaultFollowing:
    """Implementation of `vault.watch.Following` for one vault; only one thread may use it."""

    def __init__(
        self,
        folder: Path,
        max_file_bytes: int,
        read: Callable[[], Reader],
        index: Callable[[Watched, int], IndexReport],
        named: Sequence[Watched] = (),
        *,
        keep_old: bool = False,
    ) -> None:
        """Sets what is followed.

        Args:
            folder: folder of the vault.
            max_file_bytes: size above which files are skipped.
            read: returns the vault's reader and reopens it after a change of the vault.
            index: indexes paths; see `vault.watch.Following.index`.
            named: paths to follow, even if they were forgotten before; empty means all that were ever indexed.
            keep_old: as for `Vault.index`.
        """
        self.folder = folder
        self._max_file_bytes = max_file_bytes
        self._read = read
        self._index = index
        self._keep_old = keep_old
        self._is_named = bool(named)
        self._to_take_back = {path for one in named for path in one.paths}
        """Named paths that have been on the list of forgotten paths since the start; indexing takes them off the list."""
        self._followed = list(named)
        self._was_there = False

    def roots(self) -> Sequence[Watched]:
        """Returns the paths that the user named, or else all indexed paths, without those that were forgotten.

        A folder whose last note was deleted is still followed, although the vault has no file of it any more.

        Raises:
            StoreError: the vault cannot be read or does not exist any more.
        """
        store = self._store()
        if store is None:
            self._to_take_back.clear()
            return self._followed
        paths: dict[bool, set[Path]] = {}
        for one in [*self._followed, *([] if self._is_named else known_roots(store))]:
            paths.setdefault(one.by_lines, set()).update(one.paths)
        followed: list[Watched] = []
        for by_lines, found in sorted(paths.items()):
            left = not_forgotten(store, sorted(found))
            # A path that is forgotten later is not taken back.
            self._to_take_back.difference_update(left)
            named = sorted(found & self._to_take_back)
            followed += Watched(tuple(left), by_lines), Watched(tuple(named), by_lines, takes_back=True)
        self._followed = [one for one in followed if one.paths]
        return self._followed

    def unread(self, one: Watched) -> Unread:
        """Returns the changes at paths that exist; all files count as changed while there is no vault."""
        store = self._store()
        if store is None:
            return Unread(frozenset(scan(one.paths, self._max_file_bytes).files), frozenset())
        return unread(store, one.paths, one.by_lines, self._max_file_bytes, keep_old=self._keep_old)

    def unreadable(self) -> Sequence[Skipped]:
        """Returns the files that could not be read, as stored in the vault."""
        store = self._store()
        return [skip for skip in FileRows(store).skipped() if skip.is_error] if store else ()

    def is_behind(self) -> bool:
        """Returns whether the last indexing was interrupted."""
        store = self._store()
        return store is not None and not is_complete(store)

    def index(self, one: Watched, files: int) -> IndexReport:
        """Indexes paths and records that the vault exists from then on."""
        report = self._index(one, files)
        self._was_there = self._was_there or not report.stopped
        return report

    def _store(self) -> Store | None:
        """Returns the store, or None if nothing was indexed yet.

        Raises:
            StoreError: the vault existed before and is gone, for example with its drive; no new one may be made in its place.
        """
        try:
            store = self._read().store
        except VaultMissing as error:
            if self._was_there:
                raise StoreError(
                    f"The vault in {self.folder} is not there any more; waiting until it is back."
                ) from error
            return None
        self._was_there = True
        return store
