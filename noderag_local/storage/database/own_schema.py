"""Checks that a database has only tables and other objects that noderag makes.

A foreign view, trigger, generated column, virtual table or index over an expression runs code when rows are read or written.
A vault of unknown origin could contain such code. So every object's statement must equal one in noderag's own .sql files,
apart from comments and blanks. This check comes before any other statement on the file.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import cache
from importlib.resources import files
from pathlib import Path

from noderag_local.domain.errors import VaultDamaged

INDEX_SCHEMAS = (
    "schema.sql",
    "language_model.sql",
    "forgotten.sql",
    "places.sql",
    "forgotten_marks.sql",
    "readings.sql",
    "merged_names.sql",
    "former_paths.sql",
    "read_by.sql",
    "prompt_versions.sql",
    "coming_vectors.sql",
    "changes.sql",
    "own_days.sql",
)
"""Schema files of the index; each adds one format."""
CONVERSATION_SCHEMAS = ("conversations.sql", "later_paths.sql", "draft.sql")
"""Schema files of the conversations; each adds one format."""
GENERATION = "CREATE TABLE IF NOT EXISTS _generation (own INTEGER NOT NULL, index_seen INTEGER NOT NULL)"
"""Counts changes of the conversations of an encrypted vault; exports leave it out, as it is of one file alone."""

_OBJECTS = "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master"
_TOKENS = re.compile(
    r"""'(?:[^']++|'')*+(?:'|\Z)|"(?:[^"]++|"")*+(?:"|\Z)|\[[^\]]*+(?:\]|\Z)|`[^`]*+(?:`|\Z)"""
    r"""|(?P<aside>--[^\n]*|/\*.*?(?:\*/|\Z)|\s+)|\w+|.""",
    re.DOTALL,
)
_OF_SQLITE = {
    "sqlite_stat1": "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
    "sqlite_stat4": "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
    "sqlite_sequence": "CREATE TABLE sqlite_sequence(name,seq)",
}
_MIGRATIONS = "_sqlite_migrations"
_WORDS_OF_MIGRATIONS = re.compile(
    r"CREATE|TABLE|UNIQUE|INDEX|ON|INTEGER|TEXT|PRIMARY|KEY|[(),]"
    r"""|["\[](?:_sqlite_migrations|idx__sqlite_migrations_\w+|id|migration_set|name|applied_at)["\]]"""
)
"""Words that occur in the statement of the migrations table, which differs between versions of sqlite-utils."""
_SHOWN = 5

Object = tuple[str, str, str, str]
"""Object of a schema: its type, name, table and SQL statement."""


def refuse_foreign(connection: sqlite3.Connection, path: Path, schemas: Sequence[str]) -> None:
    """Refuses a database that has other objects than those that noderag makes, in any of its formats.

    Args:
        connection: open connection to the database.
        path: path of the database, for the message.
        schemas: INDEX_SCHEMAS or CONVERSATION_SCHEMAS.

    Raises:
        VaultDamaged: the database has other objects; the message names them.
        sqlite3.Error: the schema cannot be read.
    """
    there: list[Object] = connection.execute(_OBJECTS).fetchall()
    if len(there) == 0:
        return
    own = _own_objects(tuple(schemas))
    foreign = [f"{kind} {name}" for kind, name, table, sql in there if not _is_own((kind, name, table, sql), own)]
    if foreign:
        more = f" and {len(foreign) - _SHOWN} more" if len(foreign) > _SHOWN else ""
        raise VaultDamaged(
            f"{path} holds parts that noderag did not make: {', '.join(foreign[:_SHOWN])}{more}. They could run code when the file is "
            "read, so it is not opened. Restore a backup: noderag restore. If the vault came from somebody else, ask for an export: "
            "noderag export FILE.jsonl, which noderag import reads."
        )


def statements_of(name: str) -> Iterator[str]:
    """Yields the statements of a .sql file one by one, because `executescript` would commit the open transaction."""
    statement = ""
    for line in (
        (files("noderag_local.storage.database") / "schema" / name)
        .read_text(encoding="utf-8")
        .splitlines(keepends=True)
    ):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _is_own(found: Object, own: frozenset[Object]) -> bool:
    kind, name, table, sql = found
    if found in own:
        return True
    if kind == "index" and not sql:
        # An index that SQLite makes for a PRIMARY KEY or UNIQUE constraint; its table is checked as well.
        return name.startswith("sqlite_autoindex_")
    if name in _OF_SQLITE:
        return kind == "table" and sql == _OF_SQLITE[name]
    tokens = _tokens(sql)
    if table == _MIGRATIONS:
        return kind in ("table", "index") and all(_WORDS_OF_MIGRATIONS.fullmatch(token) for token in tokens)
    return (kind, name, table, " ".join(tokens)) in _in_tokens(own)


@cache
def _own_objects(schemas: tuple[str, ...]) -> frozenset[Object]:
    """Returns all objects that noderag makes, in all formats."""
    found: set[Object] = set()
    with closing(sqlite3.connect(":memory:")) as connection:
        for name in schemas:
            for statement in statements_of(name):
                connection.execute(statement)
            found.update(connection.execute(_OBJECTS))
        if schemas == CONVERSATION_SCHEMAS:
            connection.execute(GENERATION)
            found.update(connection.execute(_OBJECTS))
    return frozenset(found)


@cache
def _in_tokens(objects: frozenset[Object]) -> frozenset[Object]:
    return frozenset((kind, name, table, " ".join(_tokens(sql))) for kind, name, table, sql in objects)


def _tokens(sql: str) -> list[str]:
    return [found[0] for found in _TOKENS.finditer(sql) if found["aside"] is None]
