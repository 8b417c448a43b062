"""Nearest vectors, against a plain sort of all cosines."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.small_documents import add, document, link_and_embed, unit_rows, vector
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from noderag_local.domain.errors import StoreError
from noderag_local.domain.graph import NodeType
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.vectors.vector_file import FILES
from noderag_local.storage.vectors.vector_index import NEIGHBOURS_EXACT_UP_TO, VectorIndex, best_columns

LARGE = NEIGHBOURS_EXACT_UP_TO + 500


def index_of(vectors: NDArray[np.float32]) -> VectorIndex:
    """Vectors with ids that are not their row numbers."""
    return VectorIndex(np.arange(len(vectors), dtype=np.int64) * 3 + 7, vectors.astype(np.float16))


def clustered(count: int, dimension: int, seed: int) -> NDArray[np.float32]:
    """Unit rows around a few hundred centres, as those of sentences are."""
    random = np.random.default_rng(seed)
    rows = unit_rows(300, dimension, seed)[random.integers(0, 300, count)] + unit_rows(count, dimension, seed + 1) * 0.6
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_search_gives_ids_and_exact_cosines() -> None:
    vectors = unit_rows(500, 16, seed=1)
    queries = unit_rows(3, 16, seed=2)
    index = index_of(vectors)
    ids, cosines = index.search(queries, 10)
    exact = queries @ vectors.astype(np.float16).astype(np.float32).T
    order = np.argsort(-exact, axis=1, kind="stable")[:, :10]
    assert (ids == order * 3 + 7).all()
    assert cosines == pytest.approx(np.take_along_axis(exact, order, axis=1), abs=1e-6)
    assert (ids.dtype, cosines.dtype) == (np.int64, np.float32)
    assert index.cosines(queries) == pytest.approx(exact, abs=1e-6)


def test_fewer_vectors_than_asked_for_are_padded() -> None:
    ids, cosines = index_of(unit_rows(2, 4, seed=1)).search(unit_rows(1, 4, seed=2), 5)
    assert ids[0, 2:].tolist() == [-1, -1, -1]
    assert cosines[0, 2:].tolist() == [-1, -1, -1]


def test_an_empty_vault_has_no_neighbours(store: Store) -> None:
    index = VectorIndex.open(store, NodeType.SENTENCE)
    ids, cosines = index.search(unit_rows(2, 384, seed=1), 3)
    assert ids.tolist() == cosines.tolist() == [[-1, -1, -1]] * 2
    assert index.cosines(unit_rows(2, 384, seed=1)).shape == (2, 0)
    assert list(index.all_neighbours(3)) == []


def test_a_vector_of_another_model_is_refused() -> None:
    with pytest.raises(StoreError, match="index again"):
        index_of(unit_rows(5, 16, seed=1)).search(unit_rows(1, 8, seed=1), 2)


def test_it_opens_the_vectors_of_a_vault_and_keeps_no_file_for_few(store: Store) -> None:
    add(store, document("/notes/a.md", ["Ada wrote.", "Bob read."], ["Carol sang."]))
    link_and_embed(store)
    sentences, chunks = TextRows(store).sentence_table().ids, TextRows(store).chunk_table().ids
    ids, cosines = VectorIndex.open(store, NodeType.SENTENCE).search(vector("Bob read.")[None], 1)
    assert ids.tolist() == [[sentences[1]]]
    assert cosines[0, 0] == pytest.approx(1, abs=1e-3)
    ids, _ = VectorIndex.open(store, NodeType.TEXT).search(vector("Carol sang.")[None], 1)
    assert ids.tolist() == [[chunks[1]]]
    assert not any((store.folder / name).exists() for name in FILES.values())


@pytest.mark.parametrize("count", [1, 5, 700])
def test_neighbours_of_a_small_set_are_exact(count: int) -> None:
    vectors = unit_rows(count, 16, seed=3)
    blocks = list(index_of(vectors).all_neighbours(4))
    assert np.concatenate([block.ids for block in blocks]).tolist() == [n * 3 + 7 for n in range(count)]
    exact = vectors.astype(np.float16).astype(np.float32)
    scores = exact @ exact.T
    np.fill_diagonal(scores, -2)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :4] * 3 + 7
    found = np.concatenate([block.neighbours for block in blocks])
    known = min(4, count - 1)
    assert (found[:, :known] == order[:, :known]).all()
    assert (found[:, known:] == -1).all()


def test_neighbours_of_a_large_set_are_nearly_exact_and_the_same_each_time() -> None:
    vectors = clustered(LARGE, 32, seed=5)
    first, second = (list(index_of(vectors).all_neighbours(10)) for _ in range(2))
    for one, other in zip(first, second, strict=True):
        assert (one.neighbours == other.neighbours).all()
        assert (one.cosines == other.cosines).all()
    found = np.concatenate([block.neighbours for block in first])
    scores = vectors @ vectors.T
    np.fill_diagonal(scores, -2)
    exact = np.argsort(-scores, axis=1)[:, :10] * 3 + 7
    recall = np.mean([len(set(mine) & set(its)) / 10 for mine, its in zip(found, exact, strict=True)])
    assert recall > 0.95
    assert not (found == (np.arange(LARGE) * 3 + 7)[:, None]).any(), "nobody is a neighbour of itself"


def test_twins_are_neighbours_of_each_other() -> None:
    vectors = np.repeat(unit_rows(1, 8, seed=1), 6, axis=0)
    (block,) = index_of(vectors).all_neighbours(2)
    assert block.neighbours.tolist() == [[10, 13], [7, 13], [7, 10], [7, 10], [7, 10], [7, 10]]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, -1.0]), max_size=40), st.integers(1, 6))
def test_ties_go_by_column(scores: list[float], k: int) -> None:
    columns, best = best_columns(np.array([scores], np.float32), k)
    expected = sorted(range(len(scores)), key=lambda column: (-scores[column], column))[:k]
    padding = k - len(expected)
    assert columns[0].tolist() == expected + [-1] * padding
    assert best[0].tolist() == [scores[column] for column in expected] + [-1.0] * padding


def test_vectors_stand_beside_ids_of_which_some_have_none() -> None:
    index = index_of(unit_rows(3, 4, seed=5))
    beside = index.aligned(np.array([7, 8, 10, 13]))
    assert np.array_equal(beside[[0, 2, 3]], index.vectors)
    assert not beside[1].any()
    assert np.array_equal(index.aligned(index.ids), index.vectors)
