"""Opens the SQLite file of the conversations for one operation and closes it afterwards."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from noderag_local.domain.errors import StoreError
from noderag_local.storage.database.own_schema import CONVERSATION_SCHEMAS, refuse_foreign, statements_of
from noderag_local.storage.database.sqlite_errors import read_only, sqlite_errors
from noderag_local.storage.database.sqlite_file import (
    HURRIED_MILLISECONDS,
    changed_meanwhile,
    open_for_reading,
    open_sqlite,
)
from noderag_local.storage.database.unlocked_file import is_writable, state_of
from noderag_local.storage.encryption.vault_key import KEY_FILE_NAME
from noderag_local.system.disk.on_disk import wiped_when_nameless
from noderag_local.system.disk.private_files import make_private_file

if TYPE_CHECKING:
    from noderag_local.storage.encryption.generations import Least

FILE_NAME = "conversations.sqlite"
APPLICATION_ID = 0x4E645263
"""Marks a SQLite file as conversations ("NdRc")."""
FORMAT = len(CONVERSATION_SCHEMAS)
"""PRAGMA user_version."""

_MARK = "INSERT INTO traces_left (since_ms) SELECT max(?, 1 + coalesce(max(since_ms), 0)) FROM traces_left"
"""Query for the latest mark. Marks only grow; row ids are not used, since VACUUM may change them."""


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection | None]:
    """Opens the file for reading within one transaction; yields None if there is no file yet.

    Raises:
        VaultChanged: as for `open_for_reading`, or when the block has ended.
        StoreError: the file cannot be used.
    """
    with _told_plainly(path):
        if not path.is_file():
            yield None
            return
        opened = open_for_reading(path)
        with closing(opened.connection) as connection:
            if _checked_format(connection, path) == 0:
                yield None
                return
            _checked_generations(connection, path)
            connection.execute("BEGIN")
            yield connection
            connection.execute("COMMIT")
        if opened.state is not None and opened.state.is_torn(state_of(path)):
            raise changed_meanwhile(path)


@contextmanager
def writing(path: Path) -> Iterator[sqlite3.Connection]:
    """Opens the file for writing within one transaction; creates the file if it does not exist.

    Raises:
        StoreError: the file cannot be used.
    """
    if path.parent.is_dir() and not is_writable(path.parent):
        raise read_only(path.parent)
    with _told_plainly(path):
        _finish_encrypting(path.parent)
        # Only the owner may read the file; SQLite gives its log files the same permissions.
        make_private_file(path)
        with closing(open_sqlite(path)) as connection:
            # Checked first, because the next line would change a file of another program.
            _checked_format(connection, path)
            least = _checked_generations(connection, path)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("BEGIN IMMEDIATE")
            try:
                # Checked again within the transaction, so that two processes that open a new file do not both make the tables.
                _bring_up_to_date(connection, _checked_format(connection, path))
                yield connection
                generation = _counted(connection, least)
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            _note(path, least, generation)
            _close(connection, path)


def has_traces(path: Path) -> bool:
    """Returns whether the file or its log may still contain bytes of deleted turns.

    Raises:
        StoreError: the file cannot be used.
    """
    with reading(path) as connection:
        return connection is not None and bool(_last_mark(connection))


def note_traces(connection: sqlite3.Connection) -> None:
    """Records that deleted turns may leave bytes in the file until `clear_traces`; called in the deleting transaction."""
    connection.execute(_MARK, (time.time_ns() // 1_000_000,))


def clear_traces(path: Path, wait_milliseconds: int) -> bool:
    """Erases deleted turns from the free pages of the file and from its log; does nothing if there is no file.

    Args:
        path: path of the file with the conversations.
        wait_milliseconds: how long to wait for other programs that read the file.

    Returns:
        False if another program kept reading: the log could not be emptied, and `has_traces` stays as it was.

    Raises:
        StoreError: the file cannot be used.
    """
    with _told_plainly(path):
        if not path.is_file():
            return True
        with closing(open_sqlite(path)) as connection:
            if not _checked_format(connection, path):
                return True
            noted = _last_mark(connection)
            connection.execute(f"PRAGMA busy_timeout = {wait_milliseconds}")
            # First, because VACUUM is useless while the log still holds deleted text.
            if not _emptied_log(connection):
                return False
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("INSERT INTO turn_words (turn_words) VALUES ('rebuild')")
            connection.execute("VACUUM")
            if not _emptied_log(connection):
                return False
            if noted:
                # Marks of turns that another program deletes at the same time must stay.
                connection.execute("DELETE FROM traces_left WHERE since_ms <= ?", (noted,))
                _emptied_log(connection)
            return True


def has_table(connection: sqlite3.Connection, name: str) -> bool:
    """Returns whether the file has a table; files of an older format lack some."""
    return bool(connection.execute("SELECT count(*) FROM sqlite_master WHERE name = ?", (name,)).fetchone()[0])


def _last_mark(connection: sqlite3.Connection) -> int:
    if not has_table(connection, "traces_left"):
        return 0
    return int(connection.execute("SELECT coalesce(max(since_ms), 0) FROM traces_left").fetchone()[0])


def _close(connection: sqlite3.Connection, path: Path) -> None:
    """Closes the file after writing and empties its log as far as other programs that have it open allow."""
    log = path.with_name(f"{path.name}-wal")
    # Closing removes the log if no other program has the file open.
    with suppress(OSError), wiped_when_nameless(log):
        connection.close()
    if log.exists():
        with closing(open_sqlite(path)) as again:
            again.execute(f"PRAGMA busy_timeout = {HURRIED_MILLISECONDS}")
            _emptied_log(again)


def _emptied_log(connection: sqlite3.Connection) -> bool:
    (is_busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not is_busy


def _finish_encrypting(folder: Path) -> None:
    """Finishes an interrupted encryption of the folder before anything is written."""
    if not os.path.lexists(folder / KEY_FILE_NAME):
        return
    from noderag_local.storage.encryption.key_file import is_encrypted_in_part

    if not is_encrypted_in_part(folder):
        return
    from noderag_local.storage.database.lock import WriterLock
    from noderag_local.storage.encryption.conversion import finish_encrypting

    lock = WriterLock(folder)
    lock.take()
    try:
        finish_encrypting(folder)
    finally:
        lock.release()


def _checked_generations(connection: sqlite3.Connection, path: Path) -> Least | None:
    """Checks the change counts of an encrypted vault; returns None if the vault is not encrypted."""
    if not os.path.lexists(path.with_name(KEY_FILE_NAME)):
        return None
    from noderag_local.storage.encryption.generations import check_generations

    return check_generations(path.parent, conversations=connection)


def _counted(connection: sqlite3.Connection, least: Least | None) -> int:
    if least is None:
        return 0
    from noderag_local.storage.encryption.generations import count_conversations

    return count_conversations(connection, least)


def _note(path: Path, least: Least | None, generation: int) -> None:
    if least is not None:
        from noderag_local.storage.encryption.generations import note_conversations

        with suppress(StoreError, OSError):
            note_conversations(path.parent, least, generation)


def _checked_format(connection: sqlite3.Connection, path: Path) -> int:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if tables and application != APPLICATION_ID:
        raise StoreError(f"{path} is a SQLite file of another program. Move it away; conversations then start empty.")
    if version > FORMAT:
        raise StoreError(f"{path} was made by a newer version of noderag. Update noderag to open it.")
    refuse_foreign(connection, path, CONVERSATION_SCHEMAS)
    return int(version)


def _bring_up_to_date(connection: sqlite3.Connection, version: int) -> None:
    if version == FORMAT:
        return
    for name in CONVERSATION_SCHEMAS[version:]:
        for statement in statements_of(name):
            connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {FORMAT}")


@contextmanager
def _told_plainly(path: Path) -> Iterator[None]:
    """Turns errors of SQLite and of the file system into a `StoreError` about this file."""
    try:
        yield
    except sqlite_errors("ProgrammingError"):
        raise
    except sqlite_errors() as error:
        raise StoreError(
            f"{path} cannot be used: {error}. Nothing of this step was saved. Check the disk and the permissions; if the "
            "file is damaged, move it away, and conversations start empty."
        ) from error
    except OSError as error:
        raise StoreError(
            f"{error.filename or path} cannot be used: {error.strerror or error}. Check the disk and the permissions of "
            f"{path.parent}."
        ) from error
