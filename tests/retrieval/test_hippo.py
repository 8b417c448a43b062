"""HippoRAG's walk over entities."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

from noderag_local.graph.algorithms.sparse import symmetric, transition
from noderag_local.papers.hipporag.hipporag import EntityGraph, settled
from noderag_local.vault.vault import Vault

QUESTION = "Who is the spouse of Big Eye's main director?"


def test_the_walk_ends_at_the_personalised_pagerank() -> None:
    edges = [(0, 1, 2.0), (1, 2, 1.0), (2, 3, 1.0), (1, 3, 3.0), (4, 5, 1.0)]
    sources, targets, weights = (np.array(column) for column in zip(*edges, strict=True))
    walk = transition(symmetric([(sources, targets, weights.astype(np.float32))], 6))
    graph = EntityGraph(walk, sp.csr_matrix((0, 6), dtype=np.float32), np.ones(6, np.float32))
    start = np.array([0.75, 0, 0, 0, 0.25, 0], np.float32)
    slow = nx.Graph()
    slow.add_nodes_from(range(6))
    slow.add_weighted_edges_from(edges)
    expected = nx.pagerank(slow, alpha=0.5, personalization=dict(enumerate(start.tolist())), tol=1e-10)
    assert settled(graph, start, teleport=0.5) == pytest.approx([expected[node] for node in range(6)], abs=1e-4)


def test_it_starts_from_what_the_question_names(vault: Vault) -> None:
    found = vault.search("Who is the sibling of the performer of Decade?", method="hippo", budget_tokens=600)
    assert "Decade" in [name for name, _ in found.seeds]
    weights = [weight for _, weight in found.seeds]
    assert weights == sorted(weights, reverse=True)
    assert sum(weights) <= 1 + 1e-6


def test_where_it_names_nothing_from_what_is_named_nearby(vault: Vault) -> None:
    found = vault.search("which paintings show children with huge eyes?", method="hippo", budget_tokens=600)
    assert "Margaret Keane" in [name for name, _ in found.seeds]


def test_reasons_add_up_to_the_score(vault: Vault) -> None:
    for ranked in vault.search(QUESTION, method="hippo", budget_tokens=600).ranked:
        assert sum(value for _, value in ranked.reasons) == pytest.approx(ranked.score, abs=1e-5)
