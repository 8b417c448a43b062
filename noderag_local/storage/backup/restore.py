"""Replaces the files of a vault by those of a backup."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from noderag_local.domain.errors import StoreError, VaultDamaged, VaultReplaced
from noderag_local.storage.backup.backups import Backup, Backups
from noderag_local.storage.backup.database_copy import problems_of
from noderag_local.storage.conversations import conversation_file
from noderag_local.storage.database import connection
from noderag_local.storage.database.lock import WriterLock
from noderag_local.storage.database.sqlite_errors import told_plainly
from noderag_local.storage.database.sqlite_file import is_plain_database, open_sqlite, opened_by_key
from noderag_local.storage.encryption.conversion import copy_as, databases, encrypt_folder
from noderag_local.storage.encryption.generations import count_on, forget_seen
from noderag_local.storage.encryption.key_file import hash_of, is_noted_plain, key_of, read_key_file
from noderag_local.storage.encryption.known_vaults import forget_vault
from noderag_local.storage.encryption.vault_key import KEY_FILE_NAME, VaultKey
from noderag_local.storage.snapshots.cache_file import remove_caches, remove_unfinished
from noderag_local.system.disk.on_disk import sync
from noderag_local.system.disk.private_files import copy_private, make_private_folder

_LOGS = ("-wal", "-shm", "-journal")
_UNFINISHED = ".restored.part"


@dataclass(frozen=True, slots=True)
class Restored:
    """Result of a restore."""

    backup: Path
    aside: Path | None
    """Folder with the replaced files; None if the vault had no files."""


def restore(vault: Path, backup: Backup) -> Restored:
    """Replaces the vault's files by those of a backup and keeps the replaced files in a folder of their own.

    Caches are made again when they are needed. If the process is killed, each database is either the old one or the restored
    one, and copies of all old files are already in their folder. An encrypted vault keeps its own key, whatever key the backup
    has; a vault without files takes over the backup's key.

    Raises:
        VaultSealed: the key of the backup or of the vault was not given.
        VaultReplaced: the vault is encrypted, or was, and the backup is not.
        VaultDamaged: the backup is damaged or incomplete; nothing was changed.
        VaultLocked: another process is writing to the vault.
        StoreError: there is not enough room, or the disk fails.
    """
    backup.check()
    with _locked(vault):
        return _put_in_place(vault, backup)


def accept(vault: Path) -> None:
    """Accepts a vault's files even if this machine has seen newer ones, or has seen the vault encrypted.

    If the vault has a key, its unencrypted files are encrypted. If the process is killed, the next call finishes the work.

    Raises:
        VaultSealed: the vault has a key, which was not given.
        VaultDamaged: a file is damaged.
        VaultLocked, StoreError: the vault cannot be written.
    """
    with _locked(vault):
        forget_vault(vault)
        file, key = read_key_file(vault), key_of(vault)
        if file is None or key is None:
            return
        there = {path.name: hash_of(path) for path in databases(vault) if is_plain_database(path)}
        file = file.noting(key, {**file.noted(key), **there})
        file.write(vault)
        encrypt_folder(vault, file, key)
        for path in databases(vault):
            with closing(open_sqlite(path)) as opened:
                forget_seen(opened)


@contextmanager
def _locked(vault: Path) -> Iterator[None]:
    with told_plainly(vault):
        make_private_folder(vault)
    lock = WriterLock(vault)
    lock.take()
    try:
        with told_plainly(vault):
            remove_unfinished(vault)
            yield
    finally:
        lock.release()


def _put_in_place(vault: Path, backup: Backup) -> Restored:
    own, theirs = read_key_file(vault), key_of(backup.folder)
    if own is not None and theirs is None:
        raise _not_encrypted(vault, backup)
    aside = None
    if own is None and theirs is not None:
        aside = _put_aside(vault)
        _bring_key(vault, backup, theirs)
    key = key_of(vault)
    copies = {path: vault / (path.name + _UNFINISHED) for path in backup.files}
    for path, copy in copies.items():
        _copy(path, theirs, copy, key)
    if key is not None:
        _count_on(vault, copies, key)
    aside = aside or _put_aside(vault)
    remove_caches(vault)
    for path in copies:
        _write_log_back(vault / path.name)
    for path, copy in copies.items():
        # SQLite would apply a log of the old file to the new one.
        for end in _LOGS:
            (vault / f"{path.name}{end}").unlink(missing_ok=True)
        os.replace(copy, vault / path.name)
    sync(vault)
    return Restored(backup.folder, aside)


def _write_log_back(path: Path) -> None:
    """Writes the log of a file that is to be replaced into it: a kill between the two must not leave the file without its log.

    A file that is damaged or in use by another program stays as it is; a copy of it lies aside.
    """
    if path.with_name(f"{path.name}-wal").is_file():
        with suppress(StoreError), told_plainly(path), closing(open_sqlite(path)) as opened:
            opened.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _put_aside(vault: Path) -> Path | None:
    names = (connection.FILE_NAME, conversation_file.FILE_NAME)
    before = [path for name in names for end in ("", *_LOGS) if (path := vault / f"{name}{end}").is_file()]
    key_file = [path for path in (vault / KEY_FILE_NAME,) if path.is_file()]
    return Backups(vault).put_aside([*before, *key_file]) if before else None


def _bring_key(vault: Path, backup: Backup, key: VaultKey) -> None:
    """Encrypts the present files with the backup's key, since conversations stay if the backup has none."""
    file = read_key_file(backup.folder)
    if file is None:
        return
    for path in databases(vault):
        if not _is_whole(path):
            # The file was already unreadable, and a copy of it is kept.
            path.unlink()
    encrypt_folder(vault, replace(file, plain={}, plain_mac=""), key)


def _is_whole(path: Path) -> bool:
    try:
        with told_plainly(path), closing(open_sqlite(path)) as opened:
            return not problems_of(opened)
    except VaultDamaged:
        return False


def _copy(path: Path, theirs: VaultKey | None, copy: Path, key: VaultKey | None) -> None:
    # Encrypting the backup may have been interrupted before this file.
    form = None if theirs is None or is_noted_plain(path, theirs) else theirs
    if form == key:
        copy_private(path, copy)
    else:
        copy.unlink(missing_ok=True)
        copy_as(path, form, copy, key)


def _count_on(vault: Path, copies: dict[Path, Path], key: VaultKey) -> None:
    """Raises the change counts of the restored files, so that the replaced files count as outdated."""
    with ExitStack() as stack:
        opened: dict[str, sqlite3.Connection] = {}
        for path, copy in copies.items():
            one = opened_by_key(copy, "rw", key)
            if one is not None:
                opened[path.name] = stack.enter_context(closing(one))
        count_on(opened, vault, key)


def _not_encrypted(vault: Path, backup: Backup) -> VaultReplaced:
    return VaultReplaced(
        f"{backup.folder} is not encrypted, but the vault in {vault} is: anybody could have written this backup, so it is not "
        "restored. If it is yours, restore it into a new folder and encrypt that: noderag restore BACKUP --vault DIR, then "
        "noderag encrypt --vault DIR."
    )
