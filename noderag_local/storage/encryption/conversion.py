"""Encrypts and decrypts the databases of a folder.

The new file of a database is written beside the old one, compared with it row by row, and then replaces it in one step. So
at any time each database is one complete file, encrypted or not. `open_sqlite` opens both, since the key file lists those
that are not encrypted.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from noderag_local.domain.errors import StoreError, VaultDamaged
from noderag_local.storage.backup.database_copy import problems_of
from noderag_local.storage.conversations import conversation_file
from noderag_local.storage.database import connection
from noderag_local.storage.database.own_schema import CONVERSATION_SCHEMAS, INDEX_SCHEMAS, refuse_foreign
from noderag_local.storage.database.sqlite_errors import damaged, told_plainly
from noderag_local.storage.database.sqlite_file import PAGE_BYTES, is_plain_database, opened_by_key, raw_key
from noderag_local.storage.encryption.conversion_progress import ConversionProgress
from noderag_local.storage.encryption.generations import forget_seen
from noderag_local.storage.encryption.key_file import (
    KeyFile,
    hash_of,
    is_noted_plain,
    key_of,
    not_encrypted,
    read_key_file,
    remove_key_file,
)
from noderag_local.storage.encryption.known_vaults import forget_vault
from noderag_local.storage.snapshots.cache_file import remove_unfinished
from noderag_local.system.disk.on_disk import replace_and_wipe, sync, wipe, wiped_when_removed
from noderag_local.system.disk.private_files import make_private_file

if TYPE_CHECKING:
    import sqlite3

    from noderag_local.storage.encryption.vault_key import VaultKey

_SCHEMAS = {connection.FILE_NAME: INDEX_SCHEMAS, conversation_file.FILE_NAME: CONVERSATION_SCHEMAS}
DATABASES = tuple(_SCHEMAS)

BUSY_MILLISECONDS = 1000
"""Time to wait for short reads of other programs; a program that keeps the database open makes the conversion fail."""
WRITTEN, CHECKED = 0.2, 0.5
"""Shares of the work that are done after a copy is written and after it is checked; the rest is comparing."""

_UNFINISHED = ".converted.part"
_ROWS = 1000
_TABLES = """
SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow') AND name <> 'sqlite_schema'
ORDER BY name
"""
_SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"
_KEPT_PRAGMAS = ("application_id", "user_version")
"""Pragmas with numbers that SQLCipher's export does not copy."""


def databases(folder: Path) -> list[Path]:
    """Returns the databases in the folder of a vault or a backup."""
    return [path for name in DATABASES if (path := folder / name).is_file()]


def check_convertible(folder: Path, before: VaultKey | None) -> None:
    """Checks that the databases of a folder can be encrypted or decrypted; changes nothing.

    Raises:
        VaultDamaged: a file is not a database, or is encrypted with another key.
        StoreError: a database is open in another program, or there is no room for a second copy of it.
    """
    for path in databases(folder):
        with told_plainly(path), _held(path, before):
            size_bytes, free = path.stat().st_size, shutil.disk_usage(folder).free
        if free < size_bytes:
            raise StoreError(
                f"A new copy of {path} is written, which needs {size_bytes / 1e6:.0f} MB for a while, but {folder} has only "
                f"{free / 1e6:.0f} MB free. Free some space, then run the command again."
            )


def encrypt_folder(
    folder: Path,
    file: KeyFile,
    key: VaultKey,
    progress: ConversionProgress | None = None,
    others: Mapping[str, str] | None = None,
) -> None:
    """Encrypts the databases of a vault or a backup and writes the key file; resumes an interrupted conversion.

    At the start, the key file lists the files that are not encrypted, with their hashes, while nobody can write to them. Only
    these files are encrypted later; others are refused. The caller holds the writer lock of the vault.

    Args:
        folder: folder of the vault or backup.
        file: key file of this key.
        key: key to encrypt with.
        progress: receives the progress and says whether to stop; may be None.
        others: further files below the folder that the key file must list as not encrypted, with their hashes.

    Raises:
        Stopped: the user stopped the conversion; each database is complete, encrypted or not.
        VaultReplaced: a database that should be encrypted is not.
        VaultDamaged: a database is damaged or encrypted with a third key; it stays as it is.
        StoreError: a database is open in another program, or the disk is full or fails.
    """
    progress = progress or ConversionProgress()
    remove_unfinished(folder)
    before = _key_file_of(folder, file)
    left = [path for path in databases(folder) if not _is_under(path, key)]
    if before is not None:
        _refuse_unless_noted(left, key)
    with ExitStack() as stack:
        held = {path: stack.enter_context(_told_and_held(path, None)) for path in left}
        if before is None:
            before = file.noting(key, {**_hashes(held, stack), **(others or {})})
            before.write(folder)
        for path, opened in held.items():
            with told_plainly(path), progress.over(path):
                _convert(opened, path, key, progress)
    own = {path.name for path in databases(folder)}
    file.noting(key, {name: digest for name, digest in before.noted(key).items() if name not in own}).write(folder)


def decrypt_folder(folder: Path, key: VaultKey, progress: ConversionProgress | None = None) -> None:
    """Decrypts the databases of a vault or a backup and removes the key file; otherwise works like `encrypt_folder`.

    Until the key file is removed, it lists the decrypted files, and the next writer would encrypt them again. The key file stays
    if a database does not open with its key, because that database could never be read without it.
    """
    progress = progress or ConversionProgress()
    remove_unfinished(folder)
    check_under_key(folder, key)
    for path in databases(folder):
        if not _is_under(path, key):
            continue
        with told_plainly(path), progress.over(path), _held(path, key) as held:
            _convert(held, path, None, progress, partial(_note, folder, key))
    forget_vault(folder)
    remove_key_file(folder)


def check_under_key(folder: Path, key: VaultKey) -> None:
    """Checks that a key opens every database of a folder, except those that its key file lists as not encrypted.

    Raises:
        VaultReplaced: a database that should be encrypted is not.
        VaultDamaged: a database is damaged or encrypted with another key.
    """
    _refuse_unless_noted((path for path in databases(folder) if not _is_under(path, key)), key)


def _refuse_unless_noted(paths: Iterable[Path], key: VaultKey) -> None:
    for path in paths:
        if not is_noted_plain(path, key):
            raise not_encrypted(path) if is_plain_database(path) else damaged(path, "its vault's key does not open it")


def finish_encrypting(folder: Path) -> None:
    """Finishes an interrupted encryption before anything is written to the databases; does nothing if none was interrupted.

    The caller holds the writer lock of the vault. Raises the errors of `encrypt_folder` except Stopped, and VaultSealed if the
    key was not given.
    """
    file, key = read_key_file(folder), key_of(folder)
    if file is not None and key is not None:
        encrypt_folder(folder, file, key)


def _note(folder: Path, key: VaultKey, name: str, digest: str) -> None:
    file = read_key_file(folder)
    if file is not None:
        file.noting(key, {**file.noted(key), name: digest}).write(folder)


def _key_file_of(folder: Path, file: KeyFile) -> KeyFile | None:
    """Returns the key file in the folder if it belongs to the same key as `file`; else None."""
    try:
        there = read_key_file(folder)
    except VaultDamaged:
        return None
    return there if there is not None and there.proof == file.proof else None


def _is_under(path: Path, key: VaultKey) -> bool:
    """Returns whether a database is encrypted with a key; True for an empty database."""
    with told_plainly(path):
        opened = opened_by_key(path, "rw", key)
    if opened is None:
        return False
    opened.close()
    return True


def _hashes(held: Iterable[Path], stack: ExitStack) -> dict[str, str]:
    """Returns the SHA-256 of databases and keeps other programs from writing to them until the stack is closed."""
    hashes = {}
    for path in held:
        with told_plainly(path):
            # The file stays open: closing it would drop this process's locks on the database.
            file = stack.enter_context(path.open("rb"))
            hashes[path.name] = hashlib.file_digest(file, "sha256").hexdigest()
    return hashes


def copy_as(source: Path, before: VaultKey | None, target: Path, key: VaultKey | None) -> None:
    """Copies a database under another key, or without encryption, and compares the copy with the source.

    Args:
        source: path of the database.
        before: key of the source; None if it is not encrypted.
        target: path of the copy, which must not exist.
        key: key of the copy; None leaves it unencrypted.

    Raises:
        VaultDamaged: the source is damaged or has another key.
        StoreError: the disk is full or fails.
    """
    with told_plainly(source), closing(_opened(source, before)) as original:
        _copy(original, source, target, key, ConversionProgress())


def _convert(
    held: sqlite3.Connection,
    path: Path,
    key: VaultKey | None,
    progress: ConversionProgress,
    note: Callable[[str, str], None] = lambda _name, _digest: None,
) -> None:
    """Replaces a locked database by a copy under another key, or without encryption.

    Args:
        held: connection that keeps other programs out of the database.
        path: path of the database.
        key: key of the copy; None leaves it unencrypted.
        progress: receives the progress and says whether to stop.
        note: called with the database's name and the copy's hash before the copy replaces the database.
    """
    unfinished = path.with_name(path.name + _UNFINISHED)
    try:
        _copy(held, path, unfinished, key, progress)
        if key is None:
            # Unencrypted files are not compared with anything, so somebody could exchange them before they are encrypted again.
            with closing(_opened(unfinished, key)) as copy:
                forget_seen(copy)
        note(path.name, hash_of(unfinished))
        replace_and_wipe(unfinished, path)
    finally:
        wipe(unfinished)


@contextmanager
def _told_and_held(path: Path, key: VaultKey | None) -> Iterator[sqlite3.Connection]:
    with told_plainly(path), _held(path, key) as held:
        yield held


@contextmanager
def _held(path: Path, key: VaultKey | None) -> Iterator[sqlite3.Connection]:
    """Holds a database without a log, which nobody else has open or can read until the end of the block."""
    with closing(_opened(path, key)) as held:
        held.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")
        with wiped_when_removed(path.with_name(f"{path.name}-wal")):
            # Fails if another program has the file open, and removes the log, which would not fit the new file.
            held.execute("PRAGMA journal_mode = DELETE")
        # Keeps readers out: the old file is overwritten while they would read it.
        held.execute("PRAGMA main.locking_mode = EXCLUSIVE")
        held.execute("BEGIN EXCLUSIVE")
        held.execute("COMMIT")
        yield held


def _copy(
    original: sqlite3.Connection, source: Path, target: Path, key: VaultKey | None, progress: ConversionProgress
) -> None:
    size_bytes = source.stat().st_size
    with told_plainly(target):
        make_private_file(target)
    (page_bytes,) = original.execute("PRAGMA page_size").fetchone()
    # As a URI, since a path need not be valid UTF-8, but a parameter must be.
    place = target.absolute().as_uri()
    original.execute("ATTACH DATABASE ? AS target KEY ?", (place, "" if key is None else raw_key(key)))
    original.execute(f"PRAGMA target.page_size = {page_bytes if key is None else PAGE_BYTES}")
    with progress.watching(original, lambda: WRITTEN * min(target.stat().st_size / size_bytes, 1.0)):
        original.execute("SELECT sqlcipher_export('target')").fetchone()
    for name in _KEPT_PRAGMAS:
        (number,) = original.execute(f"PRAGMA main.{name}").fetchone()
        original.execute(f"PRAGMA target.{name} = {int(number)}")
    original.execute("DETACH DATABASE target")
    with told_plainly(target), closing(_opened(target, key)) as copy:
        with progress.watching(copy, lambda: WRITTEN):
            problems = problems_of(copy)
        if problems or not _is_same(copy, original, progress):
            raise VaultDamaged(
                f"{source} is damaged ({'; '.join(problems[:3]) or 'its copy has other rows'}) and stays as it is. "
                "Restore a backup: noderag restore."
            )
    with told_plainly(target):
        sync(target)


def _opened(path: Path, key: VaultKey | None) -> sqlite3.Connection:
    opened = opened_by_key(path, "rw", key)
    if opened is None:
        raise damaged(path, "it is encrypted with another key")
    try:
        refuse_foreign(opened, path, next(_SCHEMAS[name] for name in DATABASES if path.name.startswith(name)))
    except BaseException:
        opened.close()
        raise
    return opened


def _is_same(copy: sqlite3.Connection, original: sqlite3.Connection, progress: ConversionProgress) -> bool:
    """Returns whether two databases have the same tables with the same rows in the same order."""
    tables = original.execute(_TABLES).fetchall()
    if copy.execute(_SCHEMA).fetchall() != original.execute(_SCHEMA).fetchall():
        return False
    total = sum(original.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name, _ in tables)
    compared = 0
    for name, has_no_rowid in tables:
        query = f'SELECT {"*" if has_no_rowid else "rowid, *"} FROM "{name}" NOT INDEXED'
        theirs, ours = original.execute(query), copy.execute(query)
        while rows := theirs.fetchmany(_ROWS):
            progress.look()
            compared += len(rows)
            progress.tell(CHECKED + (1 - CHECKED) * compared / total)
            if rows != ours.fetchmany(_ROWS):
                return False
        if ours.fetchone() is not None:
            return False
    return True
