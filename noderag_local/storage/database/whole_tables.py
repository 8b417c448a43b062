"""Reads and writes whole tables for export and import, whatever columns the file has."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from noderag_local.storage.database.store import Parameters, Row

ROWS_A_QUERY = 1000

Query = Callable[[str, Parameters], list[Row]]
"""Function that runs a query: `Store.rows`, or the result of `query_of` for a connection."""

_TABLES = """
SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual', 'shadow')
  AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_%' ESCAPE '\\' ORDER BY name
"""
_COLUMNS = "SELECT name, pk, type FROM pragma_table_info(?) ORDER BY cid"


@dataclass(frozen=True, slots=True)
class Table:
    """A table that cannot be rebuilt from other tables."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    """Columns that order the rows; their values together are unique."""
    kinds: Mapping[str, str]
    """Type of each column: INTEGER, TEXT, REAL or BLOB; "" if any value is allowed."""


def query_of(connection: sqlite3.Connection) -> Query:
    """Returns a function that runs queries on a connection."""
    return lambda sql, parameters: connection.execute(sql, parameters).fetchall()


def vault_format(query: Query) -> int:
    """Returns the format number of a file; a reader may have an older format open."""
    return int(query("PRAGMA user_version", ())[0][0])


def tables(query: Query) -> list[Table]:
    """Returns all tables, ordered by name, except SQLite's own, the migrations table and full-text indexes of other tables."""
    kinds: dict[str, str] = dict(query(_TABLES, ()))
    return [
        _table(query, name, kind)
        for name, kind in kinds.items()
        if kind == "table" or (kind == "virtual" and _holds_content(kinds, name))
    ]


def word_indexes(query: Query) -> list[str]:
    """Returns the names of the full-text indexes that can be rebuilt from other tables."""
    kinds: dict[str, str] = dict(query(_TABLES, ()))
    return [name for name, kind in kinds.items() if kind == "virtual" and not _holds_content(kinds, name)]


def count_rows(query: Query, table: Table) -> int:
    """Counts the rows of a table."""
    return int(query(f"SELECT count(*) FROM {_quoted(table.name)}", ())[0][0])


def rows_of(query: Query, table: Table) -> Iterator[Row]:
    """Yields all rows of a table in the order of its key; the memory used does not grow with the table."""
    key, columns = _listed(table.key), _listed(table.columns)
    select = f"SELECT {columns}, {key} FROM {_quoted(table.name)}"
    order = f"ORDER BY {key} LIMIT {ROWS_A_QUERY}"
    after = f"WHERE ({key}) > ({_places(table.key)})"
    found = query(f"{select} {order}", ())
    while found:
        for row in found:
            yield row[: len(table.columns)]
        last = found[-1][len(table.columns) :]
        found = query(f"{select} {after} {order}", last) if len(found) == ROWS_A_QUERY else []


def insert_of(table: Table, columns: Sequence[str]) -> str:
    """Returns the statement that inserts a row; columns not in `columns` get their defaults."""
    return f"INSERT INTO {_quoted(table.name)} ({_listed(columns)}) VALUES ({_places(columns)})"


def emptying_of(table: Table) -> str:
    """Returns the statement that removes all rows."""
    return f"DELETE FROM {_quoted(table.name)}"


def dangling(query: Query) -> bool:
    """Returns whether any row refers to a missing row."""
    return bool(query("SELECT 1 FROM pragma_foreign_key_check LIMIT 1", ()))


def rebuild_of(index: str) -> str:
    """Returns the statement that rebuilds a full-text index."""
    return f"INSERT INTO {_quoted(index)} ({_quoted(index)}) VALUES ('rebuild')"


def _table(query: Query, name: str, kind: str) -> Table:
    found = query(_COLUMNS, (name,))
    columns = tuple(column for column, _, _ in found)
    kinds = {column: kind for column, _, kind in found}
    if kind == "virtual":
        return Table(name, ("rowid", *columns), ("rowid",), {"rowid": "INTEGER", **kinds})
    key = tuple(column for column, place, _ in sorted(found, key=lambda row: row[1]) if place)
    return Table(name, columns, key or ("rowid",), kinds)


def _holds_content(kinds: dict[str, str], index: str) -> bool:
    """Returns whether a full-text index stores its texts itself rather than using those of another table."""
    return f"{index}_content" in kinds


def _listed(columns: Sequence[str]) -> str:
    return ", ".join(map(_quoted, columns))


def _places(columns: Sequence[str]) -> str:
    return ", ".join("?" * len(columns))


def _quoted(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'
