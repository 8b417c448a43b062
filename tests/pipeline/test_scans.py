"""Scans in an indexing run: after all other files, counted by page, stopped and gone on with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.changing_notes import index
from helpers.scanned_pages import as_file, picture_of

from noderag_local.domain.progress import Progress
from noderag_local.ingest.chunks.parsed_document import SCAN_UNREAD
from noderag_local.ingest.sync.file_changes import unread
from noderag_local.pipeline.indexing import READING_PICTURES
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("A fern grows here.\n", encoding="utf-8")
    pages = [picture_of((f"The chapter about moss {number}.",)) for number in (1, 2)]
    (folder / "b.pdf").write_bytes(as_file(pages[0], "PDF", pages[1:]))
    (folder / "c.png").write_bytes(as_file(picture_of(("A note about lichen",)), "PNG"))
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "vault", write=True) as opened:
        yield opened


def sentences(store: Store) -> set[str]:
    return {text for (text,) in store.rows("SELECT text FROM sentences")}


LICHEN, MOSS = "A note about lichen", {"The chapter about moss 1.", "The chapter about moss 2."}


def test_scans_come_last_and_are_counted_by_page(notes: Path, store: Store) -> None:
    told: list[Progress] = []
    report = index(store, notes, read_scans=True, progress=told.append)
    assert sentences(store) == {"A fern grows here.", LICHEN, *MOSS}
    assert (report.added, report.skipped, FileRows(store).skipped()) == (3, (), [])
    stages = [one.stage for one in told]
    assert stages.index(READING_PICTURES) > stages.index("connecting")
    assert [one.done for one in told if one.stage == READING_PICTURES] == [0, 1, 1, 2, 3, 3]
    assert {(one.total, one.unit) for one in told if one.stage == READING_PICTURES} == {(3, "pages")}


def test_what_was_left_is_noted_and_read_by_a_later_run(notes: Path, store: Store) -> None:
    report = index(store, notes)
    assert [(Path(skip.path).name, skip.reason) for skip in report.skipped] == [
        ("b.pdf", SCAN_UNREAD),
        ("c.png", SCAN_UNREAD),
    ]
    assert sentences(store) == {"A fern grows here."}
    again = index(store, notes, read_scans=True)
    assert (again.added, again.unchanged, again.skipped) == (2, 3, ())
    assert sentences(store) == {"A fern grows here.", LICHEN, *MOSS}
    assert not unread(store, [notes], False, 1 << 20).files
    assert index(store, notes, read_scans=True).added == 0


def test_a_run_that_is_stopped_keeps_whole_files_and_goes_on_with_the_others(notes: Path, store: Store) -> None:
    pages: list[int] = []

    def note(progress: Progress) -> None:
        if progress.stage == READING_PICTURES:
            pages.append(progress.done)

    report = index(store, notes, read_scans=True, progress=note, cancelled=lambda: 2 in pages)
    assert report.stopped
    assert sentences(store) == {"A fern grows here.", LICHEN}
    assert [Path(skip.path).name for skip in FileRows(store).skipped()] == ["b.pdf"]
    assert not index(store, notes, read_scans=True).stopped
    assert sentences(store) == {"A fern grows here.", LICHEN, *MOSS}


def test_a_scan_that_changes_is_read_again(notes: Path, store: Store) -> None:
    index(store, notes, read_scans=True)
    (notes / "c.png").write_bytes(as_file(picture_of(("A longer note about algae",)), "PNG"))
    index(store, notes, read_scans=True)
    assert sentences(store) == {"A fern grows here.", "A longer note about algae", *MOSS}
