"""Following folders and files: a change is in the vault a moment later, and only while somebody watches."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from helpers.changing_notes import index
from helpers.mounted_drives import drive

from noderag_local.config import load_settings
from noderag_local.domain.documents import Skipped
from noderag_local.domain.progress import IndexReport
from noderag_local.ingest.scan.folder_watch import ticks
from noderag_local.ingest.sync.file_changes import Unread
from noderag_local.ingest.sync.forgetting import chosen, forget, not_forgotten
from noderag_local.storage.database.store import Store
from noderag_local.vault import watch
from noderag_local.vault.vault import Vault
from noderag_local.vault.watch import Followed, Watched, known_roots

PATIENCE_SECONDS = 300.0


class Follower:
    """A vault that is kept up to date by a thread."""

    def __init__(self, vault: Path, *named: Watched) -> None:
        self.told: list[Followed] = []
        self.rounds = 0
        self._vault = vault
        self._stopped = threading.Event()
        settings = load_settings(vault=vault)
        reading = Vault(vault, settings)
        self._thread = threading.Thread(target=self._follow, args=(reading, named))

    def _follow(self, reading: Vault, named: Sequence[Watched]) -> None:
        with reading:
            paths = [path for one in named for path in one.paths]
            reading.watch(
                paths,
                by_lines=any(one.by_lines for one in named),
                told=self.told.append,
                stopped=self._stopped.is_set,
                index=self._index,
            )

    def _index(self, watched: Watched, files: int) -> IndexReport:
        self.rounds += 1
        with Store.open(self._vault, write=True) as store:
            return index(store, *watched.paths, by_lines=watched.by_lines, takes_back=watched.takes_back)

    def wait_for(self, found: Callable[[Followed], bool]) -> Followed:
        """The first thing told that is `found`."""
        self.wait_until(lambda: any(map(found, self.told)))
        return next(filter(found, self.told))

    def wait_until(self, is_so: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE_SECONDS
        while not is_so():
            assert time.monotonic() < end, f"not so in time; told: {self.told}"
            time.sleep(0.05)

    def running_after(self, folder: Path, lines: Path) -> AbstractContextManager[Follower]:
        """Of a vault with a folder, and with a file that is read by lines."""
        with Store.open(self._vault, write=True) as store:
            index(store, folder)
            index(store, lines, by_lines=True)
        return self.running()

    @contextmanager
    def running(self) -> Iterator[Follower]:
        self._thread.start()
        try:
            yield self
        finally:
            self._stopped.set()
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
    with Follower(tmp_path / "vault", Watched((notes,), False)).running() as following:
        following.wait_for(added(1))
        following.told.clear()
        (notes / "ben.md").write_text("# Ben\n\nBen met Anna.\n", encoding="utf-8")
        following.wait_for(added(1))


def test_a_single_file_that_an_editor_replaces_is_followed(tmp_path: Path, notes: Path) -> None:
    note = notes / "anna.md"
    with Follower(tmp_path / "vault", Watched((note,), False)).running() as following:
        following.wait_for(added(1))
        new = tmp_path / "new"
        new.write_text("# Anna\n\nAnna moved to Graz.\n", encoding="utf-8")
        new.replace(note)
        following.wait_for(lambda one: one.report is not None and one.report.changed == 1)


def test_it_says_why_it_waits_for_another_writer(tmp_path: Path, notes: Path) -> None:
    with (
        Store.open(tmp_path / "vault", write=True),
        Follower(tmp_path / "vault", Watched((notes,), False)).running() as following,
    ):
        assert "is being indexed" in following.wait_for(lambda one: one.report is None).waiting


def test_what_changed_while_another_wrote_is_indexed_when_that_is_done(
    tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "WAITING_SECONDS", 0.5)
    with Follower(tmp_path / "vault", Watched((notes,), False)).running() as following:
        following.wait_for(added(1))
        with Store.open(tmp_path / "vault", write=True):
            (notes / "ben.md").write_text("# Ben\n\nBen met Anna.\n", encoding="utf-8")
            following.wait_for(lambda one: "is being indexed" in one.waiting)
            following.told.clear()
        following.wait_for(added(1))


def documents(vault: Path) -> int:
    with Store.open(vault, write=False) as store:
        return int(store.value("SELECT count(*) FROM documents"))


def test_a_folder_that_is_gone_as_a_whole_keeps_its_place_and_is_followed_again_when_it_is_back(
    tmp_path: Path, notes: Path
) -> None:
    with Follower(tmp_path / "vault", Watched((notes,), False)).running() as following:
        following.wait_for(added(1))
        notes.rename(tmp_path / "elsewhere")
        following.wait_for(lambda one: "cannot be found" in one.waiting)
        assert documents(tmp_path / "vault") == 1
        (tmp_path / "elsewhere").rename(notes)
        following.wait_for(lambda one: one.report is None and not one.waiting)
        following.told.clear()
        (notes / "ben.md").write_text("# Ben\n\nBen met Anna.\n", encoding="utf-8")
        following.wait_for(added(1))


def test_a_folder_that_is_suddenly_empty_is_not_taken_for_deleted(tmp_path: Path, notes: Path) -> None:
    with Follower(tmp_path / "vault", Watched((notes,), False)).running() as following:
        following.wait_for(added(1))
        notes.rename(tmp_path / "elsewhere")
        notes.mkdir()
        following.wait_for(lambda one: "is empty" in one.waiting)
        assert documents(tmp_path / "vault") == 1


class Looked:
    """A `watching.Following` in which nothing ever differs; it counts the looks."""

    folder = Path("/vault")

    def __init__(self, *paths: Path) -> None:
        self.looks = 0
        self._watched = Watched(paths, False)

    def roots(self) -> Sequence[Watched]:
        return [self._watched]

    def unread(self, one: Watched) -> Unread:
        self.looks += 1
        return Unread(frozenset(), frozenset())

    def unreadable(self) -> Sequence[Skipped]:
        return ()

    def is_behind(self) -> bool:
        return False

    def index(self, one: Watched, files: int) -> IndexReport:
        raise AssertionError("nothing differs")


def test_while_a_drive_is_out_the_rest_is_not_looked_through_again_and_again(
    tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "WAITING_SECONDS", 0.25)
    told: list[Followed] = []
    looked = Looked(notes, tmp_path / "stick")
    ends: list[float] = []

    def stopped() -> bool:
        """Whether two seconds have gone since the second look, in which there could have been more."""
        if looked.looks >= 2 and not ends:
            ends.append(time.monotonic() + 2)
        return bool(ends) and time.monotonic() > ends[0]

    watch.follow(looked, told.append, stopped)
    assert [one.lost for one in told] == [(tmp_path / "stick",)]
    assert looked.looks == 2


def test_a_drive_in_a_folder_that_comes_and_goes_is_followed(tmp_path: Path, notes: Path) -> None:
    content = tmp_path / "content"
    content.mkdir()
    (content / "carla.md").write_text("# Carla\n\nCarla met Anna.\n", encoding="utf-8")
    with drive(content, notes / "stick") as stick:
        stick.plug()
        with Follower(tmp_path / "vault", Watched((notes,), False)).running() as following:
            following.wait_for(added(2))
            stick.pull()
            (lost,) = following.wait_for(lambda one: f"{stick.place} is empty" in one.waiting).lost
            assert lost == stick.place
            assert documents(tmp_path / "vault") == 2
            stick.plug()
            following.wait_for(lambda one: one.report is None and not one.waiting)
            following.told.clear()
            (stick.place / "dora.md").write_text("# Dora\n\nDora met Carla.\n", encoding="utf-8")
            following.wait_for(added(1))
            # The watch holds on to nothing of it.
            stick.pull()


def test_a_vault_that_goes_with_its_drive_is_waited_for_and_not_made_anew(
    tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "WAITING_SECONDS", 0.5)
    vault = tmp_path / "vault"
    with Follower(vault, Watched((notes,), False)).running() as following:
        following.wait_for(added(1))
        vault.rename(tmp_path / "elsewhere")
        (notes / "ben.md").write_text("# Ben\n\nBen met Anna.\n", encoding="utf-8")
        following.wait_for(lambda one: "not there any more" in one.waiting)
        following.told.clear()
        assert not vault.exists()
        (tmp_path / "elsewhere").rename(vault)
        following.wait_for(added(1))
        assert documents(vault) == 2


def test_a_named_folder_that_is_deleted_below_another_one_is_not_waited_for(tmp_path: Path, notes: Path) -> None:
    inner = notes / "inner"
    inner.mkdir()
    (inner / "ben.md").write_text("# Ben\n\nBen met Anna.\n", encoding="utf-8")
    with Follower(tmp_path / "vault", Watched((notes, inner), False)).running() as following:
        following.wait_for(added(2))
        inner.rename(tmp_path / "waste")
        following.wait_for(lambda one: one.report is not None and one.report.removed == 1)
        time.sleep(0.2)
        assert not any(one.waiting for one in following.told)


def test_a_place_that_cannot_even_be_looked_at_is_waited_for() -> None:
    unknowable = Path("/" + "x" * 300)
    looks = iter([False, True, True])
    assert list(ticks(lambda: [unknowable], Path("/vault"), lambda: next(looks))) == []


def test_a_file_that_was_named_to_be_read_by_lines_stays_so_below_a_folder(tmp_path: Path, notes: Path) -> None:
    facts = notes / "facts.txt"
    facts.write_text("Ada was born in 1815.\nBen was born in 1957.\n", encoding="utf-8")
    with Follower(tmp_path / "vault").running_after(notes, facts) as following:
        (notes / "ben.md").write_text("# Ben\n\nBen met Anna.\n", encoding="utf-8")
        following.wait_for(added(1))
        facts.write_text("Ada was born in 1815.\nBen was born in 1958.\n", encoding="utf-8")
        following.wait_for(lambda one: one.report is not None and one.report.changed == 1)
        assert following.rounds == 2
        assert documents(tmp_path / "vault") == 4
    with Store.open(tmp_path / "vault", write=False) as store:
        assert Watched((facts,), True) in known_roots(store)


def test_one_note_of_several_is_deleted(tmp_path: Path, notes: Path) -> None:
    (notes / "ben.md").write_text("# Ben\n\nBen met Anna.\n", encoding="utf-8")
    with Follower(tmp_path / "vault", Watched((notes,), False)).running() as following:
        following.wait_for(added(2))
        (notes / "ben.md").unlink()
        following.wait_for(lambda one: one.report is not None and one.report.removed == 1)


def test_what_cannot_be_read_is_told_once_and_not_tried_again_until_something_changes(
    tmp_path: Path, notes: Path
) -> None:
    (notes / "broken.md").write_bytes(b"\x00\x01\x02" * 500)
    with Follower(tmp_path / "vault", Watched((notes,), False)).running() as following:
        (broken,) = following.wait_for(lambda one: bool(one.unreadable)).unreadable
        assert broken.path == str(notes / "broken.md")
        following.told.clear()
        (notes / "ben.md").write_text("# Ben\n\nBen met Anna.\n", encoding="utf-8")
        assert not following.wait_for(added(1)).unreadable


def test_hidden_files_and_the_vault_itself_are_no_changes(tmp_path: Path, notes: Path) -> None:
    vault = notes / "vault"
    with Follower(vault, Watched((notes,), False)).running() as following:
        following.wait_for(added(1))
        (notes / ".anna.md.swp").write_bytes(b"swap")
        (vault / "conversations").write_bytes(b"kept")
        (notes / "ben.md").write_text("# Ben\n\nBen met Anna.\n", encoding="utf-8")
        following.wait_for(lambda one: one.report is not None and one.report.unchanged == 1)
        time.sleep(3)
        assert following.rounds == 2


def test_what_is_forgotten_while_it_is_followed_does_not_come_back(tmp_path: Path, notes: Path) -> None:
    vault = tmp_path / "vault"
    with Follower(vault, Watched((notes,), False)).running() as following:
        following.wait_for(added(1))
        with Vault(vault, load_settings(vault=vault)) as other:
            other.forget([notes])
        (notes / "ben.md").write_text("# Ben\n\nBen met Anna.\n", encoding="utf-8")
        time.sleep(4)
        assert documents(vault) == 0


def test_a_folder_below_a_forgotten_one_is_followed_only_where_it_was_taken_back(tmp_path: Path, notes: Path) -> None:
    with Store.open(tmp_path / "vault", write=True) as store:
        index(store, notes)
        assert not_forgotten(store, [notes]) == [notes]
        forget(store, chosen(store, [str(notes.parent)]))
        assert not_forgotten(store, [notes, notes.parent, notes.parent / "else"]) == []
        assert index(store, notes, takes_back=False).added == 0
        assert index(store, notes).added == 1
        assert not_forgotten(store, [notes, notes.parent]) == [notes]


def test_naming_what_was_forgotten_takes_it_back_to_be_followed(tmp_path: Path, notes: Path) -> None:
    vault = tmp_path / "vault"
    with Store.open(vault, write=True) as store:
        index(store, notes)
        forget(store, chosen(store, [str(notes)]))
    with Follower(vault, Watched((notes,), False)).running() as following:
        following.wait_for(added(1))
        with Store.open(vault, write=True) as store:
            forget(store, chosen(store, [str(notes / "anna.md")]))
        (notes / "ben.md").write_text("# Ben\n\nBen met Cora.\n", encoding="utf-8")
        following.wait_until(lambda: sum(one.report is not None for one in following.told) == 2)
        assert documents(vault) == 1


def test_what_was_indexed_is_followed_as_it_was_read(tmp_path: Path, notes: Path) -> None:
    facts = tmp_path / "facts.txt"
    facts.write_text("Ada was born in 1815.\nBen was born in 1957.\n", encoding="utf-8")
    with Store.open(tmp_path / "vault", write=True) as store:
        index(store, notes)
        index(store, facts, by_lines=True)
        assert known_roots(store) == [Watched((notes,), False), Watched((facts,), True)]
