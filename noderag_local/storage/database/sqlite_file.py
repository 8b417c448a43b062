"""Opens a SQLite file with Python's own SQLite, or with SQLCipher in the folder of an encrypted vault.

Two libraries in one process must never open the same file, because closing it in one drops the locks of the other. So
SQLCipher opens every file in an encrypted folder, even one that is not encrypted yet. Such a file must be listed with its
hash in the key file; otherwise somebody may have put it there.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import time
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

from noderag_local.domain.errors import VaultChanged
from noderag_local.storage.database.sqlite_errors import damaged, is_busy, sqlite_errors
from noderag_local.storage.database.unlocked_file import FileState, is_writable, state_of
from noderag_local.storage.encryption.known_vaults import refuse_plain
from noderag_local.storage.encryption.vault_key import KEY_FILE_NAME, VaultKey

SQLITE_VERSION = sqlite3.sqlite_version
BUSY_SECONDS = 10.0
PATIENT_MILLISECONDS, HURRIED_MILLISECONDS = 3000, 500
"""Time that emptying a log waits for readers: if the user asked for it, and if it is done along with other work."""
PAGE_BYTES = 8192
"""Size of a page in bytes; ten vectors fit into one."""
SEALED_CACHE_KIB = 65_536
"""Number of decrypted pages that a connection caches; every read from the file decrypts a page and checks its HMAC."""

_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 1 << 28,
    sqlite3.SQLITE_LIMIT_ATTACHED: 1,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 4,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
"""Limits of a connection. The longest allowed value is many times noderag's largest; VACUUM needs one attached database."""

_BEGINNING = b"SQLite format 3\0"
_FIRST_READ = "SELECT count(*) FROM sqlite_master"
_ALONE = "ro&immutable=1"
"""Mode for a file without a log: no locks, and no file beside it."""
_WITH_LOG = f"ro&vfs={'win32' if sys.platform == 'win32' else 'unix'}-none"
"""Mode for a file with a log: no locks; the index of the log is kept in memory and not in a file beside it."""
_PAUSES = (0.1, 0.3, 1.0)
"""Seconds to wait before opening a file again that is written from elsewhere just now."""


def open_sqlite(path: Path, mode: str = "rw") -> sqlite3.Connection:
    """Opens a connection that any thread may use. Statements commit at once unless a transaction was begun explicitly.

    Args:
        path: path of the database.
        mode: mode of SQLite's URIs: "ro", "rw", a mode without locks, or "rwc", which creates a missing file, encrypted if the folder has a key.

    Raises:
        VaultSealed: the folder has a key that was not given.
        VaultDamaged: the folder has a key file that cannot be read.
        VaultReplaced: the folder has a key and the file is not encrypted, or the folder has lost its key file.
        sqlite3.Error, or SQLCipher's own: the file cannot be opened.
    """
    if not os.path.lexists(path.with_name(KEY_FILE_NAME)):
        refuse_plain(path.parent)
        connected = sqlite3.connect(
            _uri(path, mode), uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        return distrusting(_exclusive(connected, mode))
    from noderag_local.storage.encryption.key_file import is_noted_plain, key_of, not_encrypted

    key = key_of(path.parent)
    if key is None:
        raise damaged(path.with_name(KEY_FILE_NAME), "it is a link to nothing")
    connection = opened_by_key(path, mode, key)
    if connection is None and is_noted_plain(path, key):
        # A file that a conversion has not reached yet. It is opened for reading only: the next writer encrypts it first.
        return _found(opened_by_key(path, _ALONE, None), path)
    if connection is None:
        # Tried once more, because a conversion may have replaced the file in between.
        connection = opened_by_key(path, mode, key)
    if connection is None and is_plain_database(path):
        raise not_encrypted(path)
    return _found(connection, path)


def _exclusive(connection: sqlite3.Connection, mode: str) -> sqlite3.Connection:
    if mode == _WITH_LOG:
        # Before the first read, SQLite then keeps the index of the log in memory.
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    return connection


def distrusting(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Prepares a connection for an untrusted file: its schema cannot run functions, and sizes are limited."""
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    for limit, most in _LIMITS.items():
        connection.setlimit(limit, most)
    if sys.version_info >= (3, 12):
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)
    return connection


def _found(connection: sqlite3.Connection | None, path: Path) -> sqlite3.Connection:
    if connection is None:
        raise damaged(path, f"it is not a database, or belongs to another {KEY_FILE_NAME}")
    return connection


class OpenedReader(NamedTuple):
    """A connection that cannot write."""

    connection: sqlite3.Connection
    state: FileState | None
    """State of the file when it was opened, if it is read without locks; None if locks keep it whole."""


def open_for_reading(path: Path) -> OpenedReader:
    """Opens a connection that cannot write.

    In a folder that this process cannot write to, the file is read without locks and no file is made.

    Raises:
        VaultChanged: the file has no locks and is written from elsewhere just now.
        The errors of `open_sqlite`.
    """
    if not is_writable(path.parent):
        return _opened_without_locks(path)
    try:
        return OpenedReader(_opened_reader(path), None)
    except sqlite_errors("OperationalError") as error:
        # Some systems do not tell that a folder is read-only before a file is made in it.
        if is_busy(error) or state_of(path).log_bytes:
            raise
        return _opened_without_locks(path)


def _opened_reader(path: Path) -> sqlite3.Connection:
    # Not mode=ro, which leaves the log's two files behind. SQLite opens a write-protected file for reading by itself.
    connection = open_sqlite(path)
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.execute(_FIRST_READ).fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _opened_without_locks(path: Path) -> OpenedReader:
    for pause in (*_PAUSES, 0.0):
        state = state_of(path)
        connection = open_sqlite(path, _WITH_LOG if state.log_bytes else _ALONE)
        try:
            connection.execute(_FIRST_READ).fetchone()
            if not state.is_torn(state_of(path)):
                return OpenedReader(connection, state)
        except BaseException:
            connection.close()
            if not state.is_torn(state_of(path)):
                raise
        connection.close()
        time.sleep(pause)
    raise changed_meanwhile(path)


def changed_meanwhile(path: Path) -> VaultChanged:
    """Returns the error that a file which is read without locks was written from elsewhere."""
    return VaultChanged(
        f"{path} was written by another program or machine while it was read from a read-only folder, so nothing that was read is "
        "used. Run the command again."
    )


def opened_by_key(path: Path, mode: str, key: VaultKey | None) -> sqlite3.Connection | None:
    """Opens a connection of SQLCipher, which has the methods of `sqlite3`; returns None if the key does not fit the file.

    Any key fits an empty or a new file.

    Args:
        path: path of the database.
        mode: as for `open_sqlite`.
        key: key of the vault; None: the file is not encrypted.

    Raises:
        SQLCipher's errors: the file cannot be opened.
    """
    connection = _sqlcipher().connect(
        _uri(path, mode), uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        _exclusive(connection, mode)
        # SQLCipher's connection has no limits to set. Encrypted files are the vault's own; others are checked by `own_schema`.
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        # In memory, because sorting and temporary tables hold texts of the notes.
        connection.execute("PRAGMA temp_store = MEMORY")
        if key is not None:
            # A pragma takes no parameters. Errors of SQLite do not quote the statement, so the key does not leak.
            connection.execute(f'PRAGMA key = "{raw_key(key)}"')
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if key is not None:
            connection.execute(f"PRAGMA cache_size = -{SEALED_CACHE_KIB}")
    except _sqlcipher().Error as error:
        connection.close()
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_NOTADB:
            return None
        raise
    return cast(sqlite3.Connection, connection)


def is_plain_database(path: Path) -> bool:
    """Returns whether a file starts like an unencrypted database; an empty file does not.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        return file.read(len(_BEGINNING)) == _BEGINNING


def raw_key(key: VaultKey) -> str:
    """Returns a key as SQLCipher writes raw keys, which it uses without deriving them from a passphrase."""
    return f"x'{key.derived(b'database').hex()}'"


@cache
def _sqlcipher() -> Any:
    from sqlcipher3 import dbapi2

    with closing(dbapi2.connect(":memory:")) as connection:
        # Both settings hold for the whole process. ATTACH reads the first page before a page size could be set for that file.
        connection.execute(f"PRAGMA cipher_default_page_size = {PAGE_BYTES}")
        # A file that does not open raises an error; nothing is printed on the terminal.
        connection.execute("PRAGMA cipher_log_level = NONE")
    return dbapi2


def _uri(path: Path, mode: str) -> str:
    return f"{path.absolute().as_uri()}?mode={mode}"
