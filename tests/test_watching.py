"""Following folders and files: a change is in the vault a moment later, and only while somebody watches."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from living_notes import index

from noderag_local.records import IndexReport
from noderag_local.store.database import Store
from noderag_local.watching import Followed, Watched, follow, known_roots

PATIENCE_SECONDS = 20.0


class Following:
    """A vault that is kept up to date by a thread."""

    def __init__(self, vault: Path, watched: list[Watched]) -> None:
        self.told: list[Followed] = []
        self.stopped = threading.Event()
        self._vault = vault
        self._thread = threading.Thread(
            target=follow, args=(watched, self._index, self.told.append, self.stopped.is_set)
        )

    def _index(self, watched: Watched) -> IndexReport:
        with Store.open(self._vault, write=True) as store:
            return index(store, *watched.paths, by_lines=watched.by_lines)

    def wait_for(self, found: Callable[[Followed], bool]) -> Followed:
        """The first thing told that is `found`."""
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            for one in self.told:
                if found(one):
                    return one
            time.sleep(0.05)
        raise AssertionError(f"not told in time; told: {self.told}")

    @contextmanager
    def running(self) -> Iterator[Following]:
        self._thread.start()
        try:
            yield self
        finally:
            self.stopped.set()
            self._thread.join(PATIENCE_SECONDS)
            assert not self._thread.is_alive()


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "anna.md").write_text("# Anna\n\nAnna keeps the key in Vienna.\n", encoding="utf-8")
    return folder


def added(number: int) -> Callable[[Followed], bool]:
    return lambda one: one.report is not None and one.report.added == number


def test_a_new_note_in_a_folder_is_indexed_a_moment_later(tmp_path: Path, notes: Path) -> None:
    with Following(tmp_path / "vault", [Watched((notes,), False)]).running() as following:
        following.wait_for(added(1))
        following.told.clear()
        (notes / "ben.md").write_text("# Ben\n\nBen met Anna.\n", encoding="utf-8")
        following.wait_for(added(1))


def test_a_single_file_that_an_editor_replaces_is_followed(tmp_path: Path, notes: Path) -> None:
    note = notes / "anna.md"
    with Following(tmp_path / "vault", [Watched((note,), False)]).running() as following:
        following.wait_for(added(1))
        new = tmp_path / "new"
        new.write_text("# Anna\n\nAnna moved to Graz.\n", encoding="utf-8")
        new.replace(note)
        following.wait_for(lambda one: one.report is not None and one.report.changed == 1)


def test_it_says_why_it_waits_for_another_writer(tmp_path: Path, notes: Path) -> None:
    with (
        Store.open(tmp_path / "vault", write=True),
        Following(tmp_path / "vault", [Watched((notes,), False)]).running() as following,
    ):
        assert "is being indexed" in following.wait_for(lambda one: one.report is None).waiting


def test_a_folder_that_is_gone_as_a_whole_keeps_its_place_in_the_vault(tmp_path: Path, notes: Path) -> None:
    with Following(tmp_path / "vault", [Watched((notes,), False)]).running() as following:
        following.wait_for(added(1))
    notes.rename(tmp_path / "elsewhere")
    with Following(tmp_path / "vault", [Watched((notes,), False)]).running() as following:
        following.wait_for(lambda one: "cannot be found" in one.waiting)
    with Store.open(tmp_path / "vault", write=False) as store:
        assert store.value("SELECT count(*) FROM documents") == 1


def test_what_was_indexed_is_followed_as_it_was_read(tmp_path: Path, notes: Path) -> None:
    facts = tmp_path / "facts.txt"
    facts.write_text("Ada was born in 1815.\nBen was born in 1957.\n", encoding="utf-8")
    with Store.open(tmp_path / "vault", write=True) as store:
        index(store, notes)
        index(store, facts, by_lines=True)
        assert known_roots(store) == [Watched((notes,), False), Watched((facts,), True)]
