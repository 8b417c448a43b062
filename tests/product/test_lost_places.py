"""Drives that are taken out, folders that are moved and clocks that jump in the middle of it, and two processes at once."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.changing_notes import index

from noderag_local.config import Settings
from noderag_local.domain.errors import StoreError, VaultLocked
from noderag_local.domain.progress import Progress
from noderag_local.ingest.scan.scan import UNREADABLE, scan
from noderag_local.ingest.sync.missing_roots import EMPTIED
from noderag_local.pipeline import indexing
from noderag_local.storage.backup.backups import Backups
from noderag_local.storage.backup.integrity import integrity
from noderag_local.storage.backup.restore import restore
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows
from noderag_local.vault.vault import Vault

YEAR_SECONDS = 365 * 86400


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "trips").mkdir(parents=True)
    for name in ("anna.md", "ben.md", "trips/vienna.md"):
        (folder / name).write_text(f"# {name}\n\nAnna met Ben in Vienna, as {name} tells.\n", encoding="utf-8")
    return folder


@pytest.fixture
def vault(tmp_path: Path, notes: Path) -> Path:
    """A vault of the notes."""
    with Store.open(tmp_path / "vault", write=True) as store:
        index(store, notes)
    return tmp_path / "vault"


def known(vault: Path) -> set[str]:
    with Store.open(vault, write=False) as store:
        assert [finding for finding in integrity(store) if not finding.ok] == []
        return {Path(path).name for path in FileRows(store).known()}


def moving_away(folder: Path, stage: str) -> Callable[[Progress], None]:
    """Takes a folder away as soon as a stage of indexing has begun."""

    def advanced(progress: Progress) -> None:
        if progress.stage == stage and folder.exists():
            folder.rename(folder.with_name("elsewhere"))

    return advanced


def test_a_folder_that_is_empty_as_without_its_drive_keeps_its_notes(
    tmp_path: Path, notes: Path, vault: Path, settings: Settings
) -> None:
    before = known(vault)
    notes.rename(tmp_path / "drive")
    notes.mkdir()
    with Store.open(vault, write=True) as store:
        report = index(store, notes)
    assert (report.removed, [skip.reason for skip in report.skipped]) == (0, [EMPTIED])
    assert f"noderag forget {notes}" in report.skipped[0].detail
    assert known(vault) == before
    notes.rmdir()
    (tmp_path / "drive").rename(notes)
    with Store.open(vault, write=True) as store:
        assert index(store, notes).unchanged == 3
    with Vault(vault, settings) as opened:
        opened.forget([notes])
    assert known(vault) == set()


def test_a_folder_in_which_something_is_left_loses_what_was_deleted(notes: Path, vault: Path) -> None:
    for path in notes.rglob("*.md"):
        path.unlink()
    with Store.open(vault, write=True) as store:
        assert index(store, notes).removed == 3


def test_notes_that_move_out_of_a_folder_are_moved_and_not_kept_twice(tmp_path: Path, notes: Path, vault: Path) -> None:
    (tmp_path / "archive").mkdir()
    for name in ("anna.md", "ben.md", "trips"):
        (notes / name).rename(tmp_path / "archive" / name)
    with Store.open(vault, write=True) as store:
        report = index(store, notes, tmp_path / "archive")
    assert (report.moved, report.added, report.removed, report.skipped) == (3, 0, 0, ())


def test_a_folder_that_is_gone_in_the_middle_of_the_walk_is_not_taken_for_deleted(
    notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = os.listdir

    def and_one_that_goes(path: str) -> list[str]:
        return [*found(path), "gone"] if path == str(notes) else found(path)

    monkeypatch.setattr(os, "listdir", and_one_that_goes)
    (skip,) = scan([notes], 1 << 20).skipped
    assert (skip.path, skip.reason, skip.is_error) == (str(notes / "gone"), UNREADABLE, True)


@pytest.mark.parametrize("stage", [indexing.READING, indexing.LINKING, indexing.EMBEDDING])
def test_notes_that_vanish_while_they_are_indexed_stay_in_the_vault(notes: Path, vault: Path, stage: str) -> None:
    (notes / "anna.md").write_text("# Anna\n\nAnna moved to Graz.\n", encoding="utf-8")
    (notes / "new.md").write_text("# New\n\nBen met Carla.\n", encoding="utf-8")
    with Store.open(vault, write=True) as store:
        index(store, notes, progress=moving_away(notes, stage))
    assert {"anna.md", "ben.md", "vienna.md"} <= known(vault)
    notes.with_name("elsewhere").rename(notes)
    with Store.open(vault, write=True) as store:
        index(store, notes)
    assert known(vault) == {"anna.md", "ben.md", "vienna.md", "new.md"}


@pytest.mark.parametrize("stage", [indexing.READING, indexing.LINKING])
def test_a_vault_that_vanishes_while_it_is_written_says_so_and_is_whole_where_it_is(
    notes: Path, vault: Path, stage: str
) -> None:
    (notes / "new.md").write_text("# New\n\nBen met Carla.\n", encoding="utf-8")
    with (
        Store.open(vault, write=True) as store,
        pytest.raises(StoreError, match=r"vault\.sqlite is not there any more.*Put it back"),
    ):
        index(store, notes, progress=moving_away(vault, stage))
    vault.with_name("elsewhere").rename(vault)
    with Store.open(vault, write=True) as store:
        index(store, notes)
    assert known(vault) == {"anna.md", "ben.md", "vienna.md", "new.md"}


@pytest.mark.parametrize("years", [-1, 1])
def test_a_note_that_changes_after_the_clock_has_jumped_is_read_again(notes: Path, vault: Path, years: int) -> None:
    note = notes / "anna.md"
    text = note.read_text("utf-8")
    note.write_text(text.replace("Vienna", "Munich"), encoding="utf-8")
    when = time.time() + years * YEAR_SECONDS
    os.utime(note, (when, when))
    with Store.open(vault, write=True) as store:
        assert index(store, notes).changed == 1
        assert store.value("SELECT count(*) FROM sentences WHERE text LIKE '%Munich%'") == 1


def test_a_note_that_changes_twice_within_the_time_that_a_stick_tells_apart_is_read_again(
    notes: Path, vault: Path
) -> None:
    note = notes / "anna.md"
    text = note.read_text("utf-8")
    when = (time.time_ns() // 10**9 + 1) * 10**9
    for town in ("Munich", "London"):
        note.write_text(text.replace("Vienna", town), encoding="utf-8")
        os.utime(note, ns=(when, when))
        with Store.open(vault, write=True) as store:
            assert index(store, notes).changed == 1
            assert store.value(f"SELECT count(*) FROM sentences WHERE text LIKE '%{town}%'") == 1
    os.utime(note, ns=(10**9, 10**9))
    with Store.open(vault, write=True) as store:
        assert (index(store, notes).changed, index(store, notes).unchanged) == (1, 3)


def test_who_reads_sees_the_backup_that_was_put_in_the_place_of_the_vault(
    notes: Path, vault: Path, settings: Settings
) -> None:
    backup = Backups(vault).make()
    (notes / "new.md").write_text("# New\n\nBen met Carla.\n", encoding="utf-8")
    with Store.open(vault, write=True) as store:
        index(store, notes)
    with Vault(vault, settings) as reader:
        assert reader.stats().documents == 4
        restore(vault, backup)
        assert reader.stats().documents == 3
        assert reader.search("Whom did Ben meet?", method="bm25").sources


@pytest.mark.parametrize(
    "second",
    [
        lambda vault, notes: vault.index([notes]),
        lambda vault, notes: vault.forget([notes]),
        lambda vault, notes: vault.safety.restore(),
        lambda vault, notes: vault.safety.repair(),
    ],
    ids=["index", "forget", "restore", "repair"],
)
def test_while_one_writes_another_is_told_and_changes_nothing(
    notes: Path, vault: Path, settings: Settings, second: Callable[[Vault, Path], object]
) -> None:
    Backups(vault).make()
    with Vault(vault, settings) as other, Store.open(vault, write=True):
        with pytest.raises(VaultLocked, match="wait for it or stop it"):
            second(other, notes)
        assert other.stats().documents == 3
