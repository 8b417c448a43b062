"""Stores embeddings as float16 rows, from which all vector caches are made."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.errors import StoreError
from noderag_local.domain.graph import NodeType
from noderag_local.storage.database.columns import integers
from noderag_local.storage.database.fact_names import COMING_BY, EMBEDDED_BY
from noderag_local.storage.database.sqlite_errors import damaged
from noderag_local.storage.database.store import Row, Store
from noderag_local.storage.graph.whole_graph import named_nodes
from noderag_local.storage.vectors.unembedded import NODES, UnembeddedRows

_IDS_OF = {NodeType.SENTENCE: "SELECT id FROM sentences", NodeType.TEXT: "SELECT id FROM chunks"}
_WITH_KEY = "SELECT id FROM nodes WHERE type = '{kind}' AND key IS NOT NULL"
"""Nodes of any other type; all of these have keys. Without the condition, the whole table of nodes is read."""
_AMONG = "{ids} WHERE id IN (SELECT value FROM json_each(?))"
_ROW_TYPE = np.dtype("<f2")
_AT_ONCE = 1 << 14
"""Vectors of a matrix that are read at once."""


class VectorRows:
    """The vectors of a vault, or the vectors of another model that will replace them."""

    def __init__(self, store: Store, *, coming: bool = False) -> None:
        """Takes a vault; `coming` selects the vectors of the next model, which searches do not use yet."""
        self._store = store
        self._is_coming = coming
        self._table = "coming_embeddings" if coming else "embeddings"

    def put(self, node_ids: Iterable[int], vectors: NDArray[np.floating]) -> None:
        """Writes vectors and replaces existing ones.

        Args:
            node_ids: (m,) ids of nodes of any type.
            vectors: (m, dim) unit rows, stored as float16.

        Raises:
            StoreError: the numbers of ids and rows differ, or the vectors have another length than the stored ones.
        """
        numbers = [int(number) for number in node_ids]
        if vectors.ndim != 2 or len(numbers) != len(vectors):
            raise StoreError(f"{len(numbers)} ids for vectors of shape {vectors.shape}; one row an id is needed.")
        rows = np.ascontiguousarray(vectors, _ROW_TYPE)
        with self._store.transaction():
            self._refuse_other_length(vectors.shape[1])
            self._touch()
            self._store.run_many(
                f"INSERT OR REPLACE INTO {self._table} (node_id, vector) VALUES (?, ?)",
                ((number, row.tobytes()) for number, row in zip(numbers, rows, strict=True)),
            )

    def _refuse_other_length(self, dimension: int) -> None:
        stored = self._store.value(f"SELECT length(vector) FROM {self._table} LIMIT 1")
        if stored is not None and stored != dimension * _ROW_TYPE.itemsize:
            raise StoreError(
                f"Vectors of {dimension} numbers cannot join those of {stored // _ROW_TYPE.itemsize} in {self._store.path}: "
                "they are of another model. Clear the old ones first."
            )

    def missing_chunks(self) -> list[int]:
        """Returns the ids, ascending, of chunks that have no embedding or contain a sentence without one.

        Chunks on which the model failed are left out.
        """
        rows = self._store.rows(
            f"SELECT id FROM chunks WHERE {self._untried} UNION SELECT chunk_id FROM sentences WHERE {self._untried} ORDER BY 1",
            (self._model, self._model),
        )
        return [number for (number,) in rows]

    def missing_nodes(self, kind: NodeType) -> list[int]:
        """Returns the ids, ascending, of nodes of a type with keys that have no embedding; nodes whose text changed lose theirs.

        Nodes on which the model failed are left out.
        """
        rows = self._store.rows(f"{_WITH_KEY.format(kind=kind)} AND {self._untried} ORDER BY id", (self._model,))
        return [number for (number,) in rows]

    def failed_nodes(self) -> set[int]:
        """Returns the nodes that have no embedding because the model failed on them."""
        return UnembeddedRows(self._store).nodes(self._model)

    def note_failures(self, node_ids: Iterable[int], error: str) -> None:
        """Notes that the model failed on nodes, with the name of the error's class."""
        UnembeddedRows(self._store).put(node_ids, self._model, error)

    def matrix(self, kind: NodeType) -> tuple[NDArray[np.int64], NDArray[np.float16]]:
        """Returns the vectors of all nodes of a type: ids (n,) ascending, rows (n, dim)."""
        # A join would read the pages of the texts: 50 ms in place of 24 ms for 24,115 sentences.
        of_type = _IDS_OF.get(kind, _WITH_KEY.format(kind=kind))
        chosen = f"node_id IN ({of_type})"
        total = int(self._store.value(f"SELECT count(*) FROM {self._table} WHERE {chosen}"))
        # With the plus, SQLite reads the whole table, each part from the last id on; without, it looks up all ids of the type for each
        # part. A large vault may have few vectors of a type, or none.
        chosen = f"+{chosen}" if total > _AT_ONCE else chosen
        page = f"{self._vectors} WHERE {chosen} AND node_id > ? ORDER BY node_id LIMIT {_AT_ONCE}"
        ids, rows = self._matrix(self._store.rows(page, (-1,)))
        if len(ids) == total:
            return ids, rows
        # In parts, since each vector is an object of its own before it is in the matrix, which takes as much memory again.
        all_ids, all_rows = np.empty(total, np.int64), np.empty((total, rows.shape[1]), np.float16)
        at = 0
        while len(ids):
            part = slice(at, at + len(ids))
            all_ids[part], all_rows[part] = ids, self._of_length(rows, all_rows.shape[1])
            at = part.stop
            ids, rows = self._matrix(self._store.rows(page, (int(ids[-1]),)))
        return all_ids, all_rows

    def of_type_among(self, kind: NodeType, node_ids: Iterable[int]) -> tuple[NDArray[np.int64], NDArray[np.float16]]:
        """Returns ids and vectors, as `matrix` does, of those of the given nodes that are chunks, or that are sentences."""
        wanted = json.dumps([int(number) for number in node_ids])
        among = _AMONG.format(ids=_IDS_OF[kind])
        return self._matrix(self._store.rows(f"{self._vectors} WHERE node_id IN ({among}) ORDER BY node_id", (wanted,)))

    def remove(self, node_ids: Iterable[int]) -> None:
        """Removes the vectors of nodes, for example after a change of their texts; nodes without vectors are ignored."""
        numbers = [int(number) for number in node_ids]
        with self._store.transaction():
            self._store.touch()
            self._store.run_many(f"DELETE FROM {self._table} WHERE node_id = ?", ((number,) for number in numbers))
            UnembeddedRows(self._store).remove(numbers)

    def has_any(self) -> bool:
        """Returns whether there is a vector."""
        return bool(self._store.value(f"SELECT EXISTS (SELECT 1 FROM {self._table})"))

    def count(self) -> int:
        """Returns the number of vectors of all types."""
        return int(self._store.value(f"SELECT count(*) FROM {self._table}"))

    def count_of(self, kind: NodeType) -> int:
        """Returns the number of vectors of chunks, or of sentences."""
        return int(self._store.value(f"SELECT count(*) FROM {self._table} WHERE node_id IN ({_IDS_OF[kind]})"))

    def clear(self) -> None:
        """Removes all vectors, so that another model can make new ones."""
        with self._store.transaction():
            self._touch()
            self._store.run(f"DELETE FROM {self._table}")

    def take_over(self) -> None:
        """Replaces the vault's vectors by the coming ones."""
        with self._store.transaction():
            self._store.touch()
            self._store.run("DELETE FROM embeddings")
            self._store.run(
                "INSERT INTO embeddings (node_id, vector) SELECT node_id, vector FROM coming_embeddings ORDER BY node_id"
            )
            self._store.run("DELETE FROM coming_embeddings")

    @property
    def _model(self) -> str:
        """Identity of the model that makes these vectors."""
        return self._store.facts.get(COMING_BY if self._is_coming else EMBEDDED_BY, "")

    @property
    def _untried(self) -> str:
        """Condition, with the model's identity as its parameter, that a node has no vector and the model has not failed on it."""
        return f"id NOT IN (SELECT node_id FROM {self._table}) AND id NOT IN ({NODES})"

    @property
    def _vectors(self) -> str:
        return f"SELECT node_id, vector FROM {self._table}"

    def _touch(self) -> None:
        """Marks the store as changed for searches, unless these are the coming vectors, which searches do not use."""
        if not self._is_coming:
            self._store.touch()

    def _of_length(self, rows: NDArray[np.float16], dimension: int) -> NDArray[np.float16]:
        if rows.shape[1] != dimension:
            raise damaged(self._store.path, "its vectors have different lengths")
        return rows

    def _matrix(self, rows: Sequence[Row]) -> tuple[NDArray[np.int64], NDArray[np.float16]]:
        """Returns ids (n,) and vectors (n, dim)."""
        try:
            flat = np.frombuffer(b"".join([row[1] for row in rows]), _ROW_TYPE).astype(np.float16, copy=False)
            return integers(rows), flat.reshape(len(rows), -1 if rows else 0)
        except (TypeError, ValueError) as error:
            raise damaged(self._store.path, f"its vectors have different lengths: {error}") from error


@dataclass(frozen=True)
class KeyedVectors:
    """Vectors of nodes, ordered by type as requested, then by key; chunks and sentences are in reading order."""

    ids: NDArray[np.int64]
    """(n,)"""
    types: tuple[NodeType, ...]
    """(n,)"""
    vectors: NDArray[np.float16]
    """(n, dim), unit rows"""

    def rows_of(self, kind: NodeType) -> NDArray[np.int64]:
        """Returns the rows of a type, ascending."""
        return np.flatnonzero(np.array([found is kind for found in self.types], dtype=bool))

    @property
    def digest(self) -> str:
        """Returns the hexadecimal SHA-256 of all ids and vectors."""
        hashed = hashlib.sha256(repr((self.vectors.shape, [str(kind) for kind in self.types])).encode())
        hashed.update(np.ascontiguousarray(self.ids).tobytes())
        hashed.update(np.ascontiguousarray(self.vectors).tobytes())
        return hashed.hexdigest()


def read_keyed_vectors(store: Store, kinds: Sequence[NodeType]) -> KeyedVectors:
    """Reads all vectors of the given types; nodes without a vector are left out."""
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
