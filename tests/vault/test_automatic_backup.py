"""The backup that is made by itself after long work."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.note_files import written_notes

from noderag_local.config import Settings
from noderag_local.domain.progress import BACKING_UP, Progress
from noderag_local.storage.backup.backups import Backups
from noderag_local.vault import safety
from noderag_local.vault.vault import Vault


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return written_notes(tmp_path / "notes", {"ada.md": "Ada Berg moved to Oslo.\n"})


def test_long_work_ends_with_a_backup_that_tells_how_far_it_is(
    tmp_path: Path, notes: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(safety, "LARGE_RUN_SECONDS", 0)
    told: list[Progress] = []
    with Vault(tmp_path / "vault", settings) as vault:
        vault.index([notes], progress=told.append)
        assert len(Backups(vault.folder).all()) == 1
        steps = [step for step in told if step.stage == BACKING_UP]
        assert steps and steps[-1].done == steps[-1].total > 0
        (notes / "ben.md").write_text("Ben Holm runs a bakery.\n", "utf-8")
        vault.index([notes])
        assert len(Backups(vault.folder).all()) == 1, "one a day is enough"


def test_short_work_makes_none(tmp_path: Path, notes: Path, settings: Settings) -> None:
    with Vault(tmp_path / "vault", settings) as vault:
        vault.index([notes])
        assert Backups(vault.folder).all() == []
