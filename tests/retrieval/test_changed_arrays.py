"""What a search finds after changes that were only noted is what it finds where all caches are made anew."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.changing_notes import index
from helpers.followed_caches import NAMES, arrays, assert_same, change, copied, text

from noderag_local.pipeline.caches import caches_fit
from noderag_local.retrieval.search_arrays import FILE_NAME
from noderag_local.storage.database.store import Store
from noderag_local.storage.snapshots import change_log
from noderag_local.storage.snapshots.cache_file import remove_caches
from noderag_local.storage.snapshots.change_log import logged_from
from noderag_local.storage.snapshots.snapshot import Snapshot
from noderag_local.storage.vectors import vector_file
from noderag_local.storage.vectors.sentence_vectors import SentenceVectors


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Small vaults keep a log, as large ones do, and files of vectors."""
    monkeypatch.setattr(change_log, "LEAST_SENTENCES", 0)
    monkeypatch.setattr(vector_file, "FEWEST", 0)
    yield


@pytest.mark.parametrize("seed", range(4))
def test_after_each_change_the_arrays_are_those_that_are_made_anew(tmp_path: Path, noted: None, seed: int) -> None:
    chance, notes, names, followed = random.Random(seed), tmp_path / "notes", list(NAMES), 0
    notes.mkdir()
    for number in range(25):
        (notes / f"{number}.md").write_text(text(chance, names), encoding="utf-8")
    held = SentenceVectors()
    with Store.open(tmp_path / "vault", write=True) as store:
        index(store, notes, vectors=held)
        assert caches_fit(store, store.stamp)
        before = (store.folder / FILE_NAME).read_bytes()
        for _ in range(12):
            change(notes, chance, names)
            index(store, notes, vectors=held)
            assert logged_from(store)
            found, words = arrays(store), Snapshot.open(store)
            followed += (store.folder / FILE_NAME).read_bytes() == before
            anew = Snapshot.of_rows(store)
            for kind, columns in anew.edges.items():
                for mine, its in zip(words.edges[kind], columns, strict=True):
                    assert mine.tolist() == its.tolist(), kind
            for word in ("2014", "boat", "yesterday", "quist", "2021"):
                assert words.words.sentences_with([word]).tolist() == anew.words.sentences_with([word]).tolist()
            assert words.words.relative.tolist() == anew.words.relative.tolist()
            assert words.sentences.ids.tolist() == anew.sentences.ids.tolist()
            assert words.chunks.ids.tolist() == anew.chunks.ids.tolist()
            with Store.open(copied(store.folder, tmp_path / "copy"), write=False) as copy:
                assert_same(found, arrays(copy))
            store.folder.joinpath(FILE_NAME).write_bytes(before)
    assert followed > 6, "most changes leave the file as it is"


def test_many_changes_end_the_log_and_make_the_caches_anew(
    tmp_path: Path, noted: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance, notes = random.Random(1), tmp_path / "notes"
    notes.mkdir()
    for number in range(8):
        (notes / f"{number}.md").write_text(text(chance, list(NAMES)), encoding="utf-8")
    with Store.open(tmp_path / "vault", write=True) as store:
        index(store, notes)
        (notes / "0.md").write_text("Ada Quimby sang. Ben Okafor left.\n", encoding="utf-8")
        index(store, notes)
        assert not caches_fit(store, store.stamp)
        assert store.value("SELECT count(*) FROM _changed_sentences") > 0
        monkeypatch.setattr(change_log, "MOST_SENTENCES", 3)
        (notes / "1.md").write_text("Cleo Marsh sang. Dora Lindt left.\n", encoding="utf-8")
        index(store, notes)
        assert caches_fit(store, store.stamp)
        assert store.value("SELECT count(*) FROM _changed_sentences") == 0


def test_a_writer_that_notes_nothing_ends_the_log(tmp_path: Path, noted: None) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("Ada Quimby sang.\n", encoding="utf-8")
    with Store.open(tmp_path / "vault", write=True) as store:
        index(store, notes)
        assert logged_from(store)
        with store.transaction():
            store.touch()
        assert logged_from(store) is None
        (notes / "b.md").write_text("Ben Okafor left.\n", encoding="utf-8")
        index(store, notes)
        assert caches_fit(store, store.stamp)
        assert len(arrays(store).sentences) == 2


def test_caches_that_are_gone_are_made_anew_and_not_followed(tmp_path: Path, noted: None) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("Ada Quimby sang.\n", encoding="utf-8")
    with Store.open(tmp_path / "vault", write=True) as store:
        index(store, notes)
        remove_caches(store.folder)
        (notes / "b.md").write_text("Ben Okafor left.\n", encoding="utf-8")
        index(store, notes)
        assert caches_fit(store, store.stamp)


def test_ids_of_removed_sentences_are_not_given_out_again_while_a_log_is_kept(tmp_path: Path, noted: None) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for name in "ab":
        (notes / f"{name}.md").write_text("Ada Quimby sang.\n", encoding="utf-8")
    with Store.open(tmp_path / "vault", write=True) as store:
        index(store, notes)
        highest = store.value("SELECT max(id) FROM nodes")
        (notes / "b.md").unlink()
        index(store, notes)
        (notes / "c.md").write_text("Ben Okafor left.\n", encoding="utf-8")
        index(store, notes)
        assert store.value("SELECT max(id) FROM sentences") > highest
