"""Each thing that can be wrong with a vault is found, under its own name, with what to do."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from helpers.small_documents import ROOT, add, derive, document, link_and_embed

from noderag_local.domain.documents import SourceFile
from noderag_local.storage.backup.integrity import integrity
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows
from noderag_local.storage.snapshots.snapshot import FILE_NAME, Snapshot


@pytest.fixture
def whole(store: Store) -> Store:
    add(store, document("/notes/a.md", ["Ada wrote to Bob.", "It was late."], ["Bob answered Ada."]))
    link_and_embed(store)
    derive(store)
    return store


def wrong(store: Store) -> list[str]:
    """Names of the findings that are not in order; each of them must say what and what to do."""
    found = [finding for finding in integrity(store) if not finding.ok]
    assert all(finding.detail and finding.remedy for finding in found)
    return [finding.what for finding in found]


def test_a_whole_vault_is_in_order_for_writers_and_readers(whole: Store) -> None:
    assert wrong(whole) == []
    with Store.open(whole.folder, write=False) as reader:
        assert wrong(reader) == []


@pytest.mark.parametrize(
    ("what", "damage"),
    [
        ("references", "DELETE FROM chunks WHERE id = (SELECT min(id) FROM chunks)"),
        ("edges", "INSERT INTO edges VALUES (9999, 's', 1, 0.5)"),
        ("embeddings", "DELETE FROM embeddings WHERE node_id = (SELECT min(node_id) FROM embeddings)"),
        ("embeddings", "INSERT INTO embeddings SELECT max(id), x'00' FROM nodes WHERE type = 'N'"),
        ("embeddings", "INSERT INTO embeddings SELECT id, x'00' FROM nodes WHERE type = 'O'"),
        ("references", "UPDATE fragments SET node_id = node_id + 9999"),
        ("references", "UPDATE work_items SET node_id = node_id + 9999"),
        ("derived nodes", "DELETE FROM fragments WHERE node_id IN (SELECT id FROM nodes WHERE type = 'R')"),
        ("derived nodes", "DELETE FROM edges WHERE type = 'd'"),
        ("full-text index", "INSERT INTO chunk_words (chunk_words) VALUES ('delete-all')"),
        ("full-text index", "INSERT INTO chunk_words (rowid, text) VALUES (9999, 'ghost')"),
        ("full-text index", "INSERT INTO entity_names (rowid, name) VALUES (9999, 'ghost')"),
    ],
)
def test_what_is_wrong_is_found(whole: Store, what: str, damage: str) -> None:
    whole.run("PRAGMA foreign_keys = OFF")
    whole.run(damage)
    assert what in wrong(whole)


def test_an_index_that_differs_from_its_table_is_found(whole: Store) -> None:
    folder = whole.folder
    whole.close()
    for one, other in (("(chunk_id)", "(position)"), ("(position)", "(chunk_id)")):
        with closing(sqlite3.connect(folder / "vault.sqlite")) as connection:
            connection.execute("PRAGMA writable_schema = ON")
            of_index = "WHERE name = 'sentences_by_chunk'"
            connection.execute(f"UPDATE sqlite_master SET sql = replace(sql, '{one}', '{other}') {of_index}")
            connection.commit()
        if other == "(position)":
            with closing(sqlite3.connect(folder / "vault.sqlite")) as connection:
                connection.execute("REINDEX sentences_by_chunk")
                connection.commit()
    with Store.open(folder, write=False) as store:
        assert "file" in wrong(store)


def test_a_file_that_is_not_all_read_is_found(whole: Store) -> None:
    FileRows(whole).begin(SourceFile("/notes/half.md", 1, 1), ROOT, False, read_by="markdown 1")
    (finding,) = (finding for finding in integrity(whole) if not finding.ok)
    assert finding.what == "files"
    assert "/notes/half.md" in finding.detail
    assert "noderag index" in finding.remedy


def test_caches_are_told_and_never_wrong(whole: Store) -> None:
    def told() -> str:
        (finding,) = (finding for finding in integrity(whole) if finding.what.startswith("cache"))
        assert finding.ok
        return finding.detail

    assert "not made yet" in told()
    Snapshot.open(whole)
    assert "fits" in told()
    (whole.folder / FILE_NAME).write_bytes(b"rubbish")
    assert "makes it again" in told()
