"""Opening a SQLite file: by Python's own SQLite, or by SQLCipher where its folder is that of an encrypted vault.

Two libraries in one process must never open the same file: closing it in one drops the locks of the other. In an encrypted
folder SQLCipher therefore opens everything, also what is not encrypted yet.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, cast

from noderag_local.store.faults import damaged
from noderag_local.store.vault_key import KEY_FILE_NAME, VaultKey

BUSY_SECONDS = 10.0
PATIENT_MILLISECONDS, HURRIED_MILLISECONDS = 3000, 500
"""How long readers of a log are waited for that is to be emptied: where that was asked for, and where it is done by the way."""
PAGE_BYTES = 8192
"""Ten vectors fit one page."""
SEALED_CACHE_KIB = 65_536
"""Pages that a connection keeps decrypted: a page is decrypted, and its HMAC computed, whenever it is read from the file."""

_BEGINNING = b"SQLite format 3\0"


def open_sqlite(path: Path, mode: str = "rw") -> sqlite3.Connection:
    """A connection whose statements commit as they come, for any thread; transactions are opened by hand.

    Args:
        mode: of SQLite's URIs: "ro", "rw", or "rwc", which makes the file where it is missing, encrypted where the folder
            has a key.

    Raises:
        VaultSealed, VaultDamaged: the folder has a key that was not given, or cannot be read.
        sqlite3.Error, or SQLCipher's own: the file cannot be opened.
    """
    if not path.with_name(KEY_FILE_NAME).exists():
        return sqlite3.connect(
            _uri(path, mode), uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
    from noderag_local.store.key_file import key_of

    key = key_of(path.parent)
    # Without the key: what a conversion has not come to yet. Once more with it: what it has come to between the two.
    for form in (key, None, key):
        connection = opened_by_key(path, mode, form)
        if connection is not None:
            return connection
    raise damaged(path, f"it is not a database, or of another {KEY_FILE_NAME}")


def opened_by_key(path: Path, mode: str, key: VaultKey | None) -> sqlite3.Connection | None:
    """A connection of SQLCipher, which has the same methods as one of `sqlite3`; None where the file does not have this form.

    A file that is empty or about to be made has any form.

    Args:
        key: None: it is not encrypted.

    Raises:
        SQLCipher's errors: the file cannot be opened.
    """
    connection = _sqlcipher().connect(
        _uri(path, mode), uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        # Sorting and temporary tables hold texts.
        connection.execute("PRAGMA temp_store = MEMORY")
        if key is not None:
            # A pragma takes no parameters; errors of SQLite do not repeat the statement.
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
    """Whether a file begins as a database that is not encrypted; one that is still empty is neither.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        return file.read(len(_BEGINNING)) == _BEGINNING


def raw_key(key: VaultKey) -> str:
    """As SQLCipher takes a key that needs no slow derivation."""
    return f"x'{key.derived(b'database').hex()}'"


@cache
def _sqlcipher() -> Any:
    from sqlcipher3 import dbapi2

    with closing(dbapi2.connect(":memory:")) as connection:
        # Both hold for the process. ATTACH reads a first page before the attached file could be told its page size.
        connection.execute(f"PRAGMA cipher_default_page_size = {PAGE_BYTES}")
        # A file that does not open is told by an error, not on the terminal.
        connection.execute("PRAGMA cipher_log_level = NONE")
    return dbapi2


def _uri(path: Path, mode: str) -> str:
    return f"{path.absolute().as_uri()}?mode={mode}"
