"""Opening, transactions, and what happens when the disk or the file is not as it should be."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from helpers.small_documents import add, derive, document, link_and_embed
from sqlite_utils import Database

from noderag_local.domain.errors import NoderagError, StoreError, VaultDamaged, VaultMissing, VaultTooOld
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.backup.integrity import integrity
from noderag_local.storage.database import migrations
from noderag_local.storage.database.connection import FILE_NAME, FORMAT
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.forgetting.forgotten import ForgottenRows

PlainUser = Callable[[], AbstractContextManager[None]]


OTHER_PROGRAM = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("SELECT count(*) FROM documents").fetchone()
connection.close()
"""


def test_a_writer_beside_a_reader_of_the_same_process_leaves_its_locks(tmp_path: Path) -> None:
    """Another program that closes the file would otherwise remove the log that both still use, and what is written is lost."""
    with Store.open(tmp_path, write=True) as store:
        add(store, document("/notes/a.md", ["Ada wrote."]))
    with Store.open(tmp_path, write=False) as reader:
        assert reader.value("SELECT count(*) FROM documents") == 1
        with Store.open(tmp_path, write=True) as writer:
            add(writer, document("/notes/b.md", ["Bob read."]))
        log = tmp_path / f"{FILE_NAME}-wal"
        number = log.stat().st_ino
        for _ in range(2):
            subprocess.run([sys.executable, "-c", OTHER_PROGRAM, str(tmp_path / FILE_NAME)], check=True)
            assert log.stat().st_ino == number
        with Store.open(tmp_path, write=True) as writer:
            add(writer, document("/notes/c.md", ["Cid sang."]))
        assert reader.value("SELECT count(*) FROM documents") == 3
    with Store.open(tmp_path, write=False) as reader:
        assert reader.value("SELECT count(*) FROM documents") == 3


def test_a_writer_makes_folder_and_file(tmp_path: Path) -> None:
    folder = tmp_path / "some" / "vault"
    with Store.open(folder, write=True) as store:
        assert store.generation == 0
        assert all(finding.ok for finding in integrity(store))
    with Store.open(folder, write=False) as store:
        assert store.value("SELECT count(*) FROM documents") == 0
    assert folder.stat().st_mode & 0o077 == 0, "notes are private"


def test_the_file_is_as_safe_as_sqlite_can_make_it(store: Store) -> None:
    pragmas = {
        name: store.value(f"PRAGMA {name}") for name in ("journal_mode", "synchronous", "secure_delete", "foreign_keys")
    }
    assert pragmas == {"journal_mode": "wal", "synchronous": 2, "secure_delete": 1, "foreign_keys": 1}


def test_opening_again_migrates_nothing(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store:
        first = store.rows("SELECT * FROM _sqlite_migrations")
    with Store.open(tmp_path, write=True) as store:
        assert store.rows("SELECT * FROM _sqlite_migrations") == first


READINGS = ("readings", "said_names", "said_keys", "said_words", "said_aliases", "note_names", "note_links")
NAMES = ("name_blocks", "same_names", "name_decisions", "merged_names")
CHANGES = tuple(f"_changed_{name}" for name in ("sentences", "chunks", "documents", "names", "vectors", "edges"))


def without_what_came_later(store: Store) -> None:
    """Takes back what the fourth format and those from the sixth on added."""
    store.run("ALTER TABLE documents DROP COLUMN day")
    for table in ("chunks", "sentences"):
        store.run(f"ALTER TABLE {table} DROP COLUMN place")
    store.run("ALTER TABLE files DROP COLUMN read_by")
    for table in (*READINGS, "semantic_reach", *NAMES, "former_paths", "coming_embeddings", *CHANGES):
        store.run(f"DROP TABLE {table}")


def make_first_format(folder: Path) -> None:
    with Store.open(folder, write=True) as store:
        add(store, document("/notes/a.md", ["Ada wrote."]))
        for table in ("fragments", "work_items", "llm_cache", "forgotten"):
            store.run(f"DROP TABLE {table}")
        store.run("DROP INDEX edges_by_target")
        without_what_came_later(store)
        store.run("DELETE FROM _sqlite_migrations WHERE name <> 'first_schema'")
        store.run("PRAGMA user_version = 1")


def test_a_vault_of_the_first_format_is_brought_up_to_date_by_a_writer(tmp_path: Path) -> None:
    make_first_format(tmp_path)
    with Store.open(tmp_path, write=True) as store:
        assert store.value("PRAGMA user_version") == FORMAT
        derive(store)
        assert store.value("SELECT count(*) FROM fragments") == 1
    with Store.open(tmp_path, write=False) as store:
        assert store.value("SELECT count(*) FROM fragments") == 1


def test_a_reader_leaves_a_vault_of_the_first_format_as_it_is_and_says_what_to_do(tmp_path: Path) -> None:
    make_first_format(tmp_path)
    before = (tmp_path / "vault.sqlite").read_bytes()
    with pytest.raises(VaultTooOld, match=f"noderag doctor --repair --vault {tmp_path}"):
        Store.open(tmp_path, write=False)
    assert (tmp_path / "vault.sqlite").read_bytes() == before


def test_in_a_read_only_folder_a_vault_of_the_first_format_is_to_be_copied(
    open_folder: Path, as_plain_user: PlainUser
) -> None:
    folder = open_folder / "vault"
    make_first_format(folder)
    folder.chmod(0o755)
    (folder / FILE_NAME).chmod(0o644)
    with as_plain_user(), pytest.raises(VaultTooOld, match="read-only: copy it to one that can be written"):
        Store.open(folder, write=False)


def test_a_vault_of_the_second_format_is_read_as_it_is_and_brought_up_to_date_by_a_writer(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store:
        add(store, document("/notes/a.md", ["Ada wrote."]))
        store.run("DROP TABLE forgotten")
        without_what_came_later(store)
        store.run("DELETE FROM _sqlite_migrations WHERE name NOT IN ('first_schema', 'tables_of_the_language_model')")
        store.run("PRAGMA user_version = 2")
    with Store.open(tmp_path, write=False) as store:
        (read,) = TextRows(store).all_sentences()
        assert [passage.place for passage in TextRows(store).passages(read.sentence_ids)] == [""]
        before = digest(store)
    with Store.open(tmp_path, write=True) as store:
        assert digest(store) == before
        assert len(ForgottenRows(store).paths()) == 0
        assert store.value("PRAGMA user_version") == FORMAT


def test_forgotten_paths_of_the_fourth_format_stay_forgotten_and_lose_their_names(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store:
        store.run("DROP TABLE forgotten")
        store.run("CREATE TABLE forgotten (path TEXT PRIMARY KEY) WITHOUT ROWID")
        store.run("INSERT INTO forgotten VALUES ('/notes/diary.md')")
        store.run("DELETE FROM _sqlite_migrations WHERE name = 'marks_of_the_forgotten'")
        store.run("PRAGMA user_version = 4")
    with Store.open(tmp_path, write=True) as store:
        assert "/notes/diary.md" in ForgottenRows(store).paths()
        assert store.clear_traces()
        assert not store.has_traces
    assert not any(b"diary" in path.read_bytes() for path in tmp_path.iterdir() if path.is_file())


def test_a_vault_is_made_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    execute_file = migrations._execute_file

    def stopped_at_the_second(database: Database, name: str) -> None:
        if name == "language_model.sql":
            raise sqlite3.OperationalError("database or disk is full")
        execute_file(database, name)

    monkeypatch.setattr(migrations, "_execute_file", stopped_at_the_second)
    with pytest.raises(StoreError):
        Store.open(tmp_path, write=True)
    with pytest.raises(VaultMissing):
        Store.open(tmp_path, write=False)
    monkeypatch.undo()
    with Store.open(tmp_path, write=True) as store:
        assert all(finding.ok for finding in integrity(store))


def test_a_reader_of_nothing_is_told_to_index(tmp_path: Path) -> None:
    with pytest.raises(VaultMissing, match="noderag index PATH"):
        Store.open(tmp_path / "none", write=False)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_is_no_vault_yet(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).touch()
    with pytest.raises(VaultMissing):
        Store.open(tmp_path, write=False)
    with Store.open(tmp_path, write=True) as store:
        assert all(finding.ok for finding in integrity(store))


def test_a_newer_format_asks_for_an_update(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store:
        store.run("PRAGMA user_version = 99")
    for write in (False, True):
        with pytest.raises(StoreError, match="Update noderag"):
            Store.open(tmp_path, write=write)


@pytest.mark.parametrize("write", [False, True])
def test_a_file_that_is_no_vault_is_named_and_left_alone(tmp_path: Path, write: bool) -> None:
    path = tmp_path / FILE_NAME
    path.write_text("My shopping list. " * 1000)
    with pytest.raises(VaultDamaged, match="noderag index PATH") as caught:
        Store.open(tmp_path, write=write)
    assert str(path) in str(caught.value)
    assert path.read_text().startswith("My shopping list.")


@pytest.mark.parametrize("write", [False, True])
def test_the_database_of_another_program_is_left_alone(tmp_path: Path, write: bool) -> None:
    other = sqlite3.connect(tmp_path / FILE_NAME)
    other.execute("CREATE TABLE songs (title TEXT)")
    other.close()
    before = (tmp_path / FILE_NAME).read_bytes()
    with pytest.raises(VaultDamaged, match="another program"):
        Store.open(tmp_path, write=write)
    assert (tmp_path / FILE_NAME).read_bytes() == before


def test_a_vault_cut_short_is_damaged_and_not_empty(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store:
        add(store, document("/notes/a.md", ["Ada wrote."]))
        store.checkpoint()
    path = tmp_path / FILE_NAME
    path.write_bytes(path.read_bytes()[:-20_000])
    with pytest.raises(VaultDamaged), Store.open(tmp_path, write=False) as store:
        list(TextRows(store).all_sentences())
        store.rows("SELECT * FROM nodes JOIN edges ON id = source JOIN embeddings ON node_id = id")
        raise AssertionError([finding for finding in integrity(store) if not finding.ok])


def test_random_damage_never_ends_in_anything_but_our_errors(tmp_path: Path) -> None:
    with Store.open(tmp_path / "whole", write=True) as store:
        add(store, *(document(f"/notes/{n}.md", ["Ada wrote it.", f"Number {n} is here."]) for n in range(30)))
        link_and_embed(store)
    whole = (tmp_path / "whole" / FILE_NAME).read_bytes()
    found = 0
    for seed in range(90):
        at = seed * 7919 % len(whole)
        folder = tmp_path / str(seed)
        folder.mkdir()
        (folder / FILE_NAME).write_bytes(
            whole[:at] + bytes(255 - byte for byte in whole[at : at + 64]) + whole[at + 64 :]
        )
        try:
            with Store.open(folder, write=False) as store:
                found += not all(finding.ok for finding in integrity(store))
                list(TextRows(store).all_sentences())
        except NoderagError as error:
            found += 1
            assert str(folder) in str(error)
        except (ValueError, KeyError):
            # A changed letter inside a text is beyond any check; the reader of that text fails, not the process.
            found += 1
        shutil.rmtree(folder)
    assert found > 5


def test_a_transaction_is_all_or_nothing(store: Store) -> None:
    with pytest.raises(ZeroDivisionError), store.transaction():
        store.facts["one"] = "1"
        with store.transaction():
            add(store, document("/notes/a.md", ["Ada wrote."]))
        raise ZeroDivisionError
    assert "one" not in store.facts
    assert store.generation == 0
    assert store.value("SELECT count(*) FROM nodes") == 0


def test_an_error_of_a_note_inside_a_transaction_stays_what_it_is(store: Store) -> None:
    with pytest.raises(FileNotFoundError), store.transaction():
        Path("/no/such/note.md").read_text()


def test_the_generation_counts_transactions_and_the_stamp_never_comes_again(store: Store) -> None:
    add(store, document("/notes/a.md", ["Ada wrote."]), document("/notes/b.md", ["Bob read."]))
    first = store.stamp
    assert store.generation == 1
    with pytest.raises(ZeroDivisionError), store.transaction():
        store.touch()
        lost = store.stamp
        raise ZeroDivisionError
    assert store.stamp == first
    with store.transaction():
        store.touch()
    assert store.generation == 2
    assert len({"", first, lost, store.stamp}) == 4


def test_facts_are_a_mapping(store: Store) -> None:
    store.facts["tokenizer"] = "words"
    store.facts["tokenizer"] = "wörter"
    assert dict(store.facts) == {"tokenizer": "wörter"}
    del store.facts["tokenizer"]
    assert store.facts.get("tokenizer") is None


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    Store.open(tmp_path, write=True).close()
    with Store.open(tmp_path, write=False) as store:
        with pytest.raises(StoreError, match="reading only"):
            store.facts["x"] = "y"
        with pytest.raises(StoreError, match="read-only"):
            store.run("DELETE FROM facts")


def test_a_reader_sees_one_state_while_a_writer_goes_on(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as writer, Store.open(tmp_path, write=False) as reader:
        add(writer, document("/notes/a.md", ["Ada wrote."]))
        with reader.steady():
            assert len(TextRows(reader).sentence_table().ids) == 1
            add(writer, document("/notes/b.md", ["Bob read."]))
            assert len(TextRows(reader).sentence_table().ids) == 1
            assert reader.generation == 1
        assert len(TextRows(reader).sentence_table().ids) == 2


def test_reading_leaves_nothing_behind(tmp_path: Path) -> None:
    Store.open(tmp_path, write=True).close()
    before = sorted(path.name for path in tmp_path.iterdir())
    Store.open(tmp_path, write=False).close()
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_reader_loads_neither_sqlite_utils_nor_usearch(tmp_path: Path) -> None:
    Store.open(tmp_path, write=True).close()
    code = (
        "import sys, pathlib; from noderag_local.storage.database.store import Store;"
        "from noderag_local.storage.snapshots.snapshot import Snapshot; from noderag_local.storage.vectors.vector_index import VectorIndex;"
        f"store = Store.open(pathlib.Path({str(tmp_path)!r}), write=False); Snapshot.open(store);"
        "VectorIndex.open(store, 'X'); print(*{'sqlite_utils', 'usearch', 'filelock'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == []


class TestReadOnly:
    def test_a_vault_on_a_read_only_medium_is_read(self, open_folder: Path, as_plain_user: PlainUser) -> None:
        folder = self.vault(open_folder)
        with as_plain_user(), Store.open(folder, write=False) as store:
            assert len(TextRows(store).sentence_table().ids) == 1
            assert all(finding.ok for finding in integrity(store))

    def test_writing_to_it_names_it(self, open_folder: Path, as_plain_user: PlainUser) -> None:
        folder = self.vault(open_folder)
        with as_plain_user(), pytest.raises(StoreError, match="--vault DIR") as caught:
            Store.open(folder, write=True)
        assert str(folder) in str(caught.value)

    def test_a_read_only_file_in_a_writable_folder_is_named(self, open_folder: Path, as_plain_user: PlainUser) -> None:
        folder = self.vault(open_folder)
        folder.chmod(0o777)
        with as_plain_user(), pytest.raises(StoreError, match="--vault DIR") as caught:
            Store.open(folder, write=True)
        assert str(folder) in str(caught.value)

    def test_an_unreadable_file_is_named(self, open_folder: Path, as_plain_user: PlainUser) -> None:
        folder = self.vault(open_folder)
        (folder / FILE_NAME).chmod(0)
        with as_plain_user(), pytest.raises(StoreError, match="permissions") as caught:
            Store.open(folder, write=False)
        assert str(folder / FILE_NAME) in str(caught.value)

    def vault(self, parent: Path) -> Path:
        folder = parent / "vault"
        with Store.open(folder, write=True) as store:
            add(store, document("/notes/a.md", ["Ada wrote."]))
            link_and_embed(store)
        for path in folder.iterdir():
            path.chmod(0o444)
        folder.chmod(0o555)
        return folder


FILL = """
import pathlib, sys
from helpers.small_documents import add, document
from noderag_local.domain.errors import StoreError
from noderag_local.storage.database.store import Store
store = Store.open(pathlib.Path(sys.argv[1]), write=True)
{limit}
for number in range(10_000):
    try:
        add(store, document(f"/notes/{{number}}.md", [f"Number {{number}} is here. " * 200]))
    except StoreError as error:
        print(number, store.value("SELECT count(*) FROM documents"), error, sep="\\n")
        break
"""
NO_LIMIT = ""
FILE_LIMIT = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))"


class TestFullDisk:
    def test_no_page_left(self, store: Store) -> None:
        store.run(f"PRAGMA max_page_count = {store.value('PRAGMA page_count') + 4}")
        with pytest.raises(StoreError, match="disk is full") as caught:
            add(store, document("/notes/a.md", ["A long sentence. " * 10_000]))
        assert str(store.folder) in str(caught.value)
        assert "bytes left" in str(caught.value)
        assert store.value("SELECT count(*) FROM files") == 0
        add(store, document("/notes/b.md", ["A short one."]))

    def test_a_file_that_may_not_grow(self, tmp_path: Path) -> None:
        self.fills_up([sys.executable], tmp_path / "vault", FILE_LIMIT)

    def test_a_full_file_system(self, tmp_path: Path) -> None:
        small = tmp_path / "small"
        small.mkdir()
        mount = f'mount -t tmpfs -o size=2m none "{small}" && exec "$0" "$@"'
        command = ["unshare", "--mount", "--map-root-user", "sh", "-c", mount]
        try:
            usable = subprocess.run([*command, "true"], capture_output=True, timeout=60, check=False).returncode == 0
        except FileNotFoundError:
            usable = False
        if not usable:
            pytest.skip("no small file system can be mounted here")
        self.fills_up([*command, sys.executable], small / "vault", NO_LIMIT, check=False)

    def fills_up(self, python: list[str], folder: Path, limit: str, check: bool = True) -> None:
        done = subprocess.run(
            [*python, "-c", FILL.format(limit=limit), folder],
            cwd=Path(__file__).parent.parent,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        tried, kept, message = done.stdout.splitlines()
        assert int(tried) == int(kept) > 0
        assert str(folder) in message
        assert "free some space" in message.lower()
        if check:
            with Store.open(folder, write=True) as store:
                assert store.value("SELECT count(*) FROM documents") == int(kept)
                findings = {finding.what: finding.ok for finding in integrity(store)}
                assert findings.pop("embeddings") is False
                assert all(findings.values())
