"""What the user named itself stays in the vault when a folder above it is indexed, though its rules leave it out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.changing_notes import fresh_digest, index

from noderag_local.ingest.sync.file_changes import unread
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows

LIMIT = 1 << 20


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    for name, text in (
        ("open.md", "Anna lives in Oslo."),
        (".private/diary.md", "Ben keeps the key in Vienna."),
        ("drafts/plan.md", "Carla plans a journey to Rome."),
        (".gitignore", "drafts/"),
        ("list.odd", "Dora has two cats."),
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{text}\n", encoding="utf-8")
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "vault", write=True) as opened:
        yield opened


def roots(store: Store) -> dict[str, str]:
    return {Path(file.path).name: Path(file.root).name for file in FileRows(store).known().values()}


@pytest.mark.parametrize("below", [".private", "drafts", "list.odd"])
def test_the_folder_above_removes_nothing_of_it(notes: Path, store: Store, below: str) -> None:
    index(store, notes)
    index(store, notes / below)
    before = roots(store)
    assert below in before.values()
    assert index(store, notes).removed == 0
    assert unread(store, [notes], False, LIMIT).count == 0
    assert roots(store) == before


def test_a_rule_inside_a_named_folder_removes_what_it_leaves_out(notes: Path, store: Store) -> None:
    (notes / "drafts/old.md").write_text("Carla planned a journey to Bern.\n", encoding="utf-8")
    index(store, notes / "drafts")
    (notes / ".gitignore").unlink()
    (notes / "drafts/.gitignore").write_text("old.md\n", encoding="utf-8")
    assert unread(store, [notes], False, LIMIT).gone == {str(notes / "drafts/old.md")}
    assert index(store, notes).removed == 1
    assert "old.md" not in roots(store)


def test_it_stays_when_both_were_named_at_once(notes: Path, store: Store, tmp_path: Path) -> None:
    for paths in ([notes, notes / ".private"], [notes / ".private", notes]):
        index(store, *paths)
        (notes / ".private/diary.md").write_text(f"Ben keeps {len(str(paths[0]))} keys.\n", encoding="utf-8")
        index(store, *paths)
        assert index(store, notes).removed == 0
        assert roots(store) == {"open.md": "notes", "diary.md": ".private"}
    assert digest(store) == fresh_digest(tmp_path / "fresh", notes, notes / ".private")


def test_a_hidden_file_that_is_read_by_lines_is_neither_removed_nor_added_again(notes: Path, store: Store) -> None:
    lines = notes / ".private/diary.md"
    index(store, notes)
    index(store, lines, by_lines=True)
    for paths, by_lines in (([notes], False), ([lines], True)):
        report = index(store, *paths, by_lines=by_lines)
        assert (report.added, report.removed) == (0, 0)


def test_what_was_deleted_is_removed(notes: Path, store: Store) -> None:
    index(store, notes)
    index(store, notes / ".private")
    (notes / ".private/diary.md").rename(notes / "diary.md")
    assert index(store, notes).moved == 1
    (notes / "diary.md").unlink()
    assert index(store, notes).removed == 1
