"""Detects whether a database of an encrypted vault was replaced by an older copy.

Each of the two databases counts its own changes and records the other's count when it is written. A count is committed before it
is recorded elsewhere, so even after a kill a database's count is never below its record. A lower count means an older copy. The
counts are encrypted and carry a MAC, so nobody can forge them without the key. If both databases are replaced together,
`known_vaults` detects it on a machine that has seen newer ones.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from noderag_local.domain.errors import StoreError, VaultReplaced
from noderag_local.storage.database.fact_names import CONVERSATIONS_SEEN, GENERATION
from noderag_local.storage.database.own_schema import GENERATION as GENERATION_TABLE
from noderag_local.storage.database.sqlite_errors import sqlite_errors, told_plainly
from noderag_local.storage.database.sqlite_file import open_for_reading, open_sqlite
from noderag_local.storage.encryption.key_file import is_encrypted_in_part, key_of
from noderag_local.storage.encryption.known_vaults import KnownVault, known, remember
from noderag_local.storage.encryption.vault_key import VaultKey

INDEX, CONVERSATIONS = "vault.sqlite", "conversations.sqlite"

_COUNTS = "_generation"
"""Table of change counts in the file of the conversations."""
_FACTS = f"SELECT name, value FROM facts WHERE name IN ('{GENERATION}', '{CONVERSATIONS_SEEN}')"
_SET_FACT = "INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)"
_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table'"


@dataclass(frozen=True, slots=True)
class Count:
    """The two change counts that one database stores."""

    own: int
    """Number of changes of this database."""
    other: int
    """Number of changes of the other database at the time when this one was last written."""
    is_new: bool = False
    """Whether the database was never written to, does not exist or cannot be read."""


_NEW = Count(0, 0, is_new=True)


@dataclass(frozen=True, slots=True)
class Least:
    """Minimal change counts that the databases of a vault must have; the next change continues from them."""

    index: int
    conversations: int


def check_generations(
    folder: Path, *, index: sqlite3.Connection | None = None, conversations: sqlite3.Connection | None = None
) -> Least | None:
    """Compares the change counts of a vault's databases with each other and with those that this machine has seen.

    Args:
        folder: folder of the vault.
        index: open connection outside a transaction; None opens the file if possible.
        conversations: as `index`, for the file of the conversations.

    Returns:
        None where the vault is not encrypted.

    Raises:
        VaultReplaced: a database was replaced by an older copy.
        VaultSealed: the key was not given.
    """
    key = key_of(folder)
    if key is None:
        return None
    noted = _noted(folder, key.vault)
    with _open(folder / INDEX, index) as rows, _open(folder / CONVERSATIONS, conversations) as talks:
        # The order matters while other processes write: each count is read after the record that must not exceed it.
        talks_seen = _count_of_index(rows).other
        talked = _count_of_conversations(talks)
        indexed = _count_of_index(rows)
    least = Least(max(talked.other, noted.index), max(talks_seen, noted.conversations))
    if not indexed.is_new:
        _refuse_older(folder / INDEX, indexed.own, least.index)
    if not talked.is_new:
        _refuse_older(folder / CONVERSATIONS, talked.own, least.conversations)
    least = Least(max(least.index, indexed.own), max(least.conversations, talked.own))
    _remember(folder, KnownVault(key.vault, least.index, least.conversations))
    return least


def note_index(folder: Path, generation: int) -> None:
    """Records the index's change count in the conversations and on this machine, after the index is on the disk.

    If this fails, an older record stays, which is harmless.
    """
    key = key_of(folder)
    if key is None:
        return
    with suppress(StoreError, OSError, *sqlite_errors()):
        _note_in_conversations(folder / CONVERSATIONS, generation)
    _remember(folder, KnownVault(key.vault, index=generation))


def _note_in_conversations(path: Path, generation: int) -> None:
    if not path.is_file():
        return
    with closing(open_sqlite(path)) as talks:
        if (_COUNTS,) in talks.execute(_TABLES).fetchall():
            talks.execute(f"UPDATE {_COUNTS} SET index_seen = max(index_seen, ?)", (generation,))


def count_conversations(connection: sqlite3.Connection, least: Least) -> int:
    """Counts a change of the conversations inside its transaction; returns the new count."""
    connection.execute(GENERATION_TABLE)
    if not connection.execute(f"SELECT 1 FROM {_COUNTS}").fetchone():
        connection.execute(f"INSERT INTO {_COUNTS} (own, index_seen) VALUES (?, 0)", (least.conversations,))
    connection.execute(f"UPDATE {_COUNTS} SET own = own + 1, index_seen = max(index_seen, ?)", (least.index,))
    return int(connection.execute(f"SELECT own FROM {_COUNTS}").fetchone()[0])


def note_conversations(folder: Path, least: Least, generation: int) -> None:
    """Records the change count of the conversations on this machine, after they are on the disk."""
    key = key_of(folder)
    if key is not None:
        _remember(folder, KnownVault(key.vault, least.index, generation))


def count_on(copies: dict[str, sqlite3.Connection], folder: Path, key: VaultKey) -> None:
    """Raises the change counts of restored copies to those of the present files, so that old and restored files fit together.

    Args:
        copies: connections open for writing, by name: INDEX, CONVERSATIONS, or only one of them.
        folder: folder of the vault, with its key.
        key: key of the vault.
    """
    noted = _noted(folder, key.vault)
    with _open(folder / INDEX, None) as rows, _open(folder / CONVERSATIONS, None) as talks:
        indexed, talked = _count_of_index(rows), _count_of_conversations(talks)
    if INDEX in copies:
        own = max(_count_of_index(copies[INDEX]).own, indexed.own, talked.other, noted.index) + 1
        facts = ((GENERATION, str(own)), (CONVERSATIONS_SEEN, str(talked.own)))
        copies[INDEX].executemany(_SET_FACT, facts)
    if CONVERSATIONS in copies:
        own = max(_count_of_conversations(copies[CONVERSATIONS]).own, talked.own, indexed.other, noted.conversations)
        copies[CONVERSATIONS].execute(GENERATION_TABLE)
        copies[CONVERSATIONS].execute(f"DELETE FROM {_COUNTS}")
        copies[CONVERSATIONS].execute(f"INSERT INTO {_COUNTS} (own, index_seen) VALUES (?, ?)", (own + 1, indexed.own))


def forget_seen(connection: sqlite3.Connection) -> None:
    """Resets the record that a database has of the other one's count; the next write sets it again."""
    there = {name for (name,) in connection.execute(_TABLES)}
    if "facts" in there:
        connection.execute("DELETE FROM facts WHERE name = ?", (CONVERSATIONS_SEEN,))
    if _COUNTS in there:
        connection.execute(f"UPDATE {_COUNTS} SET index_seen = 0")


def _noted(folder: Path, vault: str) -> KnownVault:
    noted = known(folder)
    return noted if noted and noted.vault == vault else KnownVault(vault)


def _remember(folder: Path, seen: KnownVault) -> None:
    """Records the change counts of a vault on this machine. Recorded counts never decrease."""
    noted = _noted(folder, seen.vault)
    newest = KnownVault(seen.vault, max(noted.index, seen.index), max(noted.conversations, seen.conversations))
    # Decrypting removes the record before the key file; it must not be written again in between.
    if known(folder) != newest and not is_encrypted_in_part(folder):
        remember(folder, newest)


@contextmanager
def _open(path: Path, given: sqlite3.Connection | None) -> Iterator[sqlite3.Connection | None]:
    """Yields the given connection or opens the file; yields None if the file cannot be opened, which other callers report."""
    opened: sqlite3.Connection | None = None
    if given is None and path.is_file():
        with suppress(StoreError), told_plainly(path):
            opened = open_for_reading(path).connection
    try:
        yield given or opened
    finally:
        if opened is not None:
            opened.close()


def _count_of_index(connection: sqlite3.Connection | None) -> Count:
    facts = _rows(connection, "facts", _FACTS)
    named = {str(name): int(value) for name, value in facts}
    # A vault without a generation has not been indexed yet.
    return Count(named[GENERATION], named.get(CONVERSATIONS_SEEN, 0)) if GENERATION in named else _NEW


def _count_of_conversations(connection: sqlite3.Connection | None) -> Count:
    counts = _rows(connection, _COUNTS, f"SELECT own, index_seen FROM {_COUNTS}")
    if counts:
        return Count(int(counts[0][0]), int(counts[0][1]))
    # Conversations of a version without change counts are recognised by their turns.
    return Count(0, 0) if _rows(connection, "turns", "SELECT 1 FROM turns LIMIT 1") else _NEW


def _rows(connection: sqlite3.Connection | None, table: str, query: str) -> list[tuple[Any, ...]]:
    if connection is None:
        return []
    try:
        return connection.execute(query).fetchall() if (table,) in connection.execute(_TABLES).fetchall() else []
    except sqlite_errors():
        # A damaged or locked file is reported by the code that reads it further.
        return []


def _refuse_older(path: Path, own: int, least: int) -> None:
    if own < least:
        raise VaultReplaced(
            f"{path} is older than it was: it has {own} changes, but noderag has seen {least}. Somebody may have replaced it by an "
            "older copy, so it is not opened. Put the newer one back, or restore a backup: noderag restore. If you put the older "
            "one there yourself: noderag restore --accept."
        )
