"""Builds LightRAG's two stores, entities and relationships, each with a search key (Guo et al. 2024, section 3.1).

In the paper, a key is the embedding of a text by a language model. Where no model has read the notes, ours come from
sentences: an entity's key is the mean vector of the sentences about it, and a sentence that names two or more entities is a
relationship between them. So new notes only add to the stores. Such sentences count beside the model's relationships where it
has read, unless the method searches the model's graph alone. Where the model has written a profile, the vector of its keys and
its text can be the key, as in the paper.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from noderag_local.domain.graph import EdgeType, GraphPart, NodeType
from noderag_local.graph.algorithms.sparse import between, incidence
from noderag_local.retrieval.evidence import chosen_edges, is_read
from noderag_local.retrieval.graph_arrays import GraphArrays
from noderag_local.retrieval.retriever import SearchContext
from noderag_local.storage.snapshots.snapshot import Snapshot

BLOCK_EDGES = 1 << 15
"""Number of cosines computed in one step: 50 MB of vectors on each side."""


@dataclass(frozen=True)
class KeyValues:
    """Both stores; relationships are first the sentences that count as one, then those of the language model."""

    relationships: NDArray[np.int64]
    """(r,) node ids"""
    vectors: NDArray[np.float32]
    """(r, dim) unit length"""
    ends: sp.csr_matrix
    """(r, e) 1 where a relationship has an entity, e as in the graph arrays"""
    relationships_of: sp.csr_matrix
    """(e, r) the transpose of `ends`"""
    sentence_rows: NDArray[np.int64]
    """(r,) row of each sentence in the graph arrays; -1 for relationships of the model"""
    closeness: sp.csr_matrix
    """(e, n) cosine of each entity's vector with each sentence that names it, plus 2 so that no stored entry is zero"""
    entity_vectors: NDArray[np.float32]
    """(e, dim) unit length, by which entities are searched; zeros where no sentence names one"""

    def degrees(self) -> NDArray[np.float32]:
        """Returns the number of relationships of each entity, (e,)."""
        return np.asarray(np.diff(self.relationships_of.indptr), dtype=np.float32)


def key_values(search_context: SearchContext) -> KeyValues:
    """Builds both stores of a vault."""
    arrays = search_context.graph_arrays()
    snapshot = Snapshot.open(search_context.store)
    edges = chosen_edges(arrays.names.edges(snapshot.edges), snapshot.sentences, search_context.evidence)
    named = (arrays.mentions >= 1).astype(np.float32).tocsr()
    is_relationship = np.diff(named.indptr) >= 2
    if search_context.evidence is GraphPart.MODEL:
        is_relationship &= ~is_read(edges, snapshot.sentences)
    sentences = np.flatnonzero(is_relationship)
    shape = (len(arrays.relationships), len(arrays.entities))
    related = incidence(*between(edges[EdgeType.RELATES], arrays.relationships, arrays.entities), shape)
    ends = sp.vstack([named[sentences], (related > 0).astype(np.float32)]).tocsr()
    vectors = [arrays.sentence_vectors[sentences], arrays.relationship_vectors]
    return KeyValues(
        relationships=np.concatenate([arrays.sentences[sentences], arrays.relationships]),
        vectors=np.concatenate([part.reshape(len(part), arrays.sentence_vectors.shape[1]) for part in vectors]).astype(
            np.float32
        ),
        ends=ends,
        relationships_of=ends.T.tocsr(),
        sentence_rows=np.concatenate([sentences, np.full(len(arrays.relationships), -1)]).astype(np.int64),
        closeness=_closeness(arrays),
        entity_vectors=arrays.entity_vectors,
    )


def profiled_key_values(search_context: SearchContext) -> KeyValues:
    """Builds both stores of a vault with the vectors of the model's profiles as the keys of what has one."""
    plain, arrays = search_context.layer(key_values), search_context.graph_arrays()
    snapshot = Snapshot.open(search_context.store)
    edges = chosen_edges(arrays.names.edges(snapshot.edges), snapshot.sentences, search_context.evidence)
    index = search_context.vector_index(NodeType.PROFILE)
    of_entities = between(edges[EdgeType.PROFILES], index.ids, arrays.entities)
    of_relationships = between(edges[EdgeType.PROFILES], index.ids, arrays.relationships)
    if not len(of_entities[0]) + len(of_relationships[0]):
        return plain
    entity_vectors, vectors = plain.entity_vectors.copy(), plain.vectors.copy()
    entity_vectors[of_entities[1]] = index.vectors[of_entities[0]]
    vectors[np.count_nonzero(plain.sentence_rows >= 0) + of_relationships[1]] = index.vectors[of_relationships[0]]
    return replace(plain, vectors=vectors, entity_vectors=entity_vectors)


def _closeness(arrays: GraphArrays) -> sp.csr_matrix:
    named = arrays.sentences_of
    cosines = np.empty(named.nnz, dtype=np.float32)
    entities = np.repeat(np.arange(named.shape[0]), np.diff(named.indptr))
    for start in range(0, named.nnz, BLOCK_EDGES):
        edges = slice(start, start + BLOCK_EDGES)
        sentences = arrays.sentence_vectors[named.indices[edges]].astype(np.float32)
        cosines[edges] = np.einsum("ij,ij->i", sentences, arrays.entity_vectors[entities[edges]])
    return sp.csr_matrix((cosines + 2, named.indices, named.indptr), shape=named.shape)
