from __future__ import annotations

import os

import pytest

from noderag_local.store.database import Store
from noderag_local.store.forgotten import ForgottenRows


def test_paths_are_put_once_and_taken_back(store: Store) -> None:
    rows = ForgottenRows(store)
    rows.put(["/notes/a.md", "/notes/private"])
    rows.put(["/notes/a.md"])
    assert sorted(rows.paths()) == ["/notes/a.md", "/notes/private"]
    rows.take_back(["/notes", "/notes/private"])
    assert rows.paths() == ["/notes/a.md"]


@pytest.mark.parametrize("name", ["caf\u00e9.md", os.fsdecode(b"caf\xe9.md"), "new\nline.md"])
def test_every_name_that_a_file_can_have_comes_back(store: Store, name: str) -> None:
    ForgottenRows(store).put([f"/notes/{name}"])
    assert ForgottenRows(store).paths() == [f"/notes/{name}"]
    ForgottenRows(store).take_back([f"/notes/{name}"])
    assert ForgottenRows(store).paths() == []
