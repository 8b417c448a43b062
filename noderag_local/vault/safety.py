"""Keeps a vault from being lost: makes backups, restores them, and repairs caches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from noderag_local.domain.errors import StoreError, VaultDamaged
from noderag_local.storage.backup.backups import Backup, Backups, chosen_backup

if TYPE_CHECKING:
    from noderag_local.domain.progress import Progress
    from noderag_local.storage.backup.restore import Restored
    from noderag_local.storage.conversations.conversations import Conversation
    from noderag_local.storage.forgetting.traces import Uncleared

LARGE_RUN_SECONDS = 20.0
"""Seconds of work after which a backup is made by itself; less work is soon done again."""


class VaultSafety:
    """Backups and repair, as `Vault.safety` gives them."""

    def __init__(self, folder: Path, close: Callable[[], None]) -> None:
        """Names a vault's folder; nothing is opened yet.

        Args:
            folder: of the vault.
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
        """Returns files that a forgetting has not cleared yet: it was stopped, or another program was reading them.

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
        """Finishes an interrupted forgetting; returns the files that cannot be cleared now.

        Raises:
            VaultMissing: nothing was indexed yet.
            VaultLocked, VaultDamaged, StoreError: the vault cannot be written, or a backup not be made.
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
        """Counts places that hold older notes: all backups but the newest, and what a restore put aside."""
        return max(Backups(self._folder).holding() - 1, 0)

    def backups(self) -> list[Backup]:
        """Returns the backups in the vault's own folder, the newest first."""
        return Backups(self._folder).all()

    def back_up(self, place: Path | None = None, *, only: bool = False) -> Backup:
        """Makes a backup while others may read and write, checks it, and removes those that are too many.

        Args:
            place: folder of backups; None: the one in the vault.
            only: removes all others in that folder, and what restoring has put aside there.

        Raises:
            VaultMissing: nothing was indexed yet.
            VaultDamaged: the vault is not in order; all backups stay.
            StoreError: there is not enough room, or the disk fails.
        """
        backups = Backups(self._folder, place)
        return backups.renew() if only else backups.make()

    def back_up_after(self, worked_seconds: float) -> None:
        """Makes a backup after long work, at most one a day, and none when there is no room for it.

        Raises:
            VaultDamaged: the vault is not in order.
        """
        backups = Backups(self._folder)
        if worked_seconds < LARGE_RUN_SECONDS or not backups.is_due():
            return
        try:
            backups.make()
        except VaultDamaged:
            raise
        except StoreError:
            # It is a help that nobody has asked for; `noderag doctor` says how old the newest is.
            return

    def chosen_backup(self, named: Path | None = None) -> Backup:
        """Returns the backup that `restore` takes.

        Raises:
            VaultMissing: there is no such backup.
        """
        return chosen_backup(self._folder, named)

    def restore(self, named: Path | None = None) -> Restored:
        """Replaces the vault's files by a backup; the files are kept aside.

        Args:
            named: its folder or a file in it, or a folder of backups, of which the newest is taken; None: the vault's newest.

        Raises:
            VaultMissing: there is no such backup.
            VaultDamaged: it is damaged itself; nothing was touched.
            VaultSealed: it is encrypted by a key that was not given.
            VaultLocked, StoreError: the vault cannot be written.
        """
        from noderag_local.storage.backup.restore import restore

        self._close()
        return restore(self._folder, self.chosen_backup(named))

    def accept(self) -> None:
        """Accepts the vault's files as they are, although others were last seen here.

        Raises:
            VaultSealed: the vault is encrypted, and its key was not given.
            VaultDamaged: a file is not in order.
            VaultLocked, StoreError: the vault cannot be written.
        """
        from noderag_local.storage.backup.restore import accept

        self._close()
        accept(self._folder)

    def repair(self) -> tuple[str, ...]:
        """Rebuilds what can be made from the rest, and returns what that was.

        Raises:
            VaultDamaged: the rest is damaged, too; a backup is the way out.
            VaultLocked, StoreError: the vault cannot be written.
        """
        from noderag_local.storage.backup.integrity import REPAIRED, repair
        from noderag_local.storage.database.store import Store

        self._close()
        with Store.open(self._folder, write=True) as store:
            repair(store)
        return REPAIRED
