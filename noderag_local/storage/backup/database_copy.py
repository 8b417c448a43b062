"""Copies a SQLite file that may be in use, and checks the copy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from noderag_local.domain.errors import VaultDamaged
from noderag_local.storage.database.own_schema import refuse_foreign
from noderag_local.storage.database.sqlite_errors import sqlite_errors, told_plainly
from noderag_local.storage.database.sqlite_file import open_sqlite
from noderag_local.system.disk.on_disk import sync
from noderag_local.system.disk.private_files import make_private_file

if TYPE_CHECKING:
    import sqlite3

_TABLES = """
SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name
"""


PAGES_AT_A_TIME = 1_000
"""Pages of a SQLite file, of 4 KB each, that are copied between two checks whether to stop."""
STEPS_AT_A_TIME = 100_000
"""Instructions of SQLite's virtual machine between two such checks while the copy is read: some milliseconds."""


class CopyStopped(Exception):
    """Raised when the user stopped a copy."""


def copy_database(
    source: Path,
    target: Path,
    progress: Callable[[int, int], None] = lambda done, total: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> None:
    """Copies the present state of a SQLite file and checks the copy.

    Args:
        source: path of the database.
        target: path of the copy, which must not exist; its folder has the same vault key as the source's, or neither has one.
        progress: receives the number of copied pages, and of all; also while the copy is checked.
        cancelled: called often; True stops the copying and leaves an unfinished file.

    Raises:
        CopyStopped: `cancelled` was true.
        VaultDamaged: the copy, and so the original, is damaged.
        StoreError: one of the files cannot be read or written, for example because the disk is full.
    """
    with told_plainly(target):
        make_private_file(target)
    try:
        _copy(source, target, progress, cancelled)
    except VaultDamaged as error:
        raise VaultDamaged(
            f"{source} is damaged ({error.__cause__ or error}). No backup was made of it. See what is wrong with noderag doctor, "
            "or restore an older backup: noderag restore."
        ) from error
    with told_plainly(target):
        sync(target)


def _copy(source: Path, target: Path, progress: Callable[[int, int], None], cancelled: Callable[[], bool]) -> None:
    copied = (0, 0)

    def told(_: int, remaining: int, total: int) -> None:
        nonlocal copied
        if cancelled():
            raise CopyStopped
        copied = (total - remaining, total)
        progress(*copied)

    def is_stopped() -> bool:
        progress(*copied)
        return cancelled()

    with told_plainly(source):
        original = open_sqlite(source)
    with closing(original), told_plainly(target), closing(open_sqlite(target)) as copy:
        # Copying and counting see the same state, whatever other processes write meanwhile.
        original.execute("BEGIN")
        wanted = _counts(original)
        original.backup(copy, pages=PAGES_AT_A_TIME, progress=told)
        # Makes the copy a single file, without a log beside it.
        copy.execute("PRAGMA journal_mode = DELETE")
        copy.set_progress_handler(is_stopped, STEPS_AT_A_TIME)
        try:
            problems = problems_of(copy)
            is_whole = not problems and _counts(copy) == wanted
        except sqlite_errors("OperationalError"):
            if cancelled():
                raise CopyStopped from None
            raise
        if not is_whole:
            raise VaultDamaged("; ".join(problems[:3]) or "the copy has other rows")


def check_database(path: Path, application_id: int, schemas: Sequence[str]) -> None:
    """Checks that a copy is undamaged and that this version can open it.

    Args:
        path: path of the copy.
        application_id: number in the file's header that marks this kind of database.
        schemas: schema files of this kind of database, from `own_schema`.

    Raises:
        VaultDamaged: the copy is damaged or of an unknown format.
    """
    with told_plainly(path), closing(open_sqlite(path, "ro")) as copy:
        (application,) = copy.execute("PRAGMA application_id").fetchone()
        (version,) = copy.execute("PRAGMA user_version").fetchone()
        if application != application_id:
            raise VaultDamaged(f"{path} is not a backup made by noderag. Choose another one.")
        if version > len(schemas):
            raise VaultDamaged(f"{path} was made by a newer version of noderag. Update noderag to restore it.")
        refuse_foreign(copy, path, schemas)
        problems = problems_of(copy)
        if problems:
            raise VaultDamaged(f"{path} is damaged ({'; '.join(problems[:3])}). Choose another backup.")


def problems_of(connection: sqlite3.Connection) -> list[str]:
    """Returns the problems that SQLite finds in a file; an empty list if there are none."""
    return [str(found) for (found,) in connection.execute("PRAGMA integrity_check") if found != "ok"]


def _counts(connection: sqlite3.Connection) -> dict[str, int]:
    tables = [name for (name,) in connection.execute(_TABLES)]
    return {name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in tables}
