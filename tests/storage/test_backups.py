"""Backups: whole or not there, few, private, and the way back to them."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from helpers.conversation_turns import TURN
from helpers.small_documents import add, document
from helpers.unreachable import make_unreachable
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.domain.errors import StoreError, VaultDamaged, VaultMissing
from noderag_local.storage.backup import database_copy
from noderag_local.storage.backup.backups import NEWEST_KEPT, Backups, chosen_backup, kept_moments, newest_backup
from noderag_local.storage.backup.database_copy import CopyStopped
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.backup.integrity import integrity
from noderag_local.storage.backup.restore import restore
from noderag_local.storage.conversations.conversations import Conversations
from noderag_local.storage.database import connection
from noderag_local.storage.database.store import Store

DAY = timedelta(days=1)
MOMENTS = st.lists(st.datetimes(datetime(2026, 1, 1), datetime(2026, 12, 31)), unique=True, min_size=1, max_size=60)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A vault of two documents and a conversation."""
    folder = tmp_path / "vault"
    with Store.open(folder, write=True) as store:
        add(store, document("/notes/a.md", ["Ada wrote.", "Bob read."]), document("/notes/b.md", ["Cid sang."]))
    Conversations(folder).add(None, TURN)
    return folder


def digest_of(folder: Path) -> str:
    with Store.open(folder, write=False) as store:
        return digest(store)


def test_a_backup_has_all_of_the_vault_and_its_conversations(vault: Path, tmp_path: Path) -> None:
    before = digest_of(vault)
    made = Backups(vault).make()
    assert {path.name for path in made.folder.iterdir()} == {"vault.sqlite", "conversations.sqlite"}
    made.check()
    for path in vault.glob("*.sqlite*"):
        path.unlink()
    done = restore(vault, made)
    assert (done.aside, digest_of(vault)) == (None, before)
    assert len(Conversations(vault).all()) == 1


def test_what_is_there_is_kept_aside_and_comes_back_with_it(vault: Path) -> None:
    backup = Backups(vault).make()
    with Store.open(vault, write=True) as store:
        add(store, document("/notes/new.md", ["Dan came."]))
        after = digest(store)
    done = restore(vault, backup)
    with Store.open(vault, write=False) as store:
        assert store.value("SELECT count(*) FROM documents") == 2
        assert all(finding.ok for finding in integrity(store) if finding.what == "file")
    assert done.aside is not None
    assert digest_of(done.aside) == after


def test_a_kill_before_a_file_is_replaced_leaves_the_old_one_whole(
    vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup = Backups(vault).make()
    with closing(sqlite3.connect(vault / "vault.sqlite")) as reader:
        # A program that reads keeps the log.
        reader.execute("SELECT count(*) FROM documents").fetchall()
        with Store.open(vault, write=True) as store:
            add(store, document("/notes/new.md", ["Dan came."]))
            after = digest(store)
        assert (vault / "vault.sqlite-wal").stat().st_size > 0

        of_system = os.replace

        def killed(source: Path, target: Path) -> None:
            if target == vault / "vault.sqlite":
                raise KeyboardInterrupt
            of_system(source, target)

        monkeypatch.setattr(os, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            restore(vault, backup)
        monkeypatch.undo()
        # The reader still has the log, which its end would write into the file.
        shutil.copytree(vault, tmp_path / "left")
    assert digest_of(tmp_path / "left") == after


def test_a_vault_that_no_longer_opens_is_got_back(vault: Path) -> None:
    before = digest_of(vault)
    backup = Backups(vault).make()
    (vault / connection.FILE_NAME).write_bytes(b"rubbish" * 1000)
    with pytest.raises(VaultDamaged):
        Store.open(vault, write=False)
    restore(vault, chosen_backup(vault, None))
    assert digest_of(vault) == before
    assert backup.folder.is_dir()


def test_while_somebody_writes_a_backup_is_of_one_state(vault: Path) -> None:
    with Store.open(vault, write=True) as store, store.transaction():
        add(store, document("/notes/half.md", ["Never committed."]))
        made = Backups(vault).make()
    assert digest_of(made.folder) != digest_of(vault)
    with Store.open(made.folder, write=False) as store:
        assert store.value("SELECT count(*) FROM documents") == 2


@pytest.mark.parametrize("checks", [1, 2, 4])
def test_a_stopped_backup_leaves_nothing_and_the_others_stay(
    vault: Path, monkeypatch: pytest.MonkeyPatch, checks: int
) -> None:
    # So that a small vault is copied and read in several steps.
    monkeypatch.setattr(database_copy, "PAGES_AT_A_TIME", 10)
    monkeypatch.setattr(database_copy, "STEPS_AT_A_TIME", 100)
    whole = Backups(vault).make()
    asked: list[None] = []

    def cancelled() -> bool:
        asked.append(None)
        return len(asked) >= checks

    with pytest.raises(CopyStopped):
        Backups(vault).make(cancelled=cancelled)
    assert [path.name for path in (vault / "backups").iterdir()] == [whole.folder.name]


def test_copying_tells_how_far_it_is(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_copy, "PAGES_AT_A_TIME", 10)
    told: list[tuple[int, int]] = []
    Backups(vault).make(lambda done, total: told.append((done, total)))
    assert len(told) > 3 and all(0 < done <= total for done, total in told)


def test_the_last_backup_is_known_wherever_it_was_made(vault: Path, tmp_path: Path) -> None:
    assert newest_backup(vault) is None
    own = Backups(vault).make()
    assert newest_backup(vault) == own
    stick = tmp_path / "stick"
    Backups(vault, stick / "one").make()
    last = Backups(vault, stick / "one").make()
    assert newest_backup(vault) == last
    stick.rename(tmp_path / "away")
    assert newest_backup(vault) == last, "the drive is not there now"
    (tmp_path / "away").rename(stick)
    shutil.rmtree(last.folder)
    assert newest_backup(vault) == own, "somebody has deleted it"


def test_a_lost_drive_is_as_one_that_is_away(vault: Path, tmp_path: Path) -> None:
    """Its folder still stands there, and the system fails wherever it is asked about it."""
    stick = tmp_path / "stick"
    made = Backups(vault, stick).make()
    stick.rename(tmp_path / "away")
    make_unreachable(stick)
    assert newest_backup(vault) == made
    with pytest.raises(VaultMissing, match="no backup in"):
        chosen_backup(vault, stick / "backups")


@pytest.mark.parametrize("content", [b"", b"{}", b"[1, null]", b"\xff", b'"text"'])
def test_a_damaged_note_of_backups_elsewhere_stands_in_nobodys_way(vault: Path, tmp_path: Path, content: bytes) -> None:
    (vault / "vault.backups-elsewhere").write_bytes(content)
    assert newest_backup(vault) is None
    made = Backups(vault, tmp_path / "stick").make()
    assert newest_backup(vault) == made


def test_a_damaged_vault_makes_no_backup_and_the_others_stay(vault: Path) -> None:
    whole = Backups(vault).make()
    path = vault / connection.FILE_NAME
    content = bytearray(path.read_bytes())
    content[8192 * 3 : 8192 * 5] = os.urandom(8192 * 2)
    path.write_bytes(content)
    with pytest.raises(VaultDamaged, match="No backup"):
        Backups(vault).make()
    assert [backup.folder for backup in Backups(vault).all()] == [whole.folder]
    assert [path.name for path in (vault / "backups").iterdir()] == [whole.folder.name]


def test_a_damaged_backup_is_refused_and_nothing_is_touched(vault: Path) -> None:
    backup = Backups(vault).make()
    path = backup.folder / connection.FILE_NAME
    path.write_bytes(path.read_bytes()[:-9000])
    before = digest_of(vault)
    with pytest.raises(VaultDamaged):
        restore(vault, backup)
    assert digest_of(vault) == before


def test_a_backup_of_another_program_s_file_is_refused(vault: Path) -> None:
    backup = Backups(vault).make()
    (backup.folder / "conversations.sqlite").replace(backup.folder / connection.FILE_NAME)
    with pytest.raises(VaultDamaged, match="not a backup made by noderag"):
        restore(vault, backup)


def test_without_a_vault_or_a_backup(tmp_path: Path) -> None:
    with pytest.raises(VaultMissing):
        Backups(tmp_path).make()
    with pytest.raises(VaultMissing, match="no backup"):
        chosen_backup(tmp_path, None)
    assert list(tmp_path.iterdir()) == []


def test_a_backup_is_named_by_its_folder_by_a_file_or_by_where_all_lie(vault: Path, tmp_path: Path) -> None:
    elsewhere = Backups(vault, tmp_path / "stick")
    first, last = elsewhere.make(), elsewhere.make()
    assert chosen_backup(vault, first.folder).folder == first.folder
    assert chosen_backup(vault, first.folder / "vault.sqlite").folder == first.folder
    assert chosen_backup(vault, tmp_path / "stick").folder == last.folder
    assert Backups(vault).all() == []


def test_no_more_than_the_rule_keeps(vault: Path) -> None:
    made = [Backups(vault).make().folder for _ in range(NEWEST_KEPT + 2)]
    assert [backup.folder for backup in Backups(vault).all()] == made[: -NEWEST_KEPT - 1 : -1]
    assert not Backups(vault).is_due()


def years_ahead(vault: Path) -> list[Path]:
    """Backups as if the clock had been a year ahead: more than the rule keeps of one day."""
    ahead = datetime.now(UTC) + timedelta(days=365)
    moments = [ahead - days * DAY for days in range(9)]
    made = []
    for moment in moments:
        folder = Backups(vault).make().folder
        made.append(folder.rename(folder.with_name(moment.strftime("%Y-%m-%dT%H-%M-%S-%fZ"))))
    return made


def test_after_the_clock_was_set_back_the_newest_backup_is_the_one_made_last(vault: Path) -> None:
    years_ahead(vault)
    assert Backups(vault).is_due()
    made = Backups(vault).make()
    assert [made.folder] == [backup.folder for backup in Backups(vault).all()][:1]
    assert chosen_backup(vault, None).folder == made.folder


def test_after_the_clock_was_set_back_a_new_one_takes_the_place_of_all_others(vault: Path) -> None:
    years_ahead(vault)
    made = Backups(vault).renew()
    assert [path.name for path in (vault / "backups").iterdir()] == [made.folder.name]
    made.check()


def test_a_new_one_in_the_place_of_all_others(vault: Path) -> None:
    backups = Backups(vault)
    restore(vault, backups.make())
    assert backups.holding() == 2
    made = backups.renew()
    assert [path.name for path in backups.place.iterdir()] == [made.folder.name]


def test_what_a_killed_backup_left_is_cleared_away_and_never_taken_for_one(vault: Path) -> None:
    left = vault / "backups" / "2026-03-01T10-00-00-000000Z.part"
    left.mkdir(parents=True)
    assert Backups(vault).all() == []
    Backups(vault).make()
    assert not left.exists()


def test_one_that_is_half_removed_is_none(vault: Path) -> None:
    backups = Backups(vault)
    made = backups.make()
    # Cannot be overwritten.
    os.mkfifo(made.folder / "pipe")
    with pytest.raises(OSError):
        backups.remove(made.folder)
    assert (backups.all(), backups.holding()) == ([], 1)
    backups.make()
    assert backups.holding() == 1


@pytest.mark.parametrize("name", ["2020-01-01T00-00-00-000000Z", "aside-2020-01-01T00-00-00-000000Z.part"])
def test_a_link_among_them_is_none_of_them_and_what_it_leads_to_stays(vault: Path, tmp_path: Path, name: str) -> None:
    """Whoever made the vault may have put it there."""
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "will.txt").write_text("All goes to Vera.", "utf-8")
    backups = Backups(vault)
    made = backups.make()
    (backups.place / name).symlink_to(tmp_path / "documents")
    assert [backup.folder for backup in backups.all()] == [made.folder] and backups.holding() == 1
    backups.renew()
    assert (tmp_path / "documents" / "will.txt").read_text("utf-8") == "All goes to Vera."


@pytest.mark.parametrize("how", ["renewed", "rotated", "unfinished"])
def test_what_is_removed_is_overwritten_first(vault: Path, how: str) -> None:
    backups = Backups(vault)
    folder = backups.make().folder
    kept_open = (folder / connection.FILE_NAME).open("rb")
    if how == "unfinished":
        folder.rename(folder.with_name(f"{folder.name}.part"))
    if how == "rotated":
        for _ in range(NEWEST_KEPT):
            backups.make()
    else:
        backups.renew()
    with kept_open:
        assert not folder.exists() and not any(kept_open.read())


def test_a_copy_that_fails_leaves_no_part_of_it_aside(vault: Path) -> None:
    backups = Backups(vault)
    with pytest.raises(StoreError):
        backups.put_aside([vault / connection.FILE_NAME, vault])
    assert backups.holding() == 0


def test_what_is_put_aside_is_there_once_it_is_whole(vault: Path) -> None:
    backups = Backups(vault)
    with pytest.raises(StoreError):
        backups.put_aside([vault / connection.FILE_NAME, vault / "missing"])
    assert backups.places() == []


@given(MOMENTS)
def test_the_newest_ones_are_always_kept_and_there_are_never_many(moments: list[datetime]) -> None:
    kept = kept_moments(moments)
    assert set(sorted(moments)[-NEWEST_KEPT:]) <= kept <= set(moments)
    assert len(kept) <= 3 + 7 + 4


@given(MOMENTS)
def test_keeping_again_removes_nothing_more(moments: list[datetime]) -> None:
    kept = kept_moments(moments)
    assert kept_moments(sorted(kept)) == kept


def test_one_a_day_then_one_a_week() -> None:
    now = datetime(2026, 6, 30, 12, tzinfo=UTC)
    kept = sorted(kept_moments([now - hours * timedelta(hours=6) for hours in range(400)]), reverse=True)
    assert kept[:3] == [now, now - timedelta(hours=6), now - timedelta(hours=12)]
    assert len({moment.date() for moment in kept if now - moment < 7 * DAY}) == 7
    assert now - kept[-1] > 14 * DAY


def test_every_file_is_its_owner_s_alone_whatever_the_umask(tmp_path: Path) -> None:
    work = """
import os, sys
from pathlib import Path
from helpers.small_documents import add, document, link_and_embed
from helpers.conversation_turns import TURN
from noderag_local.storage.backup.backups import Backups
from noderag_local.storage.conversations.conversations import Conversations
from noderag_local.storage.database.store import Store
from noderag_local.storage.backup.restore import restore
from noderag_local.storage.snapshots.snapshot import Snapshot
os.umask(0)
folder = Path(sys.argv[1])
def loose():
    return [str(path) for path in (folder, *folder.rglob("*")) if path.lstat().st_mode & 0o077]
with Store.open(folder, write=True) as store:
    add(store, document("/notes/a.md", ["Ada wrote."]))
    link_and_embed(store)
    Snapshot.open(store)
    Conversations(folder).add(None, TURN)
    backup = Backups(folder).make()
    print(loose())
restore(folder, backup)
print(loose())
"""
    done = subprocess.run(
        [sys.executable, "-c", work, tmp_path / "vault"],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == ["[]", "[]"]


def test_looser_files_of_before_are_tightened_by_a_writer_and_those_of_others_left(vault: Path) -> None:
    other = vault / "letter.txt"
    other.write_text("mine")
    for path in (vault, *vault.iterdir()):
        path.chmod(0o755 if path.is_dir() else 0o644)
    Store.open(vault, write=True).close()
    assert (vault / "vault.sqlite").stat().st_mode & 0o777 == 0o600
    assert (other.stat().st_mode & 0o777, vault.stat().st_mode & 0o777) == (0o644, 0o755)
    other.unlink()
    Store.open(vault, write=True).close()
    assert vault.stat().st_mode & 0o777 == 0o700


def test_without_room_it_says_so(vault: Path) -> None:
    with pytest.raises(StoreError, match="does not fit"):
        Backups(vault, room_left_bytes=1 << 60).make()
    assert Backups(vault).all() == []
