from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from noderag_local.storage.database.store import Store

NOBODY = 65534


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A new vault, open for writing."""
    with Store.open(tmp_path / "vault", write=True) as opened:
        yield opened


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user of the machine can reach, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755)


@contextmanager
def plain_user() -> Iterator[None]:
    """Permissions hold for whoever runs the tests: root is nobody in here."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def as_plain_user() -> object:
    return plain_user
