"""How a file is read where a folder was named to be read in one way and something in it in the other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.changing_notes import index

from noderag_local.domain.documents import SourceFile
from noderag_local.ingest.sync.file_changes import ReadMode, read_mode_of, unread
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows, KnownFile

LIMIT = 1 << 20


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "facts.txt").write_text("Ada was born in 1815.\nBen was born in 1957.\n", encoding="utf-8")
    return tmp_path / "notes"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "vault", write=True) as opened:
        yield opened


def documents(store: Store) -> int:
    return int(store.value("SELECT count(*) FROM documents"))


def test_the_folder_above_does_not_change_how_a_file_is_read(notes: Path, store: Store) -> None:
    facts = notes / "facts.txt"
    index(store, facts, by_lines=True)
    assert index(store, notes).unchanged == 1
    facts.write_text("Ada was born in 1815.\nBen was born in 1958.\n", encoding="utf-8")
    for roots, by_lines in (([notes], False), ([facts], True)):
        assert unread(store, roots, by_lines, LIMIT).count == 1
    report = index(store, notes)
    assert (report.added, report.removed, documents(store)) == (1, 1, 2)
    for roots, by_lines in (([notes], False), ([facts], True)):
        assert unread(store, roots, by_lines, LIMIT).count == 0


def test_naming_the_file_itself_does(notes: Path, store: Store) -> None:
    facts = notes / "facts.txt"
    index(store, facts, by_lines=True)
    index(store, notes, facts)
    assert documents(store) == 1
    index(store, notes, by_lines=True)
    assert documents(store) == 2
    assert FileRows(store).known()[str(facts)].root == str(notes)


def test_the_nearest_of_the_named_paths_counts() -> None:
    known = KnownFile(1, "/notes/a/facts.txt", "/notes/a", 1, 1, True, True, "")
    for roots, expected in (
        (["/notes"], ReadMode(True, "/notes/a")),
        (["/notes", "/notes/a"], ReadMode(False, "/notes")),
        (["/notes/a/facts.txt"], ReadMode(False, "/notes/a/facts.txt")),
    ):
        file = SourceFile(known.path, 1, 1, root=roots[0])
        assert read_mode_of(file, known, roots, by_lines=False) == expected
    assert read_mode_of(file, None, ["/notes"], by_lines=False) == ReadMode(False, file.root)
