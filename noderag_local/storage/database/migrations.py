"""Brings an old or empty file to the newest format, step by step. Only writers of such files import this module."""

from __future__ import annotations

import sqlite3

from sqlite_utils import Database, Migrations

from noderag_local.storage.database.connection import APPLICATION_ID
from noderag_local.storage.database.fact_names import FORGOTTEN_SALT, TRACES_LEFT, WORDS_LEFT
from noderag_local.storage.database.own_schema import statements_of
from noderag_local.storage.database.spelling import path_of
from noderag_local.storage.forgetting.path_marks import mark_of, new_salt

MIGRATIONS = Migrations("noderag")


@MIGRATIONS()
def first_schema(database: Database) -> None:
    """Runs schema.sql."""
    _execute_file(database, "schema.sql")
    database.conn.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    database.conn.execute("PRAGMA user_version = 1")


@MIGRATIONS()
def tables_of_the_language_model(database: Database) -> None:
    """Runs language_model.sql."""
    _execute_file(database, "language_model.sql")
    database.conn.execute("PRAGMA user_version = 2")


@MIGRATIONS()
def table_of_the_forgotten(database: Database) -> None:
    """Runs forgotten.sql."""
    _execute_file(database, "forgotten.sql")
    database.conn.execute("PRAGMA user_version = 3")


@MIGRATIONS()
def places_of_texts(database: Database) -> None:
    """Runs places.sql."""
    _execute_file(database, "places.sql")
    database.conn.execute("PRAGMA user_version = 4")


@MIGRATIONS()
def marks_of_the_forgotten(database: Database) -> None:
    """Runs forgotten_marks.sql and replaces the forgotten paths by their marks."""
    paths = [path_of(path) for (path,) in database.conn.execute("SELECT path FROM forgotten")]
    _execute_file(database, "forgotten_marks.sql")
    if paths:
        salt = new_salt()
        database.conn.executemany("INSERT INTO forgotten VALUES (?)", [(mark_of(path, salt),) for path in paths])
        facts = [(FORGOTTEN_SALT, salt), (TRACES_LEFT, "1"), (WORDS_LEFT, "1")]
        database.conn.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", facts)
    database.conn.execute("PRAGMA user_version = 5")


@MIGRATIONS()
def readings_of_documents(database: Database) -> None:
    """Runs readings.sql."""
    _execute_file(database, "readings.sql")
    database.conn.execute("PRAGMA user_version = 6")


@MIGRATIONS()
def merged_names(database: Database) -> None:
    """Runs merged_names.sql."""
    _execute_file(database, "merged_names.sql")
    database.conn.execute("PRAGMA user_version = 7")


@MIGRATIONS()
def former_paths(database: Database) -> None:
    """Runs former_paths.sql and, if the user has forgotten any notes, marks the file for clearing once more.

    SQLite 3.53 may have left words of forgotten notes in the file.
    """
    _execute_file(database, "former_paths.sql")
    if database.conn.execute("SELECT EXISTS (SELECT 1 FROM forgotten)").fetchone()[0]:
        database.conn.execute("INSERT OR REPLACE INTO facts VALUES (?, '1')", (TRACES_LEFT,))
    database.conn.execute("PRAGMA user_version = 8")


@MIGRATIONS()
def versions_of_readings(database: Database) -> None:
    """Runs read_by.sql."""
    _execute_file(database, "read_by.sql")
    database.conn.execute("PRAGMA user_version = 9")


@MIGRATIONS()
def versions_of_prompts(database: Database) -> None:
    """Runs prompt_versions.sql."""
    _execute_file(database, "prompt_versions.sql")
    database.conn.execute("PRAGMA user_version = 10")


@MIGRATIONS()
def coming_vectors(database: Database) -> None:
    """Runs coming_vectors.sql."""
    _execute_file(database, "coming_vectors.sql")
    database.conn.execute("PRAGMA user_version = 11")


@MIGRATIONS()
def log_of_changes(database: Database) -> None:
    """Runs changes.sql."""
    _execute_file(database, "changes.sql")
    database.conn.execute("PRAGMA user_version = 12")


@MIGRATIONS()
def own_days_of_documents(database: Database) -> None:
    """Runs own_days.sql."""
    _execute_file(database, "own_days.sql")
    database.conn.execute("PRAGMA user_version = 13")


def migrate(connection: sqlite3.Connection) -> None:
    """Applies all missing migrations in one transaction; a kill leaves the old format or no vault, never a half-made one."""
    # Plugins of sqlite-utils that the user has installed are not run.
    database = Database(connection, recursive_triggers=False, execute_plugins=False)
    with database.atomic():
        MIGRATIONS.apply(database)


def _execute_file(database: Database, name: str) -> None:
    for statement in statements_of(name):
        database.conn.execute(statement)
