from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import date, datetime
from pathlib import Path

import pytest
from helpers.linked_notes import linked_notes

from noderag_local.storage.snapshots.snapshot import Snapshot
from noderag_local.vault.today.day_lines import DayPage
from noderag_local.vault.today.day_page import day_page

TODAY = date(2026, 11, 26)
"""A Thursday."""
LAST_MONTH = datetime(2026, 10, 30, 12)

PageOf = Callable[..., DayPage]


@pytest.fixture
def page_of(tmp_path: Path) -> PageOf:
    """Returns the page of a day of some notes, which were changed last month, or when `changed` says."""

    def page(
        notes: Mapping[str, str], today: date = TODAY, *, days: int = 7, changed: datetime = LAST_MONTH
    ) -> DayPage:
        for name, text in notes.items():
            path = tmp_path / "notes" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            os.utime(path, (changed.timestamp(), changed.timestamp()))
        with linked_notes(tmp_path, {}) as store:
            return day_page(store, Snapshot.open(store).words, today, days)

    return page
