"""A vault that came from somebody else: a SQLite file in which anything may stand. What noderag did not make is never run, and named."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hostile.keyed import INDEX, PASSPHRASE, TALKS, encrypt, plain_vault, sentences, talk, write_note

from noderag_local.config import Settings
from noderag_local.domain.errors import NoderagError, StoreError, VaultDamaged
from noderag_local.storage.backup.backups import Backups
from noderag_local.storage.backup.restore import restore
from noderag_local.storage.conversations.conversations import Conversations
from noderag_local.storage.database.store import Store
from noderag_local.storage.snapshots.cache_file import read_payload, write_payload
from noderag_local.vault.encrypt import VaultEncryption
from noderag_local.vault.vault import Vault

SECOND_TABLE = "CREATE TABLE extra (a)"
INDEX_OBJECTS = {
    "trigger readers_loot": "CREATE TRIGGER readers_loot AFTER INSERT ON facts BEGIN DELETE FROM chunks; END",
    "trigger on_view": "CREATE TRIGGER on_view INSTEAD OF INSERT ON entities BEGIN DELETE FROM chunks; END",
    "view spy": "CREATE VIEW spy AS SELECT load_extension('/tmp/x.so')",
    "table extra": SECOND_TABLE,
    "index by_expression": "CREATE INDEX by_expression ON chunks (upper(text))",
    "index by_condition": "CREATE INDEX by_condition ON chunks (text) WHERE length(text) > 3",
    "table words": "CREATE VIRTUAL TABLE words USING fts5 (a)",
    "table boxes": "CREATE VIRTUAL TABLE boxes USING rtree (id, a, b)",
    "table generated": "CREATE TABLE generated (a, b AS (abs(a)))",
}
EDITS = {
    "table documents": ("title TEXT NOT NULL", "title TEXT NOT NULL CHECK (length(title) > 0)"),
    "table files": ("root TEXT NOT NULL", "root TEXT NOT NULL DEFAULT (hex(randomblob(9)))"),
    "view entities": ("WHERE type = 'N'", "WHERE type = 'N' AND randomblob(900000000)"),
    # What a reader that cuts off comments without looking at strings takes for the product's own.
    "table chunks": (
        "place TEXT NOT NULL DEFAULT ''",
        "place TEXT NOT NULL DEFAULT '--', x AS (hex(zeroblob(9))), y DEFAULT '\n'",
    ),
}
"""Statements that are almost the product's own."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plain vault, not to be written to."""
    return plain_vault(tmp_path_factory.mktemp("made") / "vault")


@pytest.fixture
def vault(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "vault"))


def changed(path: Path, *statements: str) -> None:
    """What its maker does to a file."""
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def edited(path: Path, named: str, before: str, after: str) -> None:
    """Puts another statement into the schema, as no SQL of SQLite does."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        done = connection.execute(
            "UPDATE sqlite_master SET sql = replace(sql, ?, ?) WHERE name = ?", (before, after, named.split()[1])
        )
        assert done.rowcount == 1
        connection.commit()


def refused(vault: Path, named: str) -> None:
    for write in (False, True):
        with pytest.raises(VaultDamaged, match=f"did not make: {named}"):
            Store.open(vault, write=write)
    assert not list(vault.glob("*.arrays"))


@pytest.mark.parametrize("named", INDEX_OBJECTS)
def test_an_object_of_somebody_else_s(vault: Path, named: str) -> None:
    changed(vault / INDEX, INDEX_OBJECTS[named])
    refused(vault, named)


@pytest.mark.parametrize("named", EDITS)
def test_a_statement_that_is_almost_the_product_s_own(vault: Path, named: str) -> None:
    edited(vault / INDEX, named, *EDITS[named])
    refused(vault, named)


def test_objects_that_take_the_names_of_sqlite_s_own(vault: Path) -> None:
    changed(vault / INDEX, "CREATE TABLE taken (a, b AS (abs(a)))")
    with closing(sqlite3.connect(vault / INDEX)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        sql = "CREATE TABLE sqlite_stat1 (tbl, idx AS (abs(tbl)), stat)"
        connection.execute(
            "UPDATE sqlite_master SET name = 'sqlite_stat1', tbl_name = 'sqlite_stat1', sql = ? WHERE name = 'taken'",
            (sql,),
        )
        connection.commit()
    refused(vault, "table sqlite_stat1")


def test_a_table_of_another_kind_under_a_product_s_name(vault: Path) -> None:
    changed(vault / INDEX, "PRAGMA foreign_keys = OFF", "DROP TABLE skipped", "CREATE VIEW skipped AS SELECT 1 AS path")
    refused(vault, "view skipped")


@pytest.mark.parametrize(
    "statement", [SECOND_TABLE, "CREATE TRIGGER t AFTER INSERT ON turns BEGIN DELETE FROM turns; END"]
)
def test_conversations_with_something_of_somebody_else_s(vault: Path, statement: str) -> None:
    changed(vault / TALKS, statement)
    with pytest.raises(StoreError, match="did not make"):
        Conversations(vault).all()
    with pytest.raises(StoreError, match="did not make"):
        talk(vault)


def test_a_backup_with_something_of_somebody_else_s_is_not_restored(vault: Path) -> None:
    (backup,) = Backups(vault).all()
    changed(backup.folder / INDEX, INDEX_OBJECTS["view spy"])
    with pytest.raises(VaultDamaged, match="did not make: view spy"):
        restore(vault, backup)


def test_it_is_not_taken_under_a_key_either(vault: Path) -> None:
    changed(vault / INDEX, INDEX_OBJECTS["view spy"])
    with pytest.raises(VaultDamaged, match="did not make: view spy"):
        VaultEncryption(vault, lambda: None).encrypt(PASSPHRASE, log2_n=4)
    assert not VaultEncryption(vault, lambda: None).protection().is_encrypted


def test_every_format_of_the_product_passes(vault: Path) -> None:
    for work in (lambda: write_note(vault, "b", "Bob read."), lambda: talk(vault), lambda: encrypt(vault)):
        work()
        assert sentences(vault)
        assert Conversations(vault).all()
    changed_planner = Store.open(vault, write=True)
    changed_planner.run("ANALYZE")
    changed_planner.close()
    assert sentences(vault)


def test_comments_of_an_earlier_version_make_no_difference(vault: Path) -> None:
    edited(vault / INDEX, "table chunks", "-- one a line, outermost first", "-- earlier words /* about\n  ")
    assert sentences(vault)


def test_a_cache_that_came_with_it_is_made_anew(vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind, origin = b"NRTEST01", bytes(32)
    assert write_payload(vault / "theirs.usearch", kind, origin, b"what a library trusts")
    assert read_payload(vault / "theirs.usearch", kind, origin) == b"what a library trusts"
    monkeypatch.setenv("NODERAG_STATE", str(tmp_path / "another machine"))
    assert read_payload(vault / "theirs.usearch", kind, origin) is None
    key = tmp_path / "another machine" / "cache.key"
    assert (key.stat().st_mode & 0o777, key.stat().st_size) == (0o600, 32)


def test_without_a_place_for_a_key_caches_still_work(
    vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a file").write_text("")
    monkeypatch.setenv("NODERAG_STATE", str(tmp_path / "a file"))
    assert write_payload(vault / "own.usearch", b"NRTEST01", bytes(32), b"payload")
    assert read_payload(vault / "own.usearch", b"NRTEST01", bytes(32)) == b"payload"


VALUES: dict[str, Callable[[str, str], str]] = {
    "text": lambda table, column: f"UPDATE {table} SET {column} = 'no number'",
    "bytes": lambda table, column: f"UPDATE {table} SET {column} = x'ff00fe'",
    "a negative number": lambda table, column: f"UPDATE {table} SET {column} = -9223372036854775808",
    "no UTF-8": lambda table, column: f"UPDATE {table} SET {column} = CAST(x'c3c3' AS TEXT)",
}
"""What may stand in any cell, whatever the schema says of it."""
CELLS = (
    "facts.value",
    "files.path",
    "files.root",
    "documents.title",
    "documents.tags",
    "chunks.text",
    "chunks.first_line",
    "sentences.text",
    "sentences.tokens",
    "sentences.links",
    "edges.weight",
    "embeddings.vector",
    "nodes.type",
    "nodes.name",
)


@pytest.mark.parametrize("value", VALUES)
def test_any_value_in_any_cell_is_told_and_ends_nothing(vault: Path, tmp_path: Path, value: str) -> None:
    whole = tmp_path / "whole"
    shutil.copytree(vault, whole)
    surprises = []
    for cell in CELLS:
        shutil.copy(whole / INDEX, vault / INDEX)
        changed(vault / INDEX, "PRAGMA ignore_check_constraints = ON", VALUES[value](*cell.split(".")))
        for name, use in USES.items():
            try:
                with Vault(vault, Settings(models_dir=tmp_path / "none", automatic_backups=False)) as opened:
                    use(opened)
            except NoderagError:
                pass
            except Exception as error:  # noqa: BLE001 - what it may not be
                surprises.append(f"{cell}: {name}: {type(error).__name__}: {error}")
    assert surprises == []


USES: dict[str, Callable[[Vault], object]] = {
    "search": lambda vault: vault.search("Where is the ledger?", method="bm25"),
    "stats": lambda vault: vault.stats(),
    "check": lambda vault: vault.check(),
    "library": lambda vault: vault.atlas.library(),
}


def test_a_value_larger_than_any_of_ours_is_told_and_not_read(vault: Path) -> None:
    changed(
        vault / INDEX, "UPDATE sentences SET text = zeroblob(300000000) WHERE id IN (SELECT max(id) FROM sentences)"
    )
    with pytest.raises(StoreError, match="too big"):
        sentences(vault)
