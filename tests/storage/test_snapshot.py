"""The snapshot says what the rows say, whatever happened to its file."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import fields
from pathlib import Path

import numpy as np
from helpers.small_documents import add, document, link_and_embed

from noderag_local.domain.graph import EdgeType
from noderag_local.storage.database.store import Store
from noderag_local.storage.snapshots.snapshot import FILE_NAME, Snapshot, snapshot_fits


def assert_same(found: Snapshot, expected: Snapshot) -> None:
    for name in ("sentences", "chunks", "words"):
        for field in fields(getattr(expected, name)):
            assert_equal(getattr(getattr(found, name), field.name), getattr(getattr(expected, name), field.name))
    assert list(found.edges) == list(expected.edges) == list(EdgeType)
    for kind, columns in expected.edges.items():
        for mine, its in zip(found.edges[kind], columns, strict=True):
            assert_equal(mine, its)


def assert_equal(mine: np.ndarray, its: np.ndarray) -> None:
    assert mine.dtype == its.dtype
    assert mine.tolist() == its.tolist()


def fill(store: Store) -> None:
    add(store, document("/notes/a.md", ["Ada wrote to Bob.", "It was late."], ["Bob answered Ada."]))
    link_and_embed(store)


def test_it_says_what_the_rows_say(store: Store) -> None:
    assert_same(Snapshot.open(store), Snapshot.of_rows(store))
    fill(store)
    made, read = Snapshot.open(store), Snapshot.open(store)
    assert len(made.edges[EdgeType.MENTION][0]) == 5
    assert_same(made, Snapshot.of_rows(store))
    assert_same(read, made)


def test_it_follows_every_change(store: Store) -> None:
    fill(store)
    Snapshot.open(store)
    assert snapshot_fits(store)
    add(store, document("/notes/b.md", ["Carol sang."]))
    assert not snapshot_fits(store)
    assert len(Snapshot.open(store).sentences.ids) == 4
    assert snapshot_fits(store)


def test_one_made_inside_a_transaction_that_fails_is_never_used(store: Store) -> None:
    fill(store)
    try:
        with store.transaction():
            add(store, document("/notes/b.md", ["Carol sang."]))
            assert len(Snapshot.open(store).sentences.ids) == 4
            raise ZeroDivisionError
    except ZeroDivisionError:
        pass
    assert len(Snapshot.open(store).sentences.ids) == 3


def test_a_damaged_file_is_made_anew(store: Store) -> None:
    fill(store)
    expected = Snapshot.open(store)
    path = store.folder / FILE_NAME
    whole = path.read_bytes()
    chance = random.Random(1)
    for _ in range(100):
        at = chance.randrange(len(whole))
        path.write_bytes(chance.choice([whole[:at], whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]]))
        assert_same(Snapshot.open(store), expected)
        assert path.read_bytes() == whole


def test_a_vault_put_back_from_elsewhere_is_noticed(tmp_path: Path) -> None:
    """Two vaults of the same generation differ, so the number alone would not tell."""
    for name, text in (("one", "Ada wrote."), ("two", "Bob read. Carol sang.")):
        with Store.open(tmp_path / name, write=True) as store:
            add(store, document("/notes/a.md", text.split(". ")))
            Snapshot.open(store)
    (tmp_path / "two" / FILE_NAME).write_bytes((tmp_path / "one" / FILE_NAME).read_bytes())
    with Store.open(tmp_path / "two", write=False) as store:
        assert_same(Snapshot.open(store), Snapshot.of_rows(store))


def test_a_reader_that_cannot_write_does_without(
    open_folder: Path, as_plain_user: Callable[[], AbstractContextManager[None]]
) -> None:
    folder = open_folder / "vault"
    with Store.open(folder, write=True) as store:
        fill(store)
        expected = Snapshot.of_rows(store)
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o555)
    with as_plain_user(), Store.open(folder, write=False) as store:
        assert_same(Snapshot.open(store), expected)
    assert not (folder / FILE_NAME).exists()
