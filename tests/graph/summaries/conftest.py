from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.hand_made_graph import fill

from noderag_local.storage.database.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A vault with the notes of `hand_made_graph`, open for writing."""
    with Store.open(tmp_path / "vault", write=True) as opened:
        fill(opened)
        yield opened


@pytest.fixture
def other_ids(tmp_path: Path) -> Iterator[Store]:
    """The same notes under other ids."""
    with Store.open(tmp_path / "other", write=True) as opened:
        fill(opened, seed=7)
        yield opened
