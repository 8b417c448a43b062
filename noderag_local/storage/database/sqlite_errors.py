"""Turns errors of SQLite and of the file system into errors that name the file and what to do."""

from __future__ import annotations

import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from noderag_local.domain.errors import StoreError, VaultDamaged
from noderag_local.storage.encryption.vault_key import KEY_FILE_NAME

_DAMAGED = {sqlite3.SQLITE_CORRUPT}
_READ_ONLY = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM}
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_BY_WORDS = {"database or disk is full": sqlite3.SQLITE_FULL, "disk I/O error": sqlite3.SQLITE_IOERR}


@contextmanager
def told_plainly(path: Path) -> Iterator[None]:
    """Turns errors of SQLite and of the file system into a `StoreError` about the vault file `path`."""
    try:
        yield
    except sqlite_errors("ProgrammingError"):
        # A closed store, a wrong number of parameters: a fault of the caller's, which nobody can mend by `noderag doctor`.
        raise
    except sqlite_errors() as error:
        raise store_error(error, path) from error
    except OSError as error:
        raise file_error(error, path) from error


def sqlite_errors(name: str = "Error") -> tuple[type[Exception], ...]:
    """Returns the errors of this name (DB-API 2.0) of Python's SQLite, and of SQLCipher where it has been imported."""
    libraries = (sqlite3, sys.modules.get("sqlcipher3.dbapi2"))
    return tuple(getattr(library, name) for library in libraries if library is not None)


def is_busy(error: Exception) -> bool:
    """Returns whether an error of SQLite says that another program keeps the file for too long."""
    return _code(error) in _BUSY


def _code(error: Exception) -> int:
    # The low byte is the primary code; the others say which call failed.
    code = int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)) & 0xFF
    # SQLCipher's export passes on the words of an error without its code.
    return _BY_WORDS.get(str(error), code) if code == sqlite3.SQLITE_ERROR else code


def store_error(error: Exception, path: Path) -> StoreError:
    """Returns the error to raise about the vault at `path` for an error of SQLite."""
    code = _code(error)
    if code == sqlite3.SQLITE_NOTADB:
        return damaged(path, f"{error}; one of an encrypted vault needs the {KEY_FILE_NAME} that lay beside it")
    if code in _DAMAGED:
        return damaged(path, str(error))
    if code == sqlite3.SQLITE_FULL:
        return StoreError(
            f"The disk is full: {path.parent} has {_free(path.parent)} left. Nothing of this step was kept; what was "
            "indexed before it is safe. Make room, then index again."
        )
    if code == sqlite3.SQLITE_IOERR:
        return StoreError(
            f"{path} could not be read or written ({error}); {path.parent} has {_free(path.parent)} left. Nothing of this "
            "step was kept. Check the disk, make room, then run the command again."
        )
    if code in _READ_ONLY:
        return StoreError(
            f"{path} cannot be written: the file or its folder is read-only. Make it writable, or name another "
            "vault with --vault DIR."
        )
    if code == sqlite3.SQLITE_CANTOPEN:
        return StoreError(f"{path} cannot be opened. Check the permissions of the file and of its folder.")
    if is_busy(error):
        return StoreError(
            f"{path} has been in use by another program for too long. Close that program, then run the command again."
        )
    return StoreError(f"{path}: {error}. Run `noderag doctor` to have the vault checked.")


def file_error(error: OSError, path: Path) -> StoreError:
    """Returns the error to raise about the vault at `path` for an error of the file system."""
    return StoreError(
        f"{error.filename or path} cannot be used: {error.strerror or error}. Check the disk and the permissions of "
        f"{path.parent}, or name another vault with --vault DIR."
    )


def damaged(path: Path, detail: str) -> VaultDamaged:
    """Returns the error about a broken vault, or a file that is none. Notes are never in danger: they can be indexed again."""
    return VaultDamaged(
        f"{path} is damaged or no vault ({detail}). Your notes are not touched by this. Try once more, as a disk may fail for a "
        "moment; noderag doctor looks closer, noderag restore goes back to a backup. Without one, move the file away and index "
        "your notes again: noderag index PATH."
    )


def _free(folder: Path) -> str:
    try:
        return f"{shutil.disk_usage(folder).free:,} bytes"
    except OSError:
        return "an unknown number of bytes"
