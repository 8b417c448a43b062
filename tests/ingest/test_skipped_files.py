"""What could not be read is told as long as it is so, whatever happened to the run that found it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.changing_notes import index

from noderag_local.domain.progress import Progress
from noderag_local.pipeline.indexing import READING
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Three notes, the first and the last of which are no text."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in ("a broken.md", "z broken.md"):
        (folder / name).write_bytes(b"\x00\x01\x02" * 500)
    (folder / "anna.md").write_text("# Anna\n\nAnna keeps the key in Vienna.\n", encoding="utf-8")
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "vault", write=True) as opened:
        yield opened


def noted(store: Store) -> list[str]:
    return [Path(skip.path).name for skip in FileRows(store).skipped()]


BOTH = ["a broken.md", "z broken.md"]


def test_a_run_that_is_stopped_forgets_nothing_of_what_it_did_not_come_to(notes: Path, store: Store) -> None:
    index(store, notes)
    looks = iter([False, False])
    assert index(store, notes, cancelled=lambda: next(looks, True)).stopped
    assert sorted(noted(store)) == BOTH
    assert [Path(skip.path).name for skip in index(store, notes).skipped] == BOTH


class Killed(Exception):
    """In the place of a signal."""


def test_a_run_that_is_killed_has_told_of_the_files_that_it_does_not_read_again(notes: Path, store: Store) -> None:
    def told(progress: Progress) -> None:
        if progress.stage == READING and progress.done == progress.total > 0:
            raise Killed

    with pytest.raises(Killed):
        index(store, notes, progress=told)
    assert [Path(skip.path).name for skip in index(store, notes).skipped] == BOTH


def test_a_file_that_was_named_itself_and_is_mended_is_noted_no_more(notes: Path, store: Store) -> None:
    broken = notes / BOTH[0]
    index(store, broken)
    index(store, notes)
    assert sorted(noted(store)) == BOTH
    broken.write_text("Mended.\n", encoding="utf-8")
    index(store, notes)
    assert noted(store) == BOTH[1:]


def test_a_file_that_is_mended_and_named_itself_is_noted_no_more(notes: Path, store: Store) -> None:
    index(store, notes)
    (notes / BOTH[0]).write_text("Mended.\n", encoding="utf-8")
    index(store, notes / BOTH[0])
    assert noted(store) == BOTH[1:]
    index(store, notes, notes / BOTH[1])
    assert noted(store) == BOTH[1:]


def test_a_note_belongs_to_the_nearest_path_that_was_named(notes: Path, store: Store) -> None:
    index(store, notes, notes / BOTH[0])
    kept = store.rows("SELECT path, root FROM skipped ORDER BY path")
    assert kept == [(str(notes / BOTH[0]), str(notes / BOTH[0])), (str(notes / BOTH[1]), str(notes))]
