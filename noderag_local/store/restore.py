"""A backup in the place of the vault's files."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from noderag_local.store import connection, conversation_file
from noderag_local.store.backups import Backup, Backups
from noderag_local.store.cache_file import remove_caches, remove_unfinished
from noderag_local.store.database_copy import sync
from noderag_local.store.faults import told_plainly
from noderag_local.store.lock import WriterLock
from noderag_local.store.private_files import FILE_MODE, make_private_folder

_LOGS = ("-wal", "-shm", "-journal")
_UNFINISHED = ".restored.part"


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore did."""

    backup: Path
    aside: Path | None
    """Folder with the files that were there before; None where there were none."""


def restore(vault: Path, backup: Backup) -> Restored:
    """Puts a backup in the place of what is there, which is kept aside; the caches are made anew when they are needed.

    A kill at any instant leaves the files of before, those of the backup, or one of each; all of before are aside by then.

    Raises:
        VaultDamaged: the backup is not whole; nothing was touched.
        VaultLocked: another process is writing to the vault.
        StoreError: there is not enough room, or the disk fails.
    """
    backup.check()
    with told_plainly(vault):
        make_private_folder(vault)
    lock = WriterLock(vault)
    lock.take()
    try:
        remove_unfinished(vault)
        with told_plainly(vault):
            return _put_in_place(vault, backup)
    finally:
        lock.release()


def _put_in_place(vault: Path, backup: Backup) -> Restored:
    names = (connection.FILE_NAME, conversation_file.FILE_NAME)
    before = [path for name in names for end in ("", *_LOGS) if (path := vault / f"{name}{end}").is_file()]
    copies = {path: vault / (path.name + _UNFINISHED) for path in backup.files}
    for path, copy in copies.items():
        shutil.copyfile(path, copy)
        copy.chmod(FILE_MODE)
        sync(copy)
    aside = Backups(vault).put_aside(before) if before else None
    remove_caches(vault)
    for path, copy in copies.items():
        # A log that belongs to the old file would be played back into the new one.
        for end in _LOGS:
            (vault / f"{path.name}{end}").unlink(missing_ok=True)
        os.replace(copy, vault / path.name)
    sync(vault)
    return Restored(backup.folder, aside)
