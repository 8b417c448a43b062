"""Files that lie elsewhere are found again by what they hold, at the cost of one reading each."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.changing_notes import fresh_digest, index

from noderag_local.storage.backup.digest import digest
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "vault", write=True) as opened:
        yield opened


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    return tmp_path / "notes"


def ids(store: Store) -> dict[str, int]:
    return {Path(path).name: file.id for path, file in FileRows(store).known().items()}


def test_many_files_of_one_size_are_each_read_once(
    notes: Path, store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for number in range(30):
        (notes / f"{number:02}.md").write_text(f"# Number {number:02}\n\nAnna has apples.\n", encoding="utf-8")
    index(store, notes)
    before = ids(store)
    for number in range(30):
        (notes / f"{number:02}.md").rename(notes / f"new {29 - number:02}.md")
    opened: list[str] = []
    of_system = os.open

    def counted(path: str, *rest: int) -> int:
        opened.append(str(path))
        return of_system(path, *rest)

    monkeypatch.setattr(os, "open", counted)
    assert index(store, notes).moved == 30
    monkeypatch.undo()
    assert len([path for path in opened if path.endswith(".md")]) == 30
    assert ids(store) == {f"new {29 - number:02}.md": before[f"{number:02}.md"] for number in range(30)}
    assert digest(store) == fresh_digest(tmp_path / "fresh", notes)


def test_files_that_begin_alike_are_told_apart(notes: Path, store: Store, tmp_path: Path) -> None:
    for name, end in (("a", "pear"), ("b", "plum"), ("c", "figs")):
        records = [{"text": "Anna has apples."}, {"text": f"Ben has a {end}."}]
        (notes / f"{name}.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    index(store, notes)
    before = ids(store)
    (notes / "c.jsonl").rename(notes / "x.jsonl")
    (notes / "a.jsonl").rename(notes / "y.jsonl")
    (notes / "b.jsonl").unlink()
    report = index(store, notes)
    assert (report.moved, report.removed) == (2, 2)
    assert ids(store) == {"x.jsonl": before["c.jsonl"], "y.jsonl": before["a.jsonl"]}
    assert digest(store) == fresh_digest(tmp_path / "fresh", notes)


def test_copies_of_one_note_are_each_found_once(notes: Path, store: Store, tmp_path: Path) -> None:
    for name in ("a.md", "b.md", "empty.md"):
        (notes / name).write_text("" if name == "empty.md" else "# Anna\n\nAnna has apples.\n", encoding="utf-8")
    index(store, notes)
    (notes / "a.md").rename(notes / "x.md")
    (notes / "b.md").unlink()
    (notes / "empty.md").rename(notes / "bare.md")
    report = index(store, notes)
    assert (report.moved, report.removed, report.added) == (2, 1, 0)
    assert digest(store) == fresh_digest(tmp_path / "fresh", notes)


def test_a_file_that_is_renamed_to_another_format_is_read_anew(notes: Path, store: Store, tmp_path: Path) -> None:
    (notes / "a.txt").write_text("# Anna\n\n- [ ] Anna buys apples for [[Ben]] #fruit\n", encoding="utf-8")
    index(store, notes)
    (notes / "a.txt").rename(notes / "a.md")
    report = index(store, notes)
    assert (report.moved, report.added, report.removed) == (0, 1, 1)
    assert digest(store) == fresh_digest(tmp_path / "fresh", notes)
    assert index(store, notes).unchanged == 1


def test_a_note_that_is_renamed_keeps_its_own_day_and_one_that_tells_another_has_that(
    notes: Path, store: Store, tmp_path: Path
) -> None:
    (notes / "a.md").write_text("---\ndate: 2026-05-03\n---\nRain.\n", encoding="utf-8")
    index(store, notes)
    (notes / "a.md").rename(notes / "b.md")
    index(store, notes)
    assert store.rows("SELECT day FROM documents") == [("2026-05-03",)]
    (notes / "b.md").write_text("---\ndate: 2026-05-04\n---\nRain.\n", encoding="utf-8")
    index(store, notes)
    assert store.rows("SELECT day FROM documents") == [("2026-05-04",)]
    assert digest(store) == fresh_digest(tmp_path / "fresh", notes)
