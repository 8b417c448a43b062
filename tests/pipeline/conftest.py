from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pipeline.toy_stages import fill

from noderag_local.storage.database.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A vault with twelve chunks, open for writing."""
    with Store.open(tmp_path / "vault", write=True) as opened:
        fill(opened, 12)
        yield opened
