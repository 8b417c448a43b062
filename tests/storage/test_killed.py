"""A writer is killed at any moment; what it had committed is there, and the vault is in order."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from noderag_local.domain.errors import VaultMissing
from noderag_local.storage.backup.integrity import integrity
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows
from noderag_local.storage.snapshots.snapshot import Snapshot

KILLS = 24
WRITE = """
import pathlib, sys
from helpers.small_documents import add, document, link_and_embed
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.document_rows import DocumentRows
from noderag_local.storage.snapshots.snapshot import Snapshot
store = Store.open(pathlib.Path(sys.argv[1]), write=True)
print("open", flush=True)
for number in range(1_000_000):
    path = f"/notes/{sys.argv[2]}-{number}.md"
    with store.transaction():
        documents = add(store, *(document(path, [f"Ada wrote {n}."], [f"Bob read {n}."], record=n) for n in range(6)))
        DocumentRows(store).remove(documents[:2])
        link_and_embed(store)
    print(path, flush=True)
    Snapshot.open(store)
    if number % 3 == 2:
        store.checkpoint()
"""


def killed(folder: Path, run: int, seconds: float, wait_for_open: bool) -> list[str]:
    """Paths that the writer had committed when it was killed, `seconds` after its start or after it had opened."""
    command = [sys.executable, "-c", WRITE, folder, str(run)]
    with subprocess.Popen(command, cwd=Path(__file__).parent.parent, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        if wait_for_open:
            assert process.stdout.readline() == "open\n"
        time.sleep(seconds)
        process.kill()
        # The last line may be cut, and then its commit was not reported.
        lines = process.stdout.read().splitlines(keepends=True)
    return [line.strip() for line in lines if line.endswith(".md\n")]


def assert_in_order(folder: Path, committed: list[str]) -> None:
    for write in (False, True):
        with Store.open(folder, write=write) as store:
            assert [finding for finding in integrity(store) if not finding.ok] == []
            known = FileRows(store).known()
            assert set(committed) <= set(known)
            assert store.value("SELECT count(*) FROM documents") == 4 * len(known)
            snapshot, rows = Snapshot.open(store), Snapshot.of_rows(store)
            assert (snapshot.sentences.ids == rows.sentences.ids).all()


def test_killed_while_writing(tmp_path: Path) -> None:
    delays = random.Random(4)
    committed: list[str] = []
    run = 0
    # On a slow machine, all of these kills may come before the first commit: then there are more, a little later each.
    while run < KILLS or not committed:
        committed += killed(tmp_path, run, delays.uniform(0, 0.12) + max(0, run - KILLS) * 0.05, wait_for_open=True)
        assert_in_order(tmp_path, committed)
        run += 1


@pytest.mark.parametrize("seconds", [0.1, 0.15, 0.2, 0.25, 0.3, 0.35])
def test_killed_while_the_vault_is_made(tmp_path: Path, seconds: float) -> None:
    committed = killed(tmp_path, 0, seconds, wait_for_open=False)
    try:
        Store.open(tmp_path, write=False).close()
    except VaultMissing:
        assert committed == []
        Store.open(tmp_path, write=True).close()
    assert_in_order(tmp_path, committed)
