"""Fills the tables of an empty vault, and of its conversations, with the rows of an export."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import groupby, islice
from pathlib import Path

from noderag_local.domain.errors import SourceError, StoreError, VaultDamaged
from noderag_local.domain.graph import NodeType
from noderag_local.storage.conversations import conversation_file
from noderag_local.storage.conversations.turn_documents import retrieval_of, scope_of
from noderag_local.storage.database.fact_names import CONVERSATIONS_SEEN, GENERATION, STAMP
from noderag_local.storage.database.sqlite_errors import sqlite_errors
from noderag_local.storage.database.store import Store
from noderag_local.storage.database.whole_tables import (
    Query,
    Table,
    count_rows,
    emptying_of,
    insert_of,
    query_of,
    rows_of,
    tables,
)
from noderag_local.storage.snapshots.snapshot import Snapshot
from noderag_local.storage.vectors.vectors import VectorRows
from noderag_local.vault.export.archive_lines import Cell, Row

TALK = "conversations/"
"""Prefix of the names of tables of conversations."""
ROWS_A_STATEMENT = 1000
BYTES_A_STATEMENT = 4 << 20
"""Maximal bytes of text in one statement, which limits the memory for long rows."""

STAMPED_ANEW = ("facts", "skipped")
"""Tables that may hold rows in an empty vault; an import replaces these rows."""

_OWN_FACTS = (GENERATION, STAMP, CONVERSATIONS_SEEN)
_PATHS = ("path", "root", "later")

_RunMany = Callable[[str, Iterable[Sequence[Cell]]], object]


class VaultFilling:
    """Fills the tables of an empty vault and of its conversations.

    Conversations are in a separate file, which is committed first. If an import is killed between the two commits, the next import
    finds all conversations there and compares them with its rows instead of adding them.
    """

    def __init__(self, path: Path, store: Store, talk: ExitStack | None) -> None:
        """Opens the tables of a store that a transaction is open on.

        Args:
            path: the export, for messages.
            store: the vault to fill.
            talk: closes the file of conversations at its end; None: the export has no conversations.
        """
        self._path, self._folder, self._store = path, store.folder, store
        self._talk: Query | None = None
        own = {name: store.facts.get(name) for name in _OWN_FACTS}
        self._own_facts = {name: value for name, value in own.items() if value is not None}
        self._there: dict[str, Iterator[Sequence[Cell]]] = {}
        # Rows may come in any order of the tables; one that points at nothing is refused when the transaction ends.
        store.run("PRAGMA defer_foreign_keys = ON")
        self._targets: dict[str, tuple[Table, _RunMany]] = {}
        for one in tables(store.rows):
            self._targets[one.name] = one, store.run_many
            if one.name in STAMPED_ANEW:
                store.run(emptying_of(one))
        if talk is not None:
            talks = talk.enter_context(conversation_file.writing(store.folder / conversation_file.FILE_NAME))
            talks.execute("PRAGMA defer_foreign_keys = ON")
            query = self._talk = query_of(talks)
            for one in tables(query):
                self._targets[TALK + one.name] = one, talks.executemany
                if count_rows(query, one):
                    self._there[TALK + one.name] = rows_of(query, one)

    def insert(self, name: str, batch: Sequence[Row]) -> None:
        """Adds rows to a table; columns that are missing in an older export get their defaults."""
        columns = tuple(batch[0])
        if name not in self._targets or not set(columns) <= set(self._targets[name][0].columns):
            raise SourceError(
                f"{self._path} holds a table {name!r}, or columns of it, that noderag does not have. Nothing was imported."
            )
        table, run_many = self._targets[name]
        values = [tuple(row.values()) for row in batch]
        if not all(_fits(table.kinds[column], column, cell) for row in batch for column, cell in row.items()):
            raise not_fitting(self._path)
        if name not in self._there:
            try:
                run_many(insert_of(table, columns), values)
            except sqlite_errors("IntegrityError") as error:
                raise not_fitting(self._path) from error
            except StoreError as error:
                if isinstance(error.__cause__, sqlite_errors("IntegrityError")):
                    raise not_fitting(self._path) from error
                raise
        elif columns != table.columns or values != list(islice(self._there[name], len(batch))):
            raise holds_something(self._folder)

    def set_own_facts(self) -> None:
        """Keeps this vault's own counts of its states, whatever the file says."""
        for name in _OWN_FACTS:
            self._store.facts.pop(name, None)
        self._store.facts.update(self._own_facts)

    def check_readable(self) -> None:
        """Reads the data that searches and lists need, to detect damage.

        Raises:
            SourceError: the values do not mean what their columns say.
        """
        try:
            Snapshot.of_rows(self._store)
            for kind in NodeType:
                VectorRows(self._store).matrix(kind)
            for texts in self._store.rows("SELECT tags, aliases FROM documents"):
                _lists(*texts)
            for texts in self._store.rows("SELECT links, tags FROM sentences WHERE links <> '' OR tags <> ''"):
                _lists(*texts)
            for found, scope in self._talk("SELECT found, scope FROM turns", ()) if self._talk else ():
                retrieval_of(found)
                scope_of(scope)
        except (VaultDamaged, ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError) as error:
            raise not_fitting(self._path) from error


def _fits(kind: str, column: str, cell: Cell) -> bool:
    """Returns whether a value has the type of its column; paths that are not valid UTF-8 are bytes."""
    if cell is None or not kind:
        return True
    if kind == "TEXT":
        return isinstance(cell, str) or (isinstance(cell, bytes) and column in _PATHS)
    return isinstance(cell, {"INTEGER": int, "REAL": int | float, "BLOB": bytes}[kind])


def _lists(*texts: str) -> None:
    for text in texts:
        found = json.loads(text) if text else []
        if not isinstance(found, list):
            raise ValueError(f"{text[:20]!r} is not a list")
        # Half of a surrogate pair cannot be encoded, and SQLite's JSON fails on it.
        json.dumps(found, ensure_ascii=False).encode()


def not_fitting(path: Path) -> SourceError:
    """Returns the error of a file whose rows do not belong together."""
    return SourceError(f"{path} does not fit together. Nothing was imported; export the vault once more.")


def batches(found: Iterator[tuple[str, Row]]) -> Iterator[tuple[str, list[Row]]]:
    """Yields batches of rows of one table with the same columns."""
    for (name, _), group in groupby(found, key=lambda one: (one[0], tuple(one[1]))):
        batch: list[Row] = []
        size = 0
        for _, row in group:
            batch.append(row)
            size += sum(len(cell) for cell in row.values() if isinstance(cell, str | bytes))
            if len(batch) >= ROWS_A_STATEMENT or size >= BYTES_A_STATEMENT:
                yield name, batch
                batch, size = [], 0
        if batch:
            yield name, batch


def holds_something(folder: Path) -> StoreError:
    """Returns the error of an import into a vault that is not empty."""
    return StoreError(f"{folder} holds something already. Import into a new vault: --vault DIR.")
