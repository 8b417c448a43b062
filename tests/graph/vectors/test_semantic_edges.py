"""Semantic edges after any change: those of comparing all with all, or near to them where lists are made by HNSW."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from helpers.changing_notes import index
from helpers.small_documents import add, document, vector

from noderag_local.domain.graph import EdgeType
from noderag_local.graph.vectors.semantic_edges import BY_HNSW, EXACTLY, NEIGHBOURS, build_semantic_edges
from noderag_local.storage.backup.digest import digest
from noderag_local.storage.database.fact_names import CONNECTED_BY
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.document_rows import DocumentRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.storage.graph.neighbour_bounds import NeighbourBoundRows
from noderag_local.storage.vectors.hnsw import Hnsw
from noderag_local.storage.vectors.sentence_vectors import SentenceVectors
from noderag_local.storage.vectors.vectors import VectorRows

WORDS = ("tea", "rain", "moss", "fern", "oak")
"""So few that most sentences have twins, and the place of a sentence decides which of them come first."""

Pairs = set[tuple[int, int]]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "vault", write=True) as opened:
        yield opened


def stored(store: Store) -> Pairs:
    sources, targets, _ = GraphRows(store).edges(EdgeType.SEMANTIC)
    return set(zip(sources.tolist(), targets.tolist(), strict=True))


def expected(store: Store) -> Pairs:
    """The edges of the exact lists, by comparing all with all."""
    held = SentenceVectors()
    held.read(store)
    cosines = held.rows.astype(np.float64) @ held.rows.astype(np.float64).T
    np.fill_diagonal(cosines, -2.0)
    rank, ids = NeighbourBoundRows(store).ranks(held.ids), held.ids.tolist()
    nearest = [np.lexsort((rank, -line))[:NEIGHBOURS] for line in cosines]
    pairs = [(row, other) for row, line in enumerate(nearest) for other in line if cosines[row, other] > 0]
    return {(min(ids[row], ids[other]), max(ids[row], ids[other])) for row, other in pairs}


def text(chance: random.Random) -> str:
    return "".join(f"The {' '.join(chance.choices(WORDS, k=3))}.\n\n" for _ in range(chance.randrange(1, 4)))


def change(notes: Path, chance: random.Random) -> None:
    """Adds, edits, renames or removes a note."""
    there = sorted(notes.iterdir())
    one = chance.choice(there)
    what = chance.choice(("add", "edit", "rename", "rename", "remove"))
    if what == "rename":
        one.rename(notes / f"{chance.randrange(10**6)}.md")
    elif what == "remove" and len(there) > 20:
        one.unlink()
    else:
        place = one if what == "edit" else notes / f"{chance.randrange(10**6)}.md"
        place.write_text(text(chance), encoding="utf-8")


def test_after_each_change_the_lists_are_exact_with_twins_that_move(tmp_path: Path) -> None:
    chance, notes = random.Random(5), tmp_path / "notes"
    notes.mkdir()
    for number in range(30):
        (notes / f"{number}.md").write_text(text(chance), encoding="utf-8")
    held = SentenceVectors()
    with Store.open(tmp_path / "vault", write=True) as store:
        for _ in range(60):
            index(store, notes, vectors=held)
            assert stored(store) == expected(store)
            change(notes, chance)


def many(store: Store, count: int, seed: int, path: str) -> None:
    """Adds a document of many sentences with vectors."""
    chance = random.Random(seed)
    add(store, document(path, *([f"Note {chance.randrange(10**9)}."] for _ in range(count))))
    rows = store.rows("SELECT id, text FROM sentences WHERE id NOT IN (SELECT node_id FROM embeddings)")
    VectorRows(store).put([number for number, _ in rows], np.stack([vector(text) for _, text in rows]))


def connect(store: Store, exact_up_to: int, vectors: SentenceVectors | None = None) -> list[tuple[int, int]]:
    told: list[tuple[int, int]] = []
    held = vectors or SentenceVectors()
    with store.transaction():
        build_semantic_edges(store, held, lambda *step: told.append(step), lambda *_: None, exact_up_to)
    held.keep(store)
    return told


def recall(store: Store) -> float:
    wanted = expected(store)
    return len(stored(store) & wanted) / len(wanted)


def test_many_new_sentences_are_connected_by_hnsw_and_a_few_more_are_inserted(store: Store) -> None:
    held = SentenceVectors()
    many(store, 400, 1, "/notes/a.md")
    told = connect(store, 300, held)
    assert store.facts[CONNECTED_BY] == BY_HNSW
    assert told[0] == (0, 400)
    assert told[-1] == (400, 400)
    assert recall(store) > 0.95
    held.follow(store)
    many(store, 20, 2, "/notes/b.md")
    assert connect(store, 300, held)[-1] == (20, 20), "only the new sentences are compared"
    assert recall(store) > 0.95


def test_a_few_new_sentences_of_a_large_vault_without_an_index_are_compared_with_all(store: Store) -> None:
    many(store, 400, 1, "/notes/a.md")
    connect(store, 350)
    many(store, 20, 2, "/notes/b.md")
    assert connect(store, 350)[-1] == (20, 20)
    assert recall(store) > 0.95


def test_a_vault_that_becomes_small_while_its_index_is_held_is_connected_exactly(store: Store) -> None:
    held = SentenceVectors()
    many(store, 300, 1, "/notes/a.md")
    many(store, 200, 2, "/notes/b.md")
    connect(store, 400, held)
    held.follow(store)
    DocumentRows(store).remove([min(number for (number,) in store.rows("SELECT id FROM documents"))])
    connect(store, 400, held)
    assert store.facts[CONNECTED_BY] == EXACTLY
    assert stored(store) == expected(store)


def test_lists_that_lose_or_gain_a_sentence_in_a_large_vault_are_as_good_as_new(store: Store) -> None:
    held = SentenceVectors()
    many(store, 300, 0, "/notes/0.md")
    connect(store, 200, held)
    for seed in range(1, 8):
        held.follow(store)
        if seed > 2:
            (first, *_) = (number for (number,) in store.rows("SELECT id FROM documents ORDER BY id"))
            DocumentRows(store).remove([first])
        many(store, 60, seed, f"/notes/{seed}.md")
        told = connect(store, 100, held)
        assert told[-1][0] == told[-1][1]
        assert not NeighbourBoundRows(store).is_behind
        assert recall(store) > 0.95


def test_new_sentences_that_are_nearest_to_one_another_alone_are_connected(store: Store) -> None:
    held = SentenceVectors()
    many(store, 400, 1, "/notes/a.md")
    connect(store, 300, held)
    held.follow(store)
    add(store, document("/notes/log.csv", *([f"Row {number}."] for number in range(100))))
    rows = store.rows("SELECT id FROM sentences WHERE id NOT IN (SELECT node_id FROM embeddings)")
    alike = vector("Row.") + np.random.default_rng(0).normal(0, 0.001, (len(rows), len(vector("Row."))))
    VectorRows(store).put([number for (number,) in rows], alike / np.linalg.norm(alike, axis=1, keepdims=True))
    assert connect(store, 300, held)[-1] == (100, 100)
    assert not NeighbourBoundRows(store).is_behind


def test_an_index_of_which_most_is_new_is_made_anew_and_not_brought_up_first(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = SentenceVectors()
    many(store, 150, 1, "/notes/a.md")
    connect(store, 100, held)
    held.follow(store)
    many(store, 400, 2, "/notes/b.md")
    added = list[int]()
    monkeypatch.setattr(Hnsw, "add", counting(added, Hnsw.add))
    assert connect(store, 100, held)[-1] == (550, 550)
    assert added == [550]
    held.follow(store)
    assert held.hnsw is not None, "the new index is kept for the next run"


def counting(
    added: list[int], add_to: Callable[[Hnsw, np.ndarray, np.ndarray], Iterator[int]]
) -> Callable[[Hnsw, np.ndarray, np.ndarray], Iterator[int]]:
    """Notes how many vectors each call adds."""

    def noting(hnsw: Hnsw, ids: np.ndarray, vectors: np.ndarray) -> Iterator[int]:
        added.append(len(ids))
        return add_to(hnsw, ids, vectors)

    return noting


def test_the_same_notes_are_connected_by_hnsw_in_the_same_way(tmp_path: Path) -> None:
    digests = set()
    for name, order in (("one", (1, 2)), ("other", (2, 1))):
        with Store.open(tmp_path / name, write=True) as store:
            for seed in order:
                many(store, 200, seed, f"/notes/{seed}.md")
            connect(store, exact_up_to=100)
            digests.add(digest(store))
    assert len(digests) == 1


def test_a_vault_that_has_become_small_is_connected_exactly(store: Store) -> None:
    many(store, 400, 1, "/notes/a.md")
    connect(store, exact_up_to=300)
    connect(store, exact_up_to=500)
    assert store.facts[CONNECTED_BY] == EXACTLY
    assert stored(store) == expected(store)
