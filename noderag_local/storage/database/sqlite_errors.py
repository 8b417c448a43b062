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
        # Errors such as a closed store or a wrong number of parameters are bugs of the caller; `noderag doctor` does not help.
        raise
    except sqlite_errors() as error:
        raise store_error(error, path) from error
    except OSError as error:
        raise file_error(error, path) from error


def sqlite_errors(name: str = "Error") -> tuple[type[Exception], ...]:
    """Returns the exception classes of this DB-API name: Python's, and SQLCipher's if it was imported."""
    libraries = (sqlite3, sys.modules.get("sqlcipher3.dbapi2"))
    return tuple(getattr(library, name) for library in libraries if library is not None)


def is_busy(error: Exception) -> bool:
    """Returns whether an error of SQLite says that another program has locked the file for too long."""
    return _code(error) in _BUSY


def _code(error: Exception) -> int:
    # The low byte is the primary result code; the others say which call failed.
    code = int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)) & 0xFF
    # SQLCipher's export passes on the message of an error, but not its code.
    return _BY_WORDS.get(str(error), code) if code == sqlite3.SQLITE_ERROR else code


def store_error(error: Exception, path: Path) -> StoreError:
    """Converts an error of SQLite to the error to raise about the vault file `path`."""
    code = _code(error)
    if code == sqlite3.SQLITE_NOTADB:
        return damaged(path, f"{error}; if the vault is encrypted, its {KEY_FILE_NAME} must lie beside it")
    if code in _DAMAGED:
        return damaged(path, str(error))
    if code == sqlite3.SQLITE_FULL:
        return StoreError(
            f"The disk is full: {path.parent} has {_free(path.parent)} left. Nothing of this step was saved; what was "
            "indexed before is safe. Free some space, then index again."
        )
    if code == sqlite3.SQLITE_IOERR:
        return StoreError(
            f"{path} could not be read or written ({error}); {path.parent} has {_free(path.parent)} left. Nothing of this "
            "step was saved. Check the disk, free some space, then run the command again."
        )
    if code in _READ_ONLY:
        return StoreError(
            f"{path} cannot be written: the file or its folder is read-only. Make it writable, or choose another "
            "vault with --vault DIR."
        )
    if code == sqlite3.SQLITE_CANTOPEN:
        return StoreError(f"{path} cannot be opened. Check the permissions of the file and of its folder.")
    if is_busy(error):
        return StoreError(
            f"{path} has been in use by another program for too long. Close that program, then run the command again."
        )
    return StoreError(f"{path}: {error}. Run `noderag doctor` to have the vault checked.")


def read_only(folder: Path) -> StoreError:
    """Returns the error that a vault lies in a folder which this process cannot write to."""
    return StoreError(
        f"{folder} is read-only here: the vault in it can be searched and asked, but nothing in it can be added, changed or "
        "forgotten. Run the command where the folder can be written, or name another vault with --vault DIR."
    )


def file_error(error: OSError, path: Path) -> StoreError:
    """Converts an error of the file system to the error to raise about the vault file `path`."""
    return StoreError(
        f"{error.filename or path} cannot be used: {error.strerror or error}. Check the disk and the permissions of "
        f"{path.parent}, or name another vault with --vault DIR."
    )


def damaged(path: Path, detail: str) -> VaultDamaged:
    """Returns the error that a file is damaged or not a vault, with advice on how to recover."""
    return VaultDamaged(
        f"{path} is damaged or not a vault ({detail}). Your notes are not affected. Try again first, since a disk can fail for a "
        "moment. noderag doctor shows what is wrong, noderag restore restores a backup. Without a backup, move the file away and "
        "index your notes again: noderag index PATH."
    )


def _free(folder: Path) -> str:
    try:
        return f"{shutil.disk_usage(folder).free:,} bytes"
    except OSError:
        return "an unknown number of bytes"
