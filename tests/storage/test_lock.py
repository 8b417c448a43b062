"""One writer; whoever comes second is told whom to wait for."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.small_documents import add, document

from noderag_local.domain.errors import StoreError, VaultLocked
from noderag_local.storage.database.lock import HOLDER_NAME
from noderag_local.storage.database.store import Store

HOLD = """
import pathlib, sys
from noderag_local.storage.database.store import Store
with Store.open(pathlib.Path(sys.argv[1]), write=True):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that is writing to the vault in `tmp_path`."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_second_process_is_told_who_writes_and_since_when(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    with pytest.raises(VaultLocked, match=rf"process {holder.pid} .*since \d\d:\d\d; wait for it or stop it") as caught:
        Store.open(tmp_path, write=True)
    assert str(tmp_path) in str(caught.value)


def test_readers_never_wait(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    with Store.open(tmp_path, write=False) as store:
        assert store.value("SELECT count(*) FROM documents") == 0


def test_a_killed_writer_blocks_nobody(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    with Store.open(tmp_path, write=True) as store:
        add(store, document("/notes/a.md", ["Ada wrote."]))


def test_a_second_store_of_one_process_is_refused_too(store: Store) -> None:
    with pytest.raises(VaultLocked, match=str(os.getpid())):
        Store.open(store.folder, write=True)


def test_a_note_of_the_holder_that_cannot_be_written_is_told_and_the_lock_is_free_again(tmp_path: Path) -> None:
    (tmp_path / HOLDER_NAME).mkdir()
    with pytest.raises(StoreError, match=HOLDER_NAME):
        Store.open(tmp_path, write=True)
    (tmp_path / HOLDER_NAME).rmdir()
    Store.open(tmp_path, write=True).close()


def test_a_note_of_the_holder_that_cannot_be_removed_keeps_nobody_out(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True):
        (tmp_path / HOLDER_NAME).unlink()
        (tmp_path / HOLDER_NAME).mkdir()
    (tmp_path / HOLDER_NAME).rmdir()
    Store.open(tmp_path, write=True).close()


def test_closing_gives_the_lock_back(tmp_path: Path) -> None:
    for _ in range(3):
        store = Store.open(tmp_path, write=True)
        store.close()
        store.close()
    assert not (tmp_path / HOLDER_NAME).exists()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": "x", "since": 1}', json.dumps({"since": "yesterday"})])
def test_a_strange_note_of_the_holder_does_no_harm(store: Store, text: str) -> None:
    (store.folder / HOLDER_NAME).write_text(text)
    with pytest.raises(VaultLocked, match="another process"):
        Store.open(store.folder, write=True)
