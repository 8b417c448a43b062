"""A backup in the place of the vault's files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from noderag_local.disk.on_disk import sync
from noderag_local.disk.private_files import copy_private, make_private_folder
from noderag_local.store import connection, conversation_file
from noderag_local.store.backups import Backup, Backups
from noderag_local.store.cache_file import remove_caches, remove_unfinished
from noderag_local.store.conversion import convert_folder, copy_as
from noderag_local.store.faults import told_plainly
from noderag_local.store.key_file import key_of, read_key_file
from noderag_local.store.lock import WriterLock
from noderag_local.store.sqlite_file import is_plain_database
from noderag_local.store.vault_key import KEY_FILE_NAME, VaultKey

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
    An encrypted vault keeps its key, whatever the backup has; where there is none, the key of the backup comes with it.

    Raises:
        VaultSealed: the key of the backup, or of the vault, was not given.
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
        with told_plainly(vault):
            remove_unfinished(vault)
            return _put_in_place(vault, backup)
    finally:
        lock.release()


def _put_in_place(vault: Path, backup: Backup) -> Restored:
    names = (connection.FILE_NAME, conversation_file.FILE_NAME)
    before = [path for name in names for end in ("", *_LOGS) if (path := vault / f"{name}{end}").is_file()]
    own, theirs = read_key_file(vault), key_of(backup.folder)
    key = key_of(vault) if own else theirs
    copies = {path: vault / (path.name + _UNFINISHED) for path in backup.files}
    for path, copy in copies.items():
        _copy(path, theirs, copy, key)
    with_key = [*before, vault / KEY_FILE_NAME] if own else before
    aside = Backups(vault).put_aside(with_key) if before else None
    if not own and (carried := read_key_file(backup.folder)):
        carried.write(vault)
    remove_caches(vault)
    for path, copy in copies.items():
        # A log that belongs to the old file would be played back into the new one.
        for end in _LOGS:
            (vault / f"{path.name}{end}").unlink(missing_ok=True)
        os.replace(copy, vault / path.name)
    sync(vault)
    if key is not None:
        # Conversations that were not encrypted, and of which the backup has none.
        convert_folder(vault, key, None)
    return Restored(backup.folder, aside)


def _copy(path: Path, theirs: VaultKey | None, copy: Path, key: VaultKey | None) -> None:
    # Encrypting it may have been stopped before it came to this file.
    form = None if is_plain_database(path) else theirs
    if form == key:
        copy_private(path, copy)
    else:
        copy.unlink(missing_ok=True)
        copy_as(path, form, copy, key)
