"""Builds the network of a vault's entities: which entities are named together, and a vector for each (ArchRAG, section 3.1.1)."""

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
from noderag_local.storage.database.distinct import distinct


@dataclass(frozen=True)
class EntityNetwork:
    """The network of n entities and s sentences; entities are ordered by key, so that no result depends on node ids."""

    entities: NDArray[np.int64]
    """(n,) node ids"""
    keys: tuple[str, ...]
    """(n,) key of each entity"""
    sentences: NDArray[np.int64]
    """(s,) node ids, ascending"""
    sentence_vectors: NDArray[np.float32]
    """(s, dim) unit rows"""
    named: sp.csr_matrix
    """(n, s) 1 where a sentence names an entity; numbers and dates do not count as named"""
    adjacency: sp.csr_matrix
    """(n, n) symmetric; how often two entities are named together or related; the diagonal is zero"""

    @cached_property
    def vectors(self) -> NDArray[np.float32]:
        """(n, dim) mean vector of the sentences that name each entity, unit length; zeros if there are none."""
        return unit_rows(np.asarray(self.named @ self.sentence_vectors))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the whole network, in hexadecimal."""
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
    """Builds the network of a vault's entities. Numbers and dates get no links, since sharing "1990" does not relate entities.

    Args:
        entities: (n,) node ids, ordered by key.
        keys: (n,) keys of the entities.
        sentences: (s,) ascending node ids of the sentences that have a vector.
        sentence_vectors: (s, dim) unit rows.
        edges: edges between node ids.
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
    numbers = distinct(related)
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
    """Returns the same matrix without stored zeros and with ascending columns."""
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return matrix
