"""A drive inside a named folder that is taken out and put in again; its notes are not taken for deleted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.changing_notes import fresh_digest, index
from helpers.mounted_drives import Drive, drive

from noderag_local.config import Settings
from noderag_local.ingest.sync.missing_roots import AWAY, EMPTIED
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows
from noderag_local.storage.documents.noted_roots import DrivePlaces
from noderag_local.vault.vault import Vault

KEPT, ON_DRIVE = ("anna.md",), ("ben.md", "carla.md")


def write(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_text(f"# {name}\n\nAnna met Ben in Vienna, as {name} tells.\n", encoding="utf-8")
    return folder


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return write(tmp_path / "notes", *KEPT)


@pytest.fixture
def stick(tmp_path: Path, notes: Path) -> Iterator[Drive]:
    """A drive with two notes that has its place in the folder of notes."""
    with drive(write(tmp_path / "content", *ON_DRIVE), notes / "stick") as found:
        yield found


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "vault", write=True) as opened:
        yield opened


def names(store: Store) -> list[str]:
    return sorted(Path(path).name for path in FileRows(store).known())


def test_a_drive_that_is_out_keeps_its_notes_and_is_told(notes: Path, stick: Drive, store: Store) -> None:
    stick.plug()
    index(store, notes)
    before = digest(store)
    stick.pull()
    for _ in range(2):
        report = index(store, notes)
        assert (report.removed, [skip.reason for skip in report.skipped]) == (0, [EMPTIED])
        assert f"noderag forget {stick.place}" in report.skipped[0].detail
    assert digest(store) == before
    stick.plug()
    assert index(store, notes).unchanged == 3
    assert FileRows(store).skipped() == []


def test_a_place_that_goes_with_its_drive_is_told_as_well(notes: Path, stick: Drive, store: Store) -> None:
    stick.plug()
    index(store, notes)
    stick.pull()
    stick.place.rmdir()
    report = index(store, notes)
    assert (report.removed, [skip.reason for skip in report.skipped]) == (0, [AWAY])
    assert "is gone, as when its drive is not there" in report.skipped[0].detail


def test_what_is_deleted_on_a_drive_that_is_in_is_gone(notes: Path, stick: Drive, store: Store) -> None:
    stick.plug()
    index(store, notes)
    (stick.place / "ben.md").unlink()
    assert index(store, notes).removed == 1
    (stick.place / "carla.md").unlink()
    assert index(store, notes).removed == 1
    assert names(store) == ["anna.md"]


def test_a_folder_that_never_was_the_place_of_a_drive_can_be_deleted(tmp_path: Path, notes: Path, store: Store) -> None:
    write(notes / "old", *ON_DRIVE)
    index(store, notes)
    for name in ON_DRIVE:
        (notes / "old" / name).unlink()
    assert index(store, notes).removed == 2
    write(notes / "old", *ON_DRIVE)
    index(store, notes)
    (notes / "old").rename(tmp_path / "waste")
    assert index(store, notes).removed == 2
    assert digest(store) == fresh_digest(tmp_path / "fresh", notes)


@pytest.fixture
def noted(notes: Path, store: Store) -> Path:
    """A folder with two notes in which a drive was mounted when they were read, and is not now."""
    place = write(notes / "stick", *ON_DRIVE)
    index(store, notes)
    DrivePlaces(store).keep(frozenset({str(place)}), FileRows(store).known())
    for name in ON_DRIVE:
        (place / name).rename(notes.parent / name)
    return place


def test_where_nothing_can_be_mounted_the_vault_remembers_the_place_too(notes: Path, noted: Path, store: Store) -> None:
    for _ in range(2):
        report = index(store, notes)
        assert (report.removed, [skip.path for skip in report.skipped]) == (0, [str(noted)])
    assert names(store) == [*KEPT, *ON_DRIVE]


def test_a_place_in_which_other_files_lie_is_none_any_more(notes: Path, noted: Path, store: Store) -> None:
    write(noted, "ben.md")
    assert index(store, notes).removed == 1
    (noted / "ben.md").unlink()
    assert index(store, notes).removed == 1
    assert names(store) == [*KEPT]


def test_a_place_stays_known_while_another_folder_is_indexed(
    tmp_path: Path, notes: Path, noted: Path, store: Store
) -> None:
    index(store, write(tmp_path / "other", "dora.md"))
    assert index(store, notes).removed == 0
    assert DrivePlaces(store).known() == {str(noted)}


def test_what_could_not_be_read_on_a_drive_is_noted_until_it_is_back(notes: Path, stick: Drive, store: Store) -> None:
    (stick.content / "broken.md").write_bytes(b"\x00\x01\x02" * 500)
    stick.plug()
    index(store, notes)
    stick.pull()
    index(store, notes)
    stick.plug()
    (told,) = index(store, notes).skipped
    assert told.path == str(stick.place / "broken.md")


@pytest.mark.parametrize("chosen", [("stick",), ("stick/ben.md", "stick/carla.md")], ids=["the place", "its notes"])
def test_forgetting_leaves_nothing_of_the_drive(
    tmp_path: Path, notes: Path, stick: Drive, settings: Settings, chosen: tuple[str, ...]
) -> None:
    stick.plug()
    with Vault(tmp_path / "vault", settings) as vault:
        vault.index([notes])
        stick.pull()
        vault.index([notes])
        vault.forget([notes / name for name in chosen])
        assert not any(skip.is_error for skip in vault.index([notes]).skipped)
        stick.plug()
        assert vault.index([notes]).added == 0
    for path in (tmp_path / "vault").rglob("*"):
        assert path.is_dir() or b"stick" not in path.read_bytes(), path


def test_a_named_folder_below_another_named_one_keeps_its_notes_when_it_is_empty(
    tmp_path: Path, notes: Path, store: Store
) -> None:
    inner = write(notes / "inner", *ON_DRIVE)
    index(store, inner)
    index(store, notes)
    inner.rename(tmp_path / "elsewhere")
    inner.mkdir()
    report = index(store, notes)
    assert (report.removed, [skip.path for skip in report.skipped]) == (0, [str(inner)])
    inner.rmdir()
    assert index(store, notes).removed == 2
