"""Makes backups of a vault, restores them, and repairs caches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from noderag_local.domain.errors import StoreError, VaultDamaged
from noderag_local.storage.backup.backups import Backup, Backups, chosen_backup, newest_backup

if TYPE_CHECKING:
    from noderag_local.domain.progress import Progress
    from noderag_local.storage.backup.restore import Restored
    from noderag_local.storage.conversations.conversations import Conversation
    from noderag_local.storage.forgetting.traces import Uncleared

LARGE_RUN_SECONDS = 20.0
"""Seconds of work after which a backup is made automatically; less work is quickly repeated."""


class VaultSafety:
    """Backups and repair of one vault; see `Vault.safety`."""

    def __init__(self, folder: Path, close: Callable[[], None]) -> None:
        """Takes a vault's folder and opens nothing yet.

        Args:
            folder: folder of the vault.
            close: closes the files that the vault has open.
        """
        self._folder = folder
        self._close = close

    def conversations_quoting(self, paths: Sequence[Path]) -> list[Conversation]:
        """Returns the conversations that quote files or folders; forgetting deletes them.

        Raises:
            NotFound, VaultMissing: as `Vault.forget`.
        """
        from noderag_local.pipeline.indexing import quoting_conversations
        from noderag_local.storage.conversations.conversations import Conversations
        from noderag_local.storage.database.store import Store

        with Store.open(self._folder, write=False) as store:
            return quoting_conversations(store, paths, Conversations(self._folder))

    def unfinished_forgetting(self) -> tuple[Uncleared, ...]:
        """Returns files that still hold forgotten text, because the run was stopped or another program was reading them.

        Raises:
            VaultMissing, VaultDamaged, StoreError: the vault cannot be read.
        """
        from noderag_local.storage.database.store import Store
        from noderag_local.storage.forgetting.traces import traces

        with Store.open(self._folder, write=False) as store:
            return traces(store)

    def finish_forgetting(
        self,
        progress: Callable[[Progress], None] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> tuple[Uncleared, ...]:
        """Erases the text that an interrupted forgetting left; returns the files that cannot be cleared now.

        Raises:
            VaultMissing: nothing was indexed yet.
            VaultLocked, VaultDamaged, StoreError: the vault cannot be written, or a backup cannot be made.
        """
        from noderag_local.pipeline.indexing import finish_forgetting
        from noderag_local.storage.database.store import Store

        if not self.unfinished_forgetting():
            return ()
        self._close()
        with Store.open(self._folder, write=True) as store:
            report = finish_forgetting(store, progress, cancelled)
        backups = Backups(self._folder)
        if not report.has_traces and not report.stopped and backups.are_to_be_renewed:
            backups.renew()
        return self.unfinished_forgetting()

    def older_backups(self) -> int:
        """Counts the folders that hold older notes: all backups except the newest, and files that a restore set aside."""
        return max(Backups(self._folder).holding() - 1, 0)

    def backups(self) -> list[Backup]:
        """Returns the backups in the vault's own folder, the newest first."""
        return Backups(self._folder).all()

    def newest_backup(self) -> Backup | None:
        """Returns the newest backup in the vault's own folder and in the folders that were named for backups.

        The drive of such a folder may not be there now.
        """
        return newest_backup(self._folder)

    def back_up(
        self,
        place: Path | None = None,
        *,
        only: bool = False,
        progress: Callable[[int, int], None] = lambda done, total: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Backup:
        """Makes and checks a backup, and removes surplus ones; other processes may read and write the vault meanwhile.

        Args:
            place: folder of the backups; None stands for the one in the vault's folder.
            only: whether all other backups there, and files that a restore set aside, are removed.
            progress: receives the number of copied pages of the present file, and of all its pages.
            cancelled: called often; True stops, and nothing of the backup stays.

        Raises:
            CopyStopped: `cancelled` was true.
            VaultMissing: nothing was indexed yet.
            VaultDamaged: the vault is damaged; all backups stay.
            StoreError: there is not enough room, or the disk fails.
        """
        backups = Backups(self._folder, place)
        return backups.renew(progress, cancelled) if only else backups.make(progress, cancelled)

    def back_up_after(
        self, worked_seconds: float, progress: Callable[[int, int], None] = lambda done, total: None
    ) -> None:
        """Makes a backup after long work, at most one a day; skips it if there is no room.

        Args:
            worked_seconds: how long the work took.
            progress: as for `Backups.make`.

        Raises:
            VaultDamaged: the vault is damaged.
        """
        backups = Backups(self._folder)
        if worked_seconds < LARGE_RUN_SECONDS or not backups.is_due():
            return
        try:
            backups.make(progress)
        except VaultDamaged:
            raise
        except StoreError:
            # The user did not ask for this backup, so a failure is no error; `noderag doctor` shows the age of the newest.
            return

    def chosen_backup(self, named: Path | None = None) -> Backup:
        """Returns the backup that `restore` takes.

        Raises:
            VaultMissing: there is no such backup.
        """
        return chosen_backup(self._folder, named)

    def restore(self, named: Path | None = None) -> Restored:
        """Replaces the vault's files by those of a backup, and keeps the replaced files in a folder of their own.

        Args:
            named: folder of a backup, a file in it, or a folder of backups, which stands for its newest; None stands for
                the newest backup of the vault.

        Raises:
            VaultMissing: there is no such backup.
            VaultDamaged: the backup is damaged; nothing was changed.
            VaultSealed: the backup is encrypted with a key that was not given.
            VaultLocked, StoreError: the vault cannot be written.
        """
        from noderag_local.storage.backup.restore import restore

        self._close()
        return restore(self._folder, self.chosen_backup(named))

    def accept(self) -> None:
        """Accepts the vault's present files, although this machine has seen newer or encrypted ones.

        Raises:
            VaultSealed: the vault is encrypted and its key was not given.
            VaultDamaged: a file is damaged.
            VaultLocked, StoreError: the vault cannot be written.
        """
        from noderag_local.storage.backup.restore import accept

        self._close()
        accept(self._folder)

    def repair(self) -> tuple[str, ...]:
        """Rebuilds the indexes and caches, and returns a description of each.

        Raises:
            VaultDamaged: the data themselves are damaged, so that only a backup helps.
            VaultLocked, StoreError: the vault cannot be written.
        """
        from noderag_local.storage.backup.integrity import REPAIRED, repair
        from noderag_local.storage.database.store import Store

        self._close()
        with Store.open(self._folder, write=True) as store:
            repair(store)
        return REPAIRED
