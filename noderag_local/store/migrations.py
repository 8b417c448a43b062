"""The ordered steps from an empty file to the newest format; this module is imported by writers of old files alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from importlib.resources import files

from sqlite_utils import Database, Migrations

from noderag_local.store.connection import APPLICATION_ID

MIGRATIONS = Migrations("noderag")


@MIGRATIONS()
def first_schema(database: Database) -> None:
    """Everything in schema.sql."""
    _execute_file(database, "schema.sql")
    database.conn.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    database.conn.execute("PRAGMA user_version = 1")


@MIGRATIONS()
def tables_of_the_language_model(database: Database) -> None:
    """Everything in language_model.sql."""
    _execute_file(database, "language_model.sql")
    database.conn.execute("PRAGMA user_version = 2")


@MIGRATIONS()
def table_of_the_forgotten(database: Database) -> None:
    """Everything in forgotten.sql."""
    _execute_file(database, "forgotten.sql")
    database.conn.execute("PRAGMA user_version = 3")


def migrate(connection: sqlite3.Connection) -> None:
    """Applies what is missing, all of it or nothing: a kill leaves the old format, or no vault, and never a half-made one."""
    # Plugins of sqlite-utils that the user has installed have no business here.
    database = Database(connection, recursive_triggers=False, execute_plugins=False)
    with database.atomic():
        MIGRATIONS.apply(database)


def _execute_file(database: Database, name: str) -> None:
    for statement in _statements((files("noderag_local.store") / name).read_text(encoding="utf-8")):
        database.conn.execute(statement)


def _statements(script: str) -> Iterator[str]:
    """`executescript` would commit the transaction around it, so the script is cut here."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
