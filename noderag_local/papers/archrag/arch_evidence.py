"""Collects the evidence of ArchRAG's search: summaries of communities and relationships of entities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from noderag_local.graph.algorithms.rows import top_rows
from noderag_local.papers.archrag.arch_levels import AttributedLayer
from noderag_local.papers.archrag.attributed_outline import MOST_TOLD
from noderag_local.papers.graph_evidence.key_value_evidence import KeyValueEvidence
from noderag_local.retrieval.default.seeds import entity_seeds
from noderag_local.retrieval.packing.budget_shares import Ranked
from noderag_local.retrieval.retriever import SearchContext
from noderag_local.storage.graph.attributed_rows import AttributedRows
from noderag_local.storage.vectors.chnsw import Nearest

SUMMARY_TOKENS = 80
RELATIONSHIP_TOKENS = 20
"""Most summaries and relationships have at least this many tokens; limits how many are collected for a budget."""


def summaries(
    search_context: SearchContext,
    evidence: KeyValueEvidence,
    communities: AttributedLayer,
    found: Sequence[Nearest],
    budget_tokens: int,
) -> list[Ranked]:
    """Returns the summaries of the nearest communities of all levels, nearest first, as many as a budget can hold.

    A summary by the language model is a source of its own; the sentences that came later stand with it. A community without one
    is represented by the sentences that say most about it, each at its own place in the notes. Ties are ordered by level and row.

    Args:
        search_context: the vault with the scope of the question.
        evidence: evidence of the same vault and scope.
        communities: the levels of communities.
        found: the nearest communities of each level.
        budget_tokens: tokens that the context has room for.
    """
    ranked = sorted(
        (-cosine, number, row)
        for number, nearest in enumerate(found)
        for row, cosine in zip(nearest.rows.tolist(), nearest.cosines.tolist(), strict=True)
    )[: 10 + budget_tokens // SUMMARY_TOKENS]
    return told(search_context, evidence, communities, [(number, row) for _, number, row in ranked], MOST_TOLD)


def told(
    search_context: SearchContext,
    evidence: KeyValueEvidence,
    communities: AttributedLayer,
    listed: Sequence[tuple[int, int]],
    most_sentences: int,
) -> list[Ranked]:
    """Returns the summaries of communities; see `summaries`.

    Args:
        search_context: the vault with the scope of the question.
        evidence: evidence of the same vault and scope.
        communities: the levels of communities.
        listed: level, from 0, and row of each community.
        most_sentences: maximum number of sentences for a community.
    """
    ids = [int(communities.levels[number].ids[row]) for number, row in listed]
    written = AttributedRows(search_context.store).written(ids)
    quoted = [
        _inside(
            search_context,
            (communities.unread if community in written else communities.key_sentences)[number][row][:most_sentences],
        )
        for community, (number, row) in zip(ids, listed, strict=True)
    ]
    nodes = sorted({sentence for sentences in quoted for sentence in sentences})
    pieces = dict(zip(nodes, evidence.pieces.sentences(nodes), strict=True))
    made: list[Ranked] = []
    for community, (number, row), sentences in zip(ids, listed, quoted, strict=True):
        place = int(communities.key_sentences[number][row][0])
        summary = [evidence.pieces.community(community, *written[community], place)] if community in written else []
        made.append((0.0, [*summary, *(pieces[sentence] for sentence in sentences)]))
    return made


def _inside(search_context: SearchContext, sentences: NDArray[np.int64]) -> list[int]:
    """Returns the node ids of the given sentences that the scope allows in a context."""
    if search_context.inside is not None:
        rows = np.searchsorted(search_context.graph_arrays().sentences, sentences)
        sentences = sentences[search_context.inside.sentences[rows]]
    return list(map(int, sentences))


def named_first(
    search_context: SearchContext, question: str, vector: NDArray[np.float32], nearest: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Moves entities that the question names to the front, at most half of all, and keeps the number of entities.

    Args:
        search_context: the vault with the scope of the question.
        question: as it was asked.
        vector: (dim,) vector of the question.
        nearest: (m,) rows of the graph arrays, nearest first.
    """
    arrays = search_context.graph_arrays()
    named = np.array(list(entity_seeds(question, search_context.store, arrays)), dtype=np.int64)
    if search_context.inside is not None:
        named = named[search_context.inside.entities[named]]
    cosines = np.asarray(arrays.entity_vectors[named] @ vector, dtype=np.float32)
    first = named[top_rows(cosines, -(-len(nearest) // 2))]
    both = list(dict.fromkeys([*first.tolist(), *nearest.tolist()]))
    return np.array(both[: len(nearest)], dtype=np.int64)


def relationships(
    evidence: KeyValueEvidence,
    entities: NDArray[np.int64],
    vector: NDArray[np.float32],
    with_one_end: int,
    budget_tokens: int,
) -> list[int]:
    """Returns the rows of relationships between two of the entities, then of those with one; each by cosine, ties by row.

    Args:
        evidence: entities and relationships that the scope allows.
        entities: (m,) rows of the graph arrays.
        vector: (dim,) vector of the question.
        with_one_end: maximum number of relationships with only one end among the entities.
        budget_tokens: tokens that the context has room for.
    """
    stores = evidence.stores
    rows, ends = np.unique(stores.relationships_of[entities].indices, return_counts=True)
    is_allowed = evidence.allowed_relationships()[rows]
    rows, ends = rows[is_allowed], ends[is_allowed]
    cosines = np.asarray(stores.vectors[rows] @ vector, dtype=np.float32)
    between = top_rows(np.where(ends > 1, cosines, -np.inf).astype(np.float32), len(rows))
    beside = top_rows(np.where(ends == 1, cosines, -np.inf).astype(np.float32), with_one_end)
    most = 10 + budget_tokens // RELATIONSHIP_TOKENS
    return list(map(int, rows[np.concatenate([between, beside])][:most]))
