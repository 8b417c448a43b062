from __future__ import annotations

import os

import pytest

from noderag_local.storage.database.store import Store
from noderag_local.storage.forgetting.forgotten import ForgottenRows


def test_paths_are_put_once_and_taken_back(store: Store) -> None:
    rows = ForgottenRows(store)
    rows.put(["/notes/a.md", "/notes/private"])
    rows.put(["/notes/a.md"])
    assert len(rows.paths()) == 2
    assert "/notes/a.md" in rows.paths()
    assert "/notes/private" in rows.paths()
    assert "/notes" not in rows.paths()
    rows.take_back(["/notes", "/notes/private"])
    assert len(rows.paths()) == 1
    assert "/notes/private" not in rows.paths()


@pytest.mark.parametrize("name", ["caf\u00e9.md", os.fsdecode(b"caf\xe9.md"), "new\nline.md"])
def test_every_name_that_a_file_can_have_comes_back(store: Store, name: str) -> None:
    ForgottenRows(store).put([f"/notes/{name}"])
    assert f"/notes/{name}" in ForgottenRows(store).paths()
    ForgottenRows(store).take_back([f"/notes/{name}"])
    assert len(ForgottenRows(store).paths()) == 0


def test_no_name_stands_in_the_vault(store: Store) -> None:
    ForgottenRows(store).put(["/notes/diary.md"])
    store.checkpoint()
    store.close()
    assert not any(b"diary" in path.read_bytes() for path in store.folder.iterdir())


def test_two_vaults_mark_a_path_differently(store: Store) -> None:
    with Store.open(store.folder / "other", write=True) as other:
        for one in (store, other):
            ForgottenRows(one).put(["/notes/diary.md"])
        assert store.rows("SELECT mark FROM forgotten") != other.rows("SELECT mark FROM forgotten")
