"""Vectors of nodes of several types, in an order that does not depend on the ids of derived nodes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import NodeType
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.named_nodes import named_nodes
from noderag_local.storage.vectors.vectors import VectorRows


@dataclass(frozen=True)
class KeyedVectors:
    """Rows by type, in the order asked for, then by key; chunks and sentences in reading order."""

    ids: NDArray[np.int64]
    """(n,)"""
    types: tuple[NodeType, ...]
    """(n,)"""
    vectors: NDArray[np.float16]
    """(n, dim), unit rows"""

    def rows_of(self, kind: NodeType) -> NDArray[np.int64]:
        """Rows of a type, ascending."""
        return np.flatnonzero(np.array([found is kind for found in self.types], dtype=bool))

    @property
    def digest(self) -> str:
        """SHA-256 of ids and vectors, hexadecimal: another one when anything has moved."""
        hashed = hashlib.sha256(repr((self.vectors.shape, [str(kind) for kind in self.types])).encode())
        hashed.update(np.ascontiguousarray(self.ids).tobytes())
        hashed.update(np.ascontiguousarray(self.vectors).tobytes())
        return hashed.hexdigest()


def read_keyed_vectors(store: Store, kinds: Sequence[NodeType]) -> KeyedVectors:
    """All vectors of the types; nodes without one are left out."""
    found = [_of_type(store, kind) for kind in kinds]
    types = tuple(kind for kind, (ids, _) in zip(kinds, found, strict=True) for _ in range(len(ids)))
    filled = [vectors for ids, vectors in found if len(ids)]
    vectors = np.concatenate(filled) if filled else np.zeros((0, 0), np.float16)
    return KeyedVectors(np.concatenate([ids for ids, _ in found]), types, vectors)


def _of_type(store: Store, kind: NodeType) -> tuple[NDArray[np.int64], NDArray[np.float16]]:
    ids, vectors = VectorRows(store).matrix(kind)
    if kind in (NodeType.TEXT, NodeType.SENTENCE) or not len(ids):
        return ids, vectors
    ordered = named_nodes(store, kind)[0]
    ordered = ordered[np.isin(ordered, ids)]
    return ordered, vectors[np.searchsorted(ids, ordered)]
