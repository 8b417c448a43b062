"""Builds the network of a vault's entities: which are named together, and the vector of each (ArchRAG, section 3.1.1)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from noderag_local.domain.graph import EdgeType
from noderag_local.graph.algorithms.rows import unit_rows
from noderag_local.graph.algorithms.sparse import Edges, between, incidence, symmetric


@dataclass(frozen=True)
class EntityNetwork:
    """The network of n entities and s sentences. Rows are entities by key, so that no result depends on the ids."""

    entities: NDArray[np.int64]
    """(n,) node ids"""
    keys: tuple[str, ...]
    """(n,)"""
    sentences: NDArray[np.int64]
    """(s,) node ids, ascending"""
    sentence_vectors: NDArray[np.float32]
    """(s, dim) unit rows"""
    named: sp.csr_matrix
    """(n, s) ones where a sentence names an entity; numbers and dates are named nowhere"""
    adjacency: sp.csr_matrix
    """(n, n) how often two entities are named together or related, symmetric; nothing on the diagonal"""

    @cached_property
    def vectors(self) -> NDArray[np.float32]:
        """(n, dim) mean of the vectors of the sentences that name each entity, unit length; zeros where nothing does."""
        return unit_rows(np.asarray(self.named @ self.sentence_vectors))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the network, hexadecimal; it changes with anything in it."""
        hashed = hashlib.sha256(repr(self.keys).encode("utf-8", "surrogatepass"))
        for array in (self.sentences, self.sentence_vectors, self.named.indptr, self.named.indices):
            hashed.update(np.ascontiguousarray(array).tobytes())
        for array in (self.adjacency.indptr, self.adjacency.indices, self.adjacency.data):
            hashed.update(np.ascontiguousarray(array).tobytes())
        return hashed.hexdigest()


def entity_network(
    entities: NDArray[np.int64],
    keys: Sequence[str],
    sentences: NDArray[np.int64],
    sentence_vectors: NDArray[np.floating],
    edges: Mapping[EdgeType, Edges],
) -> EntityNetwork:
    """Builds the network of a vault. Numbers and dates are left unlinked, since "1990" holds nothing together.

    Args:
        entities: (n,) node ids, by key.
        keys: (n,)
        sentences: (s,) node ids of those that have a vector, ascending.
        sentence_vectors: (s, dim) unit rows.
        edges: by the ids of their ends.
    """
    n = len(entities)
    order = np.argsort(entities)
    ids = entities[order]
    is_name = np.array([not any(sign.isdigit() for sign in key) for key in keys], dtype=bool)
    named = sp.csr_matrix((n, len(sentences)), dtype=np.float32)
    for kind in (EdgeType.MENTION, EdgeType.RECOGNISED):
        rows, columns, weights = between(edges[kind], sentences, ids)
        named = named.maximum(incidence(order[columns], rows, np.ones(len(weights)), named.shape))
    related, ends, weights = edges[EdgeType.RELATES]
    numbers = np.unique(related)
    rows, columns, weights = between((related, ends, weights), numbers, ids)
    relating = incidence(order[columns], rows, np.ones(len(weights)), (n, len(numbers)))
    only_names = sp.diags(is_name.astype(np.float32))
    named, relating = (only_names @ named).tocsr(), (only_names @ relating).tocsr()
    same = between(edges[EdgeType.ALIAS], ids, ids)
    alike = symmetric([(order[same[0]], order[same[1]], same[2])], n)
    together = named @ named.T + relating @ relating.T + only_names @ alike @ only_names
    return EntityNetwork(
        entities,
        tuple(keys),
        sentences,
        sentence_vectors.astype(np.float32),
        _sorted(named),
        _sorted(_hollow(together)),
    )


def _hollow(matrix: sp.spmatrix) -> sp.csr_matrix:
    """Returns the matrix without its diagonal."""
    entries = matrix.tocoo()
    off = entries.row != entries.col
    return sp.csr_matrix(
        (entries.data[off], (entries.row[off], entries.col[off])), shape=matrix.shape, dtype=np.float32
    )


def _sorted(matrix: sp.csr_matrix) -> sp.csr_matrix:
    """Returns the same matrix without stored zeros, its columns ascending."""
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return matrix
