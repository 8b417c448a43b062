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

ROUNDS = 20
LONGEST = 0.6
"""Seconds until a kill; a run takes about half a second."""
WRITE = """
import random, sys
from pathlib import Path
from helpers.followed_caches import said
from helpers.scripted_model import ScriptedModel
from noderag_local.config import load_settings
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.pipeline.budget import Budget
from noderag_local.storage.snapshots import change_log
from noderag_local.storage.vectors import vector_file
from noderag_local.vault.vault import Vault
change_log.LEAST_SENTENCES = vector_file.FEWEST = 0
change_log.MOST_SENTENCES = 60
folder, notes, writer, chance = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], random.Random(sys.argv[4])
model = ScriptedModel(ScriptedEngine(reply=said))
with Vault(folder, load_settings(automatic_backups=False), model) as vault:
    names = vault.atlas.entities().names if writer == "decide" else ()
    paths = [document.path for document in vault.atlas.library().documents] if writer == "forget" else ()
    print("begun", flush=True)
    if writer == "index":
        vault.index([notes])
    elif writer == "forget":
        vault.forget([Path(chance.choice(paths))])
    elif writer == "enrich":
        vault.enrichment.run(Budget(share=chance.random()))
    else:
        vault.names.merge(*chance.sample(names, 2))
"""


def run(vault: Path, notes: Path, writer: str = "index", seed: str = "", kill_after: float | None = None) -> None:
    """Writes in a process of its own, which is killed after some seconds."""
    command = [sys.executable, "-c", WRITE, str(vault), str(notes), writer, seed]
    tests = Path(__file__).parents[1]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=tests) as process:
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
        writer = chance.choice(("index", "index", "forget", "enrich", "enrich", "decide"))
        run(vault, notes, writer, str(number), None if number % 5 == 4 else chance.random() * LONGEST)
        # A reader may save caches, which must not hide what the kill has left.
        shutil.copytree(vault, tmp_path / "seen", dirs_exist_ok=True)
        with (
            Store.open(tmp_path / "seen", write=False) as seen,
            Store.open(copied(tmp_path / "seen", tmp_path / "anew"), write=False) as anew,
        ):
            assert logged_from(seen)
            assert_same(arrays(seen), arrays(anew))
        shutil.rmtree(tmp_path / "seen")
