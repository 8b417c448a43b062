"""A vault in a folder that this process cannot write to: read as it is, without any file beside it, also while others write."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from helpers.conversation_turns import TURN
from helpers.small_documents import add, document
from storage.secret_vault import encrypted

from noderag_local.domain.errors import StoreError, VaultChanged
from noderag_local.storage.conversations.conversations import Conversations
from noderag_local.storage.database.connection import FILE_NAME
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows

PlainUser = Callable[[], AbstractContextManager[None]]
CONTENT = "SELECT count(*) FROM sentences"


@pytest.fixture
def folder(open_folder: Path) -> Path:
    """A vault with one sentence, which everybody may read and its owner alone may write."""
    folder = open_folder / "vault"
    with Store.open(folder, write=True) as store:
        add(store, document("/notes/a.md", ["Ada wrote."]))
    return shown(folder)


def shown(folder: Path) -> Path:
    folder.chmod(0o755)
    for path in folder.iterdir():
        path.chmod(0o644)
    return folder


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def with_log(folder: Path, to: Path) -> Path:
    """A copy as a killed writer leaves it, or a share shows it: with a log, but without the index of the log."""
    with Store.open(folder, write=True) as store:
        add(store, document("/notes/b.md", ["Bob read."]))
        shutil.copytree(folder, to)
    (to / f"{FILE_NAME}-shm").unlink()
    return shown(to)


def test_reading_changes_no_byte_of_the_folder(folder: Path, as_plain_user: PlainUser) -> None:
    before = content(folder)
    with as_plain_user(), Store.open(folder, write=False) as store:
        assert store.value(CONTENT) == 1
        assert store.is_current
    assert content(folder) == before


def test_a_log_without_its_index_is_read(folder: Path, as_plain_user: PlainUser) -> None:
    copy = with_log(folder, folder.parent / "copy")
    before = content(copy)
    assert f"{FILE_NAME}-wal" in before
    with as_plain_user(), Store.open(copy, write=False) as store:
        assert store.value(CONTENT) == 2
    assert content(copy) == before


def test_what_a_writer_adds_to_the_log_leaves_an_open_reader_its_state(folder: Path, as_plain_user: PlainUser) -> None:
    with Store.open(folder, write=True) as writer:
        add(writer, document("/notes/b.md", ["Bob read."]))
        shown(folder)
        with as_plain_user():
            reader = Store.open(folder, write=False)
            assert reader.value(CONTENT) == 2
        add(writer, document("/notes/c.md", ["Eve ran."]))
        with as_plain_user(), reader:
            assert reader.value(CONTENT) == 2
            assert not reader.is_current
        with as_plain_user(), Store.open(folder, write=False) as newer:
            assert newer.value(CONTENT) == 3


def test_rows_of_a_file_that_was_written_meanwhile_are_refused(folder: Path, as_plain_user: PlainUser) -> None:
    with as_plain_user():
        reader = Store.open(folder, write=False)
        assert len(TextRows(reader).sentence_table().ids) == 1
    with Store.open(folder, write=True) as writer:
        add(writer, document("/notes/b.md", ["Bob read."]))
        writer.checkpoint()
    shown(folder)
    with as_plain_user(), reader:
        assert not reader.is_current
        with pytest.raises(VaultChanged, match="Run the command again"):
            reader.rows("SELECT * FROM sentences")
    with as_plain_user(), Store.open(folder, write=False) as newer:
        assert newer.value(CONTENT) == 2


def test_a_damaged_log_is_passed_over_from_its_first_wrong_frame(folder: Path, as_plain_user: PlainUser) -> None:
    copy = with_log(folder, folder.parent / "copy")
    log = copy / f"{FILE_NAME}-wal"
    log.write_bytes(log.read_bytes()[:200])
    with as_plain_user(), Store.open(copy, write=False) as store:
        assert store.value(CONTENT) == 1


def test_writing_is_refused_with_what_can_be_done_instead(folder: Path, as_plain_user: PlainUser) -> None:
    before = content(folder)
    with as_plain_user(), pytest.raises(StoreError, match=r"read-only here.*searched and asked"):
        Store.open(folder, write=True)
    assert content(folder) == before


def test_conversations_are_read_and_not_stored(folder: Path, as_plain_user: PlainUser) -> None:
    talks = Conversations(folder)
    talks.add(None, TURN)
    shown(folder)
    before = content(folder)
    with as_plain_user():
        assert talks.is_read_only
        assert len(talks.all()) == 1
        with pytest.raises(StoreError, match="read-only here"):
            talks.add(None, TURN)
    assert content(folder) == before


def test_an_encrypted_vault_is_read_with_its_log(open_folder: Path, as_plain_user: PlainUser) -> None:
    folder = open_folder / "vault"
    with Store.open(folder, write=True) as store:
        add(store, document("/notes/a.md", ["Ada wrote."]))
    encrypted(folder)
    copy = with_log(folder, open_folder / "copy")
    before = content(copy)
    with as_plain_user(), Store.open(copy, write=False) as store:
        assert store.value(CONTENT) == 2
    assert content(copy) == before
