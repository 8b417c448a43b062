"""Entities that are named together, and the passages that name them (HippoRAG, section 2.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from noderag_local.graph.algorithms.sparse import symmetric, transition
from noderag_local.papers.lightrag.key_values import key_values
from noderag_local.retrieval.graph_arrays import GraphArrays
from noderag_local.retrieval.retriever import SearchContext


@dataclass(frozen=True)
class EntityGraph:
    """The graph of entities and the passages that name them; rows are the entities of the graph arrays."""

    walk: sp.csr_matrix
    """(e, e) Pᵀ"""
    passages: sp.csr_matrix
    """(c, e) ones where a chunk names an entity"""
    specificity: NDArray[np.float32]
    """(e,) one over the chunks that name it"""


def entity_graph(search_context: SearchContext) -> EntityGraph:
    """Builds the graph of a vault: an edge for each relationship that two entities share and for each alias."""
    arrays = search_context.graph_arrays()
    # A sentence that names two entities stands for a relationship where no language model has read.
    ends = search_context.layer(key_values).ends
    together = (ends.T @ ends).tocsr()
    together.setdiag(0)
    together.eliminate_zeros()
    walk = transition((together + symmetric([arrays.same], len(arrays.entities))).tocsr())
    passages = _passages(arrays)
    named_in = np.maximum(np.asarray(passages.sum(axis=0)).ravel(), 1)
    return EntityGraph(walk, passages, (1 / named_in).astype(np.float32))


def _passages(arrays: GraphArrays) -> sp.csr_matrix:
    sentences, entities = (arrays.mentions >= 1).nonzero()
    shape = (len(arrays.chunks), len(arrays.entities))
    counts = sp.csr_matrix((np.ones(len(sentences), np.float32), (arrays.chunk_of[sentences], entities)), shape=shape)
    return (counts > 0).astype(np.float32).tocsr()
