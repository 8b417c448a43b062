"""Keeps the vectors of all sentences, or an index of them, in memory between the runs of a process, so that only changes are read.

Reading 24,115 vectors and converting them to float32 takes 70 ms, more than all other work after a small change.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.graph import NodeType
from noderag_local.storage.database.store import Store
from noderag_local.storage.vectors.hnsw import Hnsw
from noderag_local.storage.vectors.vector_index import VectorIndex, saved_hnsw
from noderag_local.storage.vectors.vectors import VectorRows

_NOTE = "BEGIN INSERT OR IGNORE INTO moved_vectors (id) VALUES ({row}.node_id); END"
_FOLLOW = (
    "CREATE TEMP TABLE IF NOT EXISTS moved_vectors (id INTEGER PRIMARY KEY)",
    "DELETE FROM temp.moved_vectors",
    *(
        f"CREATE TEMP TRIGGER IF NOT EXISTS {event}_vectors AFTER {event} ON main.embeddings {_NOTE.format(row=row)}"
        for event, row in (("insert", "new"), ("delete", "old"), ("update", "new"))
    ),
)


class SentenceVectors:
    """Vectors of all sentences, valid for the state that the last run left; read again if another process has written.

    Attributes:
        ids: (n,) int64, ascending.
        rows: (n, dim) float32, each number one of float16; unit rows.
        hnsw: index of all vectors by the sentences' ids; only for large vaults, which do without `ids` and `rows`.
    """

    def __init__(self) -> None:
        self.ids: NDArray[np.int64] = np.empty(0, np.int64)
        self.rows: NDArray[np.float32] = np.empty((0, 0), np.float32)
        self.hnsw: Hnsw | None = None
        self._stamp = ""
        self._is_followed = False

    def follow(self, store: Store) -> None:
        """Starts a run; must be called before anything is written."""
        self._is_followed = bool(self._stamp) and self._stamp == store.stamp
        if not self._is_followed:
            self.drop()
            return
        for statement in _FOLLOW:
            store.run(statement)

    def read(self, store: Store) -> None:
        """Updates `ids` and `rows` to the present state of the store."""
        if self._is_followed and len(self.ids):
            self._carry_over(store)
            return
        # A vault that had an index until now has become small, or is read without one.
        self.hnsw = None
        index = VectorIndex.open(store, NodeType.SENTENCE)
        self.ids, self.rows = index.ids, index.vectors.astype(np.float32)

    def read_index(self, store: Store, advanced: Callable[[int, int], None] = lambda done, total: None) -> None:
        """Updates `hnsw` to the present state of the store; it stays None if there is no index that can be updated.

        Args:
            store: the vault.
            advanced: called now and then with the number of vectors that are added and their total.
        """
        moved = "temp.moved_vectors"
        if self.hnsw is None or not self._is_followed:
            dimension = int(store.value("SELECT length(vector) / 2 FROM embeddings LIMIT 1") or 0)
            self.hnsw, moved = saved_hnsw(store, dimension), "_changed_vectors"
        if self.hnsw is None:
            return
        self.ids, self.rows = np.empty(0, np.int64), np.empty((0, 0), np.float32)
        changed = np.array([number for (number,) in store.rows(f"SELECT id FROM {moved} ORDER BY id")], np.int64)
        if self._is_followed:
            store.run("DELETE FROM temp.moved_vectors")
        if len(changed):
            self.hnsw.remove(changed)
            ids, rows = VectorRows(store).of_type_among(NodeType.SENTENCE, changed.tolist())
            for done in self.hnsw.add(ids, rows):
                advanced(done, len(ids))

    def keep(self, store: Store) -> None:
        """Ends a run: marks the vectors as valid for the store's present state, unless they changed after `read`."""
        if self._is_followed and store.value("SELECT EXISTS (SELECT 1 FROM temp.moved_vectors)"):
            self.drop()
        self._stamp = store.stamp if len(self.ids) or self.hnsw is not None else ""

    def read_anew(self) -> None:
        """Forgets the vectors and the index, so that the next `read` reads all: after another model's have replaced them, for example."""
        self._is_followed = False
        self.drop()

    def drop(self) -> None:
        """Drops the vectors, which may be outdated."""
        self.ids, self.rows, self._stamp = np.empty(0, np.int64), np.empty((0, 0), np.float32), ""
        self.hnsw = None

    def _carry_over(self, store: Store) -> None:
        moved = [number for (number,) in store.rows("SELECT id FROM temp.moved_vectors ORDER BY id")]
        if not moved:
            return
        store.run("DELETE FROM temp.moved_vectors")
        ids, rows = VectorRows(store).of_type_among(NodeType.SENTENCE, moved)
        gone = np.flatnonzero(np.isin(self.ids, moved))
        # Slices, because a mask over all rows would make another copy.
        first, *others = np.split(self.rows, gone)
        kept = [first, *(part[1:] for part in others)]
        joined = np.concatenate([np.delete(self.ids, gone), ids])
        self.rows = np.concatenate([*kept, rows.astype(np.float32).reshape(len(ids), self.rows.shape[1])])
        if (np.diff(joined) < 0).any():
            order = np.argsort(joined)
            joined, self.rows = joined[order], self.rows[order]
        self.ids = joined
