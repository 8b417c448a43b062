"""Runs a query that a language model wrote over one table, in a database of its own in memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from noderag_local.domain.tables import Cell, ColumnKind, TypedTable
from noderag_local.text.folding import folded

_COLLATION = "PLAIN"
"""Compares texts without regard to case and accents."""
_STEPS = 200_000
"""Steps of SQLite's virtual machine after which a query is stopped; a sum over 10,000 rows takes 100,000."""
_MOST_LETTERS = 1_000_000
_FORBIDDEN = frozenset({"load_extension", "randomblob", "zeroblob", "random", "printf", "format"})
"""Functions that no answer needs: their results differ from run to run, fill the memory, or load code."""


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The result of a query."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


class TableDatabase:
    """A table as SQLite sees it."""

    def __init__(self, table: TypedTable) -> None:
        """Copies the table into memory, its rows numbered from 1 in `rowid`."""
        self._connection = sqlite3.connect(":memory:", isolation_level=None)
        kinds = {ColumnKind.NUMBER: "REAL"}
        self._connection.create_collation(_COLLATION, _compared)
        columns = ", ".join(
            f'"{one.name}" {kinds.get(one.kind, f"TEXT COLLATE {_COLLATION}")}' for one in table.columns
        )
        self._connection.execute(f'CREATE TABLE "{table.name}" ({columns})')
        marks = ", ".join("?" * len(table.columns))
        self._connection.executemany(f'INSERT INTO "{table.name}" VALUES ({marks})', table.rows)
        self._connection.create_function("like", 2, _like, deterministic=True)
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_LETTERS)
        self._connection.set_authorizer(_authorise)

    def close(self) -> None:
        """Frees the memory."""
        self._connection.close()

    def run(self, query: str, most_rows: int) -> QueryResult | None:
        """Returns what a query finds.

        Args:
            query: what SQLite is to run.
            most_rows: maximum rows of the result.

        Returns:
            None if it is no query over the table, fails, takes too long or finds more rows.
        """
        with self._limited():
            try:
                cursor = self._connection.execute(query)
                rows = cursor.fetchmany(most_rows + 1)
            except (sqlite3.Error, sqlite3.Warning):
                return None
        if cursor.description is None or len(rows) > most_rows:
            return None
        return QueryResult(tuple(one[0] for one in cursor.description), tuple(map(tuple, rows)))

    @contextmanager
    def _limited(self) -> Iterator[None]:
        self._connection.set_progress_handler(lambda: 1, _STEPS)
        try:
            yield
        finally:
            self._connection.set_progress_handler(None, 0)


def _authorise(action: int, name: str | None, other: str | None, *_: str | None) -> int:
    """Lets a query read tables of notes, whose name SQLite gives first, and call functions, whose name it gives second."""
    if action == sqlite3.SQLITE_READ:
        is_allowed = not (name or "").startswith("sqlite_")
    elif action == sqlite3.SQLITE_FUNCTION:
        is_allowed = (other or "").casefold() not in _FORBIDDEN
    else:
        is_allowed = action == sqlite3.SQLITE_SELECT
    return sqlite3.SQLITE_OK if is_allowed else sqlite3.SQLITE_DENY


def _compared(one: str, other: str) -> int:
    """-1, 0 or 1, as a text comes before, is the same as, or comes after another."""
    first, second = folded(one), folded(other)
    return (first > second) - (first < second)


def _like(pattern: Cell, text: Cell) -> bool | None:
    """LIKE without regard to case and accents, in all languages; SQLite's own knows the case of English letters alone."""
    if pattern is None or text is None:
        return None
    parts = folded(str(pattern)).split("%")
    found, at = folded(str(text)), 0
    if len(parts) == 1:
        return parts[0] == found
    first, *middle, last = parts
    if not found.startswith(first) or not found.endswith(last) or len(found) < len(first) + len(last):
        return False
    at, end = len(first), len(found) - len(last)
    for part in middle:
        at = found.find(part, at, end)
        if at < 0:
            return False
        at += len(part)
    return True
