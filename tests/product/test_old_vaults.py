"""A vault of version 0.1.0 is searched and indexed again by this version, which brings it up to date before.

tests/data/vaults/0.1.0 is what the first version made of the notes beside it, which then lay in /notes-of-0.1.0.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from noderag_local import Vault, load_settings

OLD = Path(__file__).parents[1] / "data" / "vaults" / "0.1.0"
QUESTION = "Who recommended the guest house in Porto?"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    shutil.copytree(OLD / "notes", tmp_path / "notes")
    return tmp_path / "notes"


@pytest.fixture
def folder(tmp_path: Path, notes: Path) -> Path:
    """The old vault, as if its notes had always lain in the test's own folder."""
    folder = tmp_path / "vault"
    folder.mkdir()
    shutil.copy(OLD / "vault.sqlite", folder)
    with closing(sqlite3.connect(folder / "vault.sqlite")) as database, database:
        for column in ("path", "root"):
            database.execute(f"UPDATE files SET {column} = replace({column}, '/notes-of-0.1.0', ?)", (str(notes),))
    return folder


@pytest.fixture
def vault(folder: Path) -> Iterator[Vault]:
    with Vault(folder, load_settings(models_dir=folder / "no-models")) as vault:
        yield vault


def found(vault: Vault) -> list[tuple[str, int, int]]:
    return [(Path(one.path).name, one.first_line, one.last_line) for one in vault.search(QUESTION).sources]


def documents(folder: Path) -> list[tuple[str, str]]:
    """Path and title of every document."""
    query = "SELECT path, title FROM documents JOIN files ON files.id = file_id ORDER BY path"
    with closing(sqlite3.connect(folder / "vault.sqlite")) as database:
        return list(database.execute(query))


def test_it_is_searched_at_once(vault: Vault, folder: Path) -> None:
    assert ("porto.md", 8, 22) in found(vault)
    assert [path.name for path in (folder / "backups").iterdir()], "the old format is kept as a backup"
    assert not [finding for finding in vault.check() if not finding.ok]


def test_indexing_again_keeps_every_document(vault: Vault, notes: Path, folder: Path) -> None:
    before = documents(folder)
    assert vault.index([notes]).skipped == ()
    assert documents(folder) == before
    assert ("porto.md", 8, 22) in found(vault)
    assert not [finding for finding in vault.check() if not finding.ok]


def test_a_changed_note_is_found_by_its_new_words(vault: Vault, notes: Path) -> None:
    with (notes / "trips" / "porto.md").open("a", encoding="utf-8") as note:
        note.write("\nThe ferry to Afurada leaves from the quay at Massarelos.\n")
    vault.index([notes])
    assert "Afurada" in vault.search("Where does the ferry to Afurada leave?").context


def test_a_note_is_forgotten(vault: Vault, notes: Path, folder: Path) -> None:
    vault.index([notes])
    vault.forget([notes / "people" / "marta.md"])
    assert "marta.md" not in {name for name, _, _ in found(vault)}
    assert b"shellfish. Even stock" not in (folder / "vault.sqlite").read_bytes()
