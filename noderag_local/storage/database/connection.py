"""Opens the vault's SQLite file for writing or reading, and makes the vault's files private to their owner."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import TYPE_CHECKING

from noderag_local.domain.errors import StoreError, VaultDamaged, VaultMissing, VaultTooOld
from noderag_local.storage.database.own_schema import INDEX_SCHEMAS, refuse_foreign
from noderag_local.storage.database.sqlite_errors import damaged, told_plainly
from noderag_local.storage.database.sqlite_file import PAGE_BYTES, OpenedReader, open_for_reading, open_sqlite
from noderag_local.storage.database.unlocked_file import is_writable
from noderag_local.system.disk.private_files import FILE_MODE, FOLDER_MODE

if TYPE_CHECKING:
    import sqlite3

FILE_NAME = "vault.sqlite"
APPLICATION_ID = 0x4E645267
"""Marks a SQLite file as a vault ("NdRg")."""
FORMAT = len(INDEX_SCHEMAS)
"""Newest format: the number of migrations, and PRAGMA user_version of a file that has them all."""
OLDEST_READ = 2
"""Oldest format that readers can use. Later formats added tables for writers, and places, which old texts lack."""


def connect_writer(path: Path) -> sqlite3.Connection:
    """Opens a connection that can write and creates the file if it is missing. The caller holds the writer lock.

    Raises:
        StoreError: the file is read-only or was written by a newer version.
        VaultDamaged: the file is not a vault.
    """
    with told_plainly(path):
        connection = open_sqlite(path, "rwc")
        try:
            version = checked_version(connection, path)
            # A file takes its page size before its first page.
            connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
            connection.execute("PRAGMA journal_mode = WAL")
            # NORMAL may lose the last commits in a power cut. FULL costs 4 ms a transaction, so small files share one.
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA cache_size = -65536")
            if version < FORMAT:
                from noderag_local.storage.database.migrations import migrate

                if version:
                    _back_up(path)
                migrate(connection)
        except BaseException:
            connection.close()
            raise
    return connection


def connect_reader(path: Path) -> OpenedReader:
    """Opens a connection that cannot write; works on a read-only medium, too.

    Raises:
        VaultMissing: the file does not exist or is empty.
        StoreError: the file is unreadable, or was written by a newer version.
        VaultTooOld: the file was written by version 0.1.0 or soon after it, and lacks tables that readers need.
        VaultDamaged: the file is not a vault.
        VaultChanged: as for `open_for_reading`.
    """
    with told_plainly(path):
        if not path.is_file():
            raise missing_vault(path)
        opened = open_for_reading(path)
        try:
            version = checked_version(opened.connection, path)
            if version == 0:
                raise missing_vault(path)
            if version < OLDEST_READ:
                raise _too_old(path)
        except BaseException:
            opened.connection.close()
            raise
    return opened


def _back_up(path: Path) -> None:
    """Makes a backup of a vault before its format changes.

    If there is no room for a backup, the format changes all the same, within one transaction.
    """
    from noderag_local.storage.backup.backups import Backups

    try:
        Backups(path.parent).make()
    except VaultDamaged:
        raise
    except StoreError:
        return


def missing_vault(path: Path) -> VaultMissing:
    """Returns the error that there is no vault in this folder yet."""
    return VaultMissing(f"There is no vault in {path.parent}: index a folder first: noderag index PATH")


def _too_old(path: Path) -> VaultTooOld:
    """Returns the error that a vault cannot be read before it is brought up to date."""
    old, remedy = (
        f"{path} was made by an old version of noderag, and must be brought up to date before it is read",
        "noderag doctor --repair",
    )
    if is_writable(path.parent):
        return VaultTooOld(f"{old}: {remedy} --vault {path.parent}")
    return VaultTooOld(
        f"{old}. Its folder is read-only: copy it to one that can be written, then run: {remedy} --vault COPY"
    )


def checked_version(connection: sqlite3.Connection, path: Path) -> int:
    """Returns the format of the file; 0 for an empty file."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if tables and application != APPLICATION_ID:
        raise damaged(path, "a SQLite file of another program")
    if version > FORMAT:
        raise StoreError(f"{path} was made by a newer version of noderag. Update noderag to open it.")
    refuse_foreign(connection, path, INDEX_SCHEMAS)
    return int(version)


OWN_NAMES = ("vault.*", "conversations.*", "*.arrays", "*.usearch", "*.links", "*.part")
"""Patterns for the names of all files that noderag and its libraries write into a vault's folder, except backups."""


def tighten(folder: Path) -> None:
    """Removes other users' permissions on the files of a vault, and on its folder if that contains nothing else.

    Files of another owner, and file systems without permissions, are left as they are.
    """
    own = {path for pattern in OWN_NAMES for path in folder.glob(pattern)}
    for path in own:
        _restrict(path, FILE_MODE)
    if all(path in own or path.name == "backups" for path in folder.iterdir()):
        _restrict(folder, FOLDER_MODE)


def _restrict(path: Path, mode: int) -> None:
    try:
        status = path.lstat()
        is_plain = stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
        if is_plain and status.st_mode & 0o077:
            path.chmod(mode)
    except OSError:
        return
