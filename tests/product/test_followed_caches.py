"""A kill at any moment leaves caches and a log of changes that together tell the vault's present state."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers.followed_caches import NAMES, arrays, assert_same, change, copied, text

from noderag_local.storage.database.store import Store
from noderag_local.storage.snapshots import change_log
from noderag_local.storage.snapshots.change_log import logged_from
from noderag_local.storage.vectors import vector_file

ROUNDS = 12
LONGEST = 0.4
"""Seconds until a kill; a run takes about half a second."""
INDEX = """
import sys
from pathlib import Path
from noderag_local.config import load_settings
from noderag_local.storage.snapshots import change_log
from noderag_local.storage.vectors import vector_file
from noderag_local.vault.vault import Vault
change_log.LEAST_SENTENCES = vector_file.FEWEST = 0
change_log.MOST_SENTENCES = 60
with Vault(Path(sys.argv[1]), load_settings(automatic_backups=False)) as vault:
    print("begun", flush=True)
    vault.index([Path(sys.argv[2])])
"""


def run(vault: Path, notes: Path, kill_after: float | None = None) -> None:
    """Indexes in a process of its own, which is killed after some seconds."""
    command = [sys.executable, "-c", INDEX, str(vault), str(notes)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        if kill_after is not None:
            time.sleep(kill_after)
            process.kill()


@pytest.mark.slow
def test_after_each_kill_a_search_has_the_arrays_that_are_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_log, "LEAST_SENTENCES", 0)
    monkeypatch.setattr(vector_file, "FEWEST", 0)
    chance, vault, notes, names = random.Random(9), tmp_path / "vault", tmp_path / "notes", list(NAMES)
    notes.mkdir()
    for number in range(25):
        (notes / f"{number}.md").write_text(text(chance, names), encoding="utf-8")
    run(vault, notes)
    for number in range(ROUNDS):
        change(notes, chance, names)
        change(notes, chance, names)
        run(vault, notes, None if number % 5 == 4 else chance.random() * LONGEST)
        # A reader may save caches, which must not hide what the kill has left.
        shutil.copytree(vault, tmp_path / "seen", dirs_exist_ok=True)
        with (
            Store.open(tmp_path / "seen", write=False) as seen,
            Store.open(copied(tmp_path / "seen", tmp_path / "anew"), write=False) as anew,
        ):
            assert logged_from(seen)
            assert_same(arrays(seen), arrays(anew))
        shutil.rmtree(tmp_path / "seen")
