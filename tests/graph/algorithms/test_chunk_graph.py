"""The graph of chunks: who is joined to whom, and who is central."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from noderag_local.graph.algorithms.chunk_neighbours import COMMON_SHARE, central_chunks, nearest_chunks

WORDS = [[1, 1, 1, 0], [1, 1, 0, 0], [0, 0, 2, 0], [0, 0, 0, 1]]


def graph_of(
    words: list[list[int]], vectors: NDArray[np.float32] | None = None, common_share: float = COMMON_SHARE
) -> sp.csr_matrix:
    """Of chunks of one sentence each, which are near to none by vector where there are no vectors."""
    vectors = np.zeros((len(words), 2), np.float32) if vectors is None else vectors
    keyword_edges = sp.csr_matrix(np.array(words, np.float32))
    return nearest_chunks(np.arange(len(words)), keyword_edges, vectors, common_share=common_share)


def joined(near: sp.csr_matrix) -> set[tuple[int, int]]:
    """Rows of neighbours, the lower first."""
    rows, columns = near.nonzero()
    assert (near != near.T).nnz == 0
    return {(row, column) for row, column in zip(rows.tolist(), columns.tolist(), strict=True) if row < column}


def test_a_chunk_is_joined_to_the_one_with_most_distinct_words_in_common() -> None:
    assert joined(graph_of(WORDS)) == {(0, 1), (0, 2)}, "the last shares no word with any other"


def test_the_first_of_equals_is_taken() -> None:
    assert joined(graph_of([[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 1]])) == {(0, 1), (0, 2), (1, 3)}


def test_a_chunk_is_joined_to_the_nearest_by_vector_that_is_not_the_nearest_by_words() -> None:
    vectors = np.array([[1, 0], [1, 0], [0.6, 0.8], [0, 1]], np.float32)
    graph = graph_of(WORDS, vectors)
    assert joined(graph) == {(0, 1), (0, 2), (1, 2), (2, 3)}
    assert set(graph.data.tolist()) == {1.0}


def test_of_an_odd_number_of_neighbours_one_more_is_by_vector() -> None:
    vectors = np.array([[1, 0], [0.99, 0.141], [0.9, 0.436], [0.6, 0.8]], np.float32)
    words = sp.csr_matrix((4, 1), dtype=np.float32)
    counts = [nearest_chunks(np.arange(4), words, vectors, most).nnz for most in (2, 3, 4)]
    assert counts == [6, 10, 10], "without shared words, K=3 has the two nearest by vector, as K=4"


def test_words_of_too_many_chunks_join_nothing() -> None:
    words = [[1, 0]] * 3 + [[0, 1]] * 2
    assert joined(graph_of(words)) == {(3, 4)}
    assert joined(graph_of(words, common_share=1)) == {(0, 1), (0, 2), (3, 4)}


def test_many_chunks_are_joined_as_one_by_one() -> None:
    random = np.random.default_rng(3)
    words = (random.random((2100, 300)) < 0.03).astype(np.float32)
    vectors = random.normal(size=(2100, 8)).astype(np.float32)
    found = nearest_chunks(np.arange(2100), sp.csr_matrix(words), vectors)
    rare = words[:, words.sum(axis=0) <= COMMON_SHARE * 2100]
    for chunk in range(0, 2100, 101):
        shared, cosines = rare @ rare[chunk], vectors @ vectors[chunk]
        shared[chunk] = cosines[chunk] = 0
        cosines[shared.argmax()] = 0
        assert found[chunk, shared.argmax()] == 1
        assert found[chunk, cosines.argmax()] == 1
    assert found.nnz <= 2 * 2 * 2100


def test_the_hub_is_central_and_equals_keep_their_order() -> None:
    assert central_chunks(graph_of([[1, 0, 0], [1, 1, 1], [0, 1, 0], [0, 0, 1]])).tolist() == [1, 0, 2, 3]
    assert central_chunks(graph_of([[0]] * 4)).tolist() == [0, 1, 2, 3]


def test_a_vault_without_chunks_has_an_empty_graph() -> None:
    graph = nearest_chunks(np.zeros(0, np.int64), sp.csr_matrix((0, 0)), np.zeros((0, 4), np.float32))
    assert graph.shape == (0, 0)
    assert len(central_chunks(graph)) == 0
