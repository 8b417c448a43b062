from __future__ import annotations

import os

from helpers.small_documents import add, document

from noderag_local.storage.database.fact_names import DRIVE_PLACES
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.file_rows import FileRows
from noderag_local.storage.documents.noted_roots import DrivePlaces

ODD = os.fsdecode(b"/notes/caf\xe9")
FILES = ["/notes/a.md", "/notes/stick/b.md", "/notes/stick/inner/c.md", f"{ODD}/d.md"]


def test_places_of_any_name_come_back_and_replace_those_before(store: Store) -> None:
    places = DrivePlaces(store)
    assert places.known() == frozenset()
    places.keep(frozenset({"/notes/stick", ODD}), FILES)
    assert places.known() == {"/notes/stick", ODD}
    places.keep(frozenset({"/notes/stick"}), FILES)
    assert places.known() == {"/notes/stick"}
    places.keep(frozenset(), FILES)
    assert DRIVE_PLACES not in store.facts


def test_only_places_that_hold_files_are_kept(store: Store) -> None:
    places = DrivePlaces(store)
    places.keep(frozenset({"/notes/stick", "/notes/other", "/notes/a"}), FILES)
    assert places.known() == {"/notes/stick"}


def test_a_place_goes_with_the_last_of_its_files(store: Store) -> None:
    add(store, document("/notes/a.md", ["Ada wrote."]), document("/notes/stick/b.md", ["Ben wrote."]))
    places = DrivePlaces(store)
    places.keep(frozenset({"/notes/stick"}), FileRows(store).known())
    assert places.drop_unused() == frozenset()
    FileRows(store).remove([FileRows(store).known()["/notes/stick/b.md"].id])
    assert places.drop_unused() == {"/notes/stick"}
    assert places.known() == frozenset()
