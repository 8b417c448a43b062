"""Copies a SQLite file that may be in use, and checks the copy."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from noderag_local.domain.errors import VaultDamaged
from noderag_local.storage.database.own_schema import refuse_foreign
from noderag_local.storage.database.sqlite_errors import told_plainly
from noderag_local.storage.database.sqlite_file import open_sqlite
from noderag_local.system.disk.on_disk import sync
from noderag_local.system.disk.private_files import make_private_file

if TYPE_CHECKING:
    import sqlite3

_TABLES = """
SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name
"""


def copy_database(source: Path, target: Path) -> None:
    """Copies a SQLite file as it is at one instant, and checks the copy.

    Args:
        source: path of the database.
        target: a path where nothing is, in a folder with the key of the source's, or where neither has one.

    Raises:
        VaultDamaged: the copy, and so the original, is not in order.
        StoreError: one of the two cannot be used; the disk is full, say.
    """
    with told_plainly(target):
        make_private_file(target)
    try:
        _copy(source, target)
    except VaultDamaged as error:
        raise VaultDamaged(
            f"{source} is damaged ({error.__cause__ or error}). No backup was made of it. See what is wrong with noderag doctor, or go back to an older backup: noderag restore."
        ) from error
    with told_plainly(target):
        sync(target)


def _copy(source: Path, target: Path) -> None:
    with told_plainly(source):
        original = open_sqlite(source)
    with closing(original), told_plainly(target), closing(open_sqlite(target)) as copy:
        # One state of it for the copying and the counting, whatever is written meanwhile.
        original.execute("BEGIN")
        wanted = _counts(original)
        original.backup(copy)
        # One file that needs no log beside it.
        copy.execute("PRAGMA journal_mode = DELETE")
        problems = problems_of(copy)
        if problems or _counts(copy) != wanted:
            raise VaultDamaged("; ".join(problems[:3]) or "the copy has other rows")


def check_database(path: Path, application_id: int, schemas: Sequence[str]) -> None:
    """Checks that a copy is whole and that this version can open it.

    Args:
        path: path of the copy.
        application_id: number in the header of files of its kind.
        schemas: schema files of its kind, from `own_schema`.

    Raises:
        VaultDamaged: the copy is damaged or of an unknown format.
    """
    with told_plainly(path), closing(open_sqlite(path, "ro")) as copy:
        (application,) = copy.execute("PRAGMA application_id").fetchone()
        (version,) = copy.execute("PRAGMA user_version").fetchone()
        if application != application_id:
            raise VaultDamaged(f"{path} is no backup of noderag. Choose another one.")
        if version > len(schemas):
            raise VaultDamaged(f"{path} was made by a newer version of noderag. Update noderag to restore it.")
        refuse_foreign(copy, path, schemas)
        problems = problems_of(copy)
        if problems:
            raise VaultDamaged(f"{path} is damaged ({'; '.join(problems[:3])}). Choose another backup.")


def problems_of(connection: sqlite3.Connection) -> list[str]:
    """Returns the problems that SQLite finds in a file; none where it is in order."""
    return [str(found) for (found,) in connection.execute("PRAGMA integrity_check") if found != "ok"]


def _counts(connection: sqlite3.Connection) -> dict[str, int]:
    tables = [name for (name,) in connection.execute(_TABLES)]
    return {name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in tables}
