"""Which chunks come first: PageRank on the graph of nearest chunks."""

from __future__ import annotations

import networkx
import numpy as np
import scipy.sparse as sp

from noderag_local.graph.nearest import most_shared_words
from noderag_local.graph.pagerank import pagerank
from noderag_local.graph.sparse import symmetric, transition


def edges(*pairs: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return ends[:, 0], ends[:, 1], np.ones(len(ends), np.float32)


def test_pagerank_is_that_of_networkx() -> None:
    rng = np.random.default_rng(1)
    pairs = {tuple(sorted(pair)) for pair in rng.integers(0, 30, (45, 2)).tolist() if pair[0] != pair[1]}
    ours = pagerank(transition(symmetric([edges(*sorted(pairs))], 32)))
    graph = networkx.Graph(sorted(pairs))
    graph.add_nodes_from(range(32))
    theirs = networkx.pagerank(graph, alpha=0.85, tol=1e-12, max_iter=500)
    assert np.allclose(ours, [theirs[node] for node in range(32)], atol=1e-6)
    assert np.isclose(ours.sum(), 1)


def test_an_empty_graph_has_no_ranks() -> None:
    assert len(pagerank(sp.csr_matrix((0, 0)))) == 0


def test_the_nearest_by_words_shares_most_of_them_and_comes_first_among_equals() -> None:
    words = sp.csr_matrix(np.array([[1, 1, 1, 0], [1, 1, 0, 0], [1, 0, 2, 0], [0, 0, 0, 1]]))
    sources, targets, shared = most_shared_words(words, 1)
    found = list(zip(sources.tolist(), targets.tolist(), shared.tolist(), strict=True))
    assert found == [(0, 1, 2.0), (1, 0, 2.0), (2, 0, 2.0)], "the last text shares nothing with any other"
