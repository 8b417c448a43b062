"""The folders and files of a vault that `vault.watch.follow` follows; it only reads, and passes indexing on."""

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
    """Returns a function that indexes paths into a vault, with models that are loaded once for all runs."""
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
    """The `vault.watch.Following` of one vault, for one thread."""

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
        """Follows one vault.

        Args:
            folder: of the vault.
            max_file_bytes: larger files are left out.
            read: gives the vault's reader, opened anew where the vault has changed.
            index: as `vault.watch.Following.index`.
            named: what to follow, which is taken back where it was forgotten; none: all that was ever indexed.
            keep_old: as for `Vault.index`.
        """
        self.folder = folder
        self._max_file_bytes = max_file_bytes
        self._read = read
        self._index = index
        self._keep_old = keep_old
        self._is_named = bool(named)
        self._to_take_back = {path for one in named for path in one.paths}
        """Named paths that were forgotten before, at every look so far; they are taken back."""
        self._followed = list(named)
        self._was_there = False

    def roots(self) -> Sequence[Watched]:
        """Returns the paths that the user named, else those that the vault knows, without what was forgotten.

        A folder whose last note was deleted stays followed, though the vault no longer knows it.

        Raises:
            StoreError: the vault cannot be read, or is not there any more.
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
            # What is forgotten later stays out.
            self._to_take_back.difference_update(left)
            named = sorted(found & self._to_take_back)
            followed += Watched(tuple(left), by_lines), Watched(tuple(named), by_lines, takes_back=True)
        self._followed = [one for one in followed if one.paths]
        return self._followed

    def unread(self, one: Watched) -> Unread:
        """Returns what changed at paths that exist; all files while there is no vault yet."""
        store = self._store()
        if store is None:
            return Unread(frozenset(scan(one.paths, self._max_file_bytes).files), frozenset())
        return unread(store, one.paths, one.by_lines, self._max_file_bytes, keep_old=self._keep_old)

    def unreadable(self) -> Sequence[Skipped]:
        """Returns the files that could not be read, as the vault has noted them."""
        store = self._store()
        return [skip for skip in FileRows(store).skipped() if skip.is_error] if store else ()

    def is_behind(self) -> bool:
        """Whether indexing was cut short."""
        store = self._store()
        return store is not None and not is_complete(store)

    def index(self, one: Watched, files: int) -> IndexReport:
        """Asks for paths to be indexed, and notes that there is a vault then."""
        report = self._index(one, files)
        self._was_there = self._was_there or not report.stopped
        return report

    def _store(self) -> Store | None:
        """Returns the store, or None when nothing was indexed yet.

        Raises:
            StoreError: there was a vault before, which must not be made anew beside the drive that it went with.
        """
        try:
            store = self._read().store
        except VaultMissing as error:
            if self._was_there:
                raise StoreError(f"The vault in {self.folder} is not there any more; it is waited for.") from error
            return None
        self._was_there = True
        return store
