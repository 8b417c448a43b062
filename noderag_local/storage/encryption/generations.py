"""Finds out whether a database of an encrypted vault was replaced by an older copy.

Each of the two databases counts its changes, and notes how far the other was when it was last written. What is noted was committed before, so a kill
at any instant leaves a count that is at least what is noted of it. One that is less was put back to an older state. The counts
stand in pages that are encrypted and carry a MAC, so nobody without the key can write them. That both were put back together
is told by `known_vaults`, on a machine that has seen them.
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
"""Table of counts in the file of the conversations."""
_FACTS = f"SELECT name, value FROM facts WHERE name IN ('{GENERATION}', '{CONVERSATIONS_SEEN}')"
_SET_FACT = "INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)"
_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table'"


@dataclass(frozen=True, slots=True)
class Count:
    """The counts that one of the two databases stores."""

    own: int
    """Number of its own changes."""
    other: int
    """Number of changes that the other database had when this one was last written."""
    is_new: bool = False
    """Whether the database was never written to, is not there, or cannot be read."""


_NEW = Count(0, 0, is_new=True)


@dataclass(frozen=True, slots=True)
class Least:
    """The least counts that the databases of a vault must have; the next change continues from them."""

    index: int
    conversations: int


def check_generations(
    folder: Path, *, index: sqlite3.Connection | None = None, conversations: sqlite3.Connection | None = None
) -> Least | None:
    """Compares the databases of a vault with each other, and with what this machine has seen.

    Args:
        folder: folder of the vault.
        index: open, outside of a transaction; None: it is opened, if it can be.
        conversations: the same.

    Returns:
        None where the vault is not encrypted.

    Raises:
        VaultReplaced: a database is older than it must be.
        VaultSealed: the key was not given.
    """
    key = key_of(folder)
    if key is None:
        return None
    noted = _noted(folder, key.vault)
    with _open(folder / INDEX, index) as rows, _open(folder / CONVERSATIONS, conversations) as talks:
        # In this order, whatever is written meanwhile: each count is read after what must not exceed it.
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
    """Notes the index's count in the conversations and on this machine, once the index is on the disk.

    Where it fails, an older note stays, which refuses nothing that is in order.
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
    """Counts a change of the conversations, inside its transaction; returns the new count."""
    connection.execute(GENERATION_TABLE)
    if not connection.execute(f"SELECT 1 FROM {_COUNTS}").fetchone():
        connection.execute(f"INSERT INTO {_COUNTS} (own, index_seen) VALUES (?, 0)", (least.conversations,))
    connection.execute(f"UPDATE {_COUNTS} SET own = own + 1, index_seen = max(index_seen, ?)", (least.index,))
    return int(connection.execute(f"SELECT own FROM {_COUNTS}").fetchone()[0])


def note_conversations(folder: Path, least: Least, generation: int) -> None:
    """Notes the conversations' count on this machine, once they are on the disk."""
    key = key_of(folder)
    if key is not None:
        _remember(folder, KnownVault(key.vault, least.index, generation))


def count_on(copies: dict[str, sqlite3.Connection], folder: Path, key: VaultKey) -> None:
    """Raises the counts of restored copies to those of the files in their place, so that each copy fits with either.

    Args:
        copies: open for writing, by name: INDEX, CONVERSATIONS, or one of them.
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
    """Removes from a database its note about the other one, until it is written again."""
    there = {name for (name,) in connection.execute(_TABLES)}
    if "facts" in there:
        connection.execute("DELETE FROM facts WHERE name = ?", (CONVERSATIONS_SEEN,))
    if _COUNTS in there:
        connection.execute(f"UPDATE {_COUNTS} SET index_seen = 0")


def _noted(folder: Path, vault: str) -> KnownVault:
    noted = known(folder)
    return noted if noted and noted.vault == vault else KnownVault(vault)


def _remember(folder: Path, seen: KnownVault) -> None:
    """Notes the counts of a vault on this machine. A note never goes back to an older count."""
    noted = _noted(folder, seen.vault)
    newest = KnownVault(seen.vault, max(noted.index, seen.index), max(noted.conversations, seen.conversations))
    # While it is being decrypted, the note is removed before the key file is, and must not come back.
    if known(folder) != newest and not is_encrypted_in_part(folder):
        remember(folder, newest)


@contextmanager
def _open(path: Path, given: sqlite3.Connection | None) -> Iterator[sqlite3.Connection | None]:
    """Returns the given connection, or opens the file; None where it cannot be opened, as who needs it gets the error."""
    opened: sqlite3.Connection | None = None
    if given is None and path.is_file():
        with suppress(StoreError), told_plainly(path):
            opened = open_for_reading(path)
    try:
        yield given or opened
    finally:
        if opened is not None:
            opened.close()


def _count_of_index(connection: sqlite3.Connection | None) -> Count:
    facts = _rows(connection, "facts", _FACTS)
    named = {str(name): int(value) for name, value in facts}
    # A vault without a generation is one in which nothing was indexed yet.
    return Count(named[GENERATION], named.get(CONVERSATIONS_SEEN, 0)) if GENERATION in named else _NEW


def _count_of_conversations(connection: sqlite3.Connection | None) -> Count:
    counts = _rows(connection, _COUNTS, f"SELECT own, index_seen FROM {_COUNTS}")
    if counts:
        return Count(int(counts[0][0]), int(counts[0][1]))
    # Those of a version that did not count have turns.
    return Count(0, 0) if _rows(connection, "turns", "SELECT 1 FROM turns LIMIT 1") else _NEW


def _rows(connection: sqlite3.Connection | None, table: str, query: str) -> list[tuple[Any, ...]]:
    if connection is None:
        return []
    try:
        return connection.execute(query).fetchall() if (table,) in connection.execute(_TABLES).fetchall() else []
    except sqlite_errors():
        # Damaged, or in use for too long: whoever reads more of it is told.
        return []


def _refuse_older(path: Path, own: int, least: int) -> None:
    if own < least:
        raise VaultReplaced(
            f"{path} is older than it was: it has {own} changes, and noderag has seen {least}. Somebody may have put an older copy "
            "in its place, so it is not opened. Put the newer one back, or restore a backup: noderag restore. If you put the older "
            "one there yourself: noderag restore --accept."
        )
