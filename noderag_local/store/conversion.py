"""The databases of a folder, put into the form of a key, or of none.

Each is written anew beside the old one, compared with it row by row, and takes its place in one step: at any instant there
is one whole file of each, in one form or the other, and `open_sqlite` opens either.
"""

from __future__ import annotations

import hashlib
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from noderag_local.errors import VaultDamaged
from noderag_local.store import connection, conversation_file
from noderag_local.store.database_copy import problems_of
from noderag_local.store.faults import damaged, told_plainly
from noderag_local.store.on_disk import replace_and_wipe, sync
from noderag_local.store.private_files import make_private_file
from noderag_local.store.sqlite_file import PAGE_BYTES, opened_by_key, raw_key

if TYPE_CHECKING:
    import sqlite3

    from noderag_local.store.vault_key import VaultKey

DATABASES = (connection.FILE_NAME, conversation_file.FILE_NAME)

BUSY_MILLISECONDS = 1000
"""A window that is open stays open; who reads for a moment is waited for."""

_UNFINISHED = ".converted.part"
_TABLES = """
SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow') AND name <> 'sqlite_schema'
ORDER BY name
"""
_SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"
_KEPT_PRAGMAS = ("application_id", "user_version")
"""Numbers that SQLCipher's export leaves out."""


def convert_folder(folder: Path, key: VaultKey | None, before: VaultKey | None) -> None:
    """Puts the databases of a vault or of a backup into the form of a key; those that have it stay as they are.

    The caller holds the writer lock of the vault.

    Args:
        key: None: not encrypted.
        before: the key of those that are not in this form yet.

    Raises:
        VaultDamaged: one is not in order, or of a third key; it stays as it is.
        StoreError: one is open in another program, the disk is full, or fails.
    """
    for name in DATABASES:
        if (folder / name).is_file():
            _convert(folder / name, key, before)


def forms(folder: Path, key: VaultKey | None) -> dict[str, bool]:
    """Of each database of a folder, whether it has the form of a key.

    Raises:
        StoreError: one cannot be read.
    """
    found = {}
    for path in (folder / name for name in DATABASES):
        if path.is_file():
            with told_plainly(path):
                opened = opened_by_key(path, "rw", key)
            found[path.name] = opened is not None
            if opened is not None:
                opened.close()
    return found


def copy_as(source: Path, before: VaultKey | None, target: Path, key: VaultKey | None) -> None:
    """Copies a database that nobody writes to into the form of another key, and compares the two.

    Args:
        before: of the source.
        target: a path where nothing is.

    Raises:
        VaultDamaged: the source is not in order, or of another key.
        StoreError: the disk is full, or fails.
    """
    with told_plainly(target):
        make_private_file(target)
    with told_plainly(source), closing(_opened(source, before)) as original:
        (page_bytes,) = original.execute("PRAGMA page_size").fetchone()
        original.execute("ATTACH DATABASE ? AS target KEY ?", (str(target), "" if key is None else raw_key(key)))
        original.execute(f"PRAGMA target.page_size = {page_bytes if key is None else PAGE_BYTES}")
        original.execute("SELECT sqlcipher_export('target')").fetchone()
        for name in _KEPT_PRAGMAS:
            (number,) = original.execute(f"PRAGMA main.{name}").fetchone()
            original.execute(f"PRAGMA target.{name} = {int(number)}")
        original.execute("DETACH DATABASE target")
        with told_plainly(target), closing(_opened(target, key)) as copy:
            problems = problems_of(copy)
            if problems or _content(copy) != _content(original):
                raise VaultDamaged(f"{source} is damaged ({'; '.join(problems[:3]) or 'its copy has other rows'}).")
    with told_plainly(target):
        sync(target)


def _convert(path: Path, key: VaultKey | None, before: VaultKey | None) -> None:
    with told_plainly(path):
        done = opened_by_key(path, "rw", key)
        if done is not None:
            done.close()
            return
        unfinished = path.with_name(path.name + _UNFINISHED)
        unfinished.unlink(missing_ok=True)
        try:
            with closing(_opened(path, before)) as held:
                held.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")
                # Fails where another program has the file open, and leaves no log that belongs to the old one.
                held.execute("PRAGMA journal_mode = DELETE")
                held.execute("BEGIN IMMEDIATE")
                copy_as(path, before, unfinished, key)
                replace_and_wipe(unfinished, path)
        finally:
            unfinished.unlink(missing_ok=True)


def _opened(path: Path, key: VaultKey | None) -> sqlite3.Connection:
    opened = opened_by_key(path, "rw", key)
    if opened is None:
        raise damaged(path, "it is encrypted by another key")
    return opened


def _content(database: sqlite3.Connection) -> str:
    """SHA-256 of every row of every table, hexadecimal."""
    hashed = hashlib.sha256(repr(database.execute(_SCHEMA).fetchall()).encode("utf-8", "surrogatepass"))
    for name, has_no_rowid in database.execute(_TABLES).fetchall():
        columns = "*" if has_no_rowid else "rowid, *"
        for row in database.execute(f'SELECT {columns} FROM "{name}"'):
            hashed.update(repr(row).encode("utf-8", "surrogatepass"))
    return hashed.hexdigest()
