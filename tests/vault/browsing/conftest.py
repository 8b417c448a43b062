from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.browsable_notes import write_notes

from noderag_local.storage.database.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A vault with the notes of `browsable_notes`, open for writing."""
    with Store.open(tmp_path / "vault", write=True) as opened:
        write_notes(opened)
        yield opened
