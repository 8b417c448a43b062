"""Stores the bound of each sentence's list of nearest sentences, by which a change finds the lists that it affects."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noderag_local.storage.database.columns import integers
from noderag_local.storage.database.store import Store

NOWHERE = -1
"""Value in place of the last sentence's id for a list that contains all sentences."""
_BY_PLACE = """
SELECT s.id FROM sentences s JOIN chunks c ON c.id = s.chunk_id JOIN documents d ON d.id = c.document_id
JOIN files f ON f.id = d.file_id {among} ORDER BY f.path, d.record, c.position, s.position
"""
_AMONG = "WHERE s.id IN (SELECT value FROM json_each(?))"
_FEW = 50_000
"""Sentences up to which their places are looked up one by one."""
# With the plus, SQLite looks for the lists first and then for the vectors of the few sentences without one.
_WITHOUT_LIST = """
SELECT id FROM sentences
WHERE id NOT IN (SELECT sentence_id FROM semantic_reach) AND +id IN (SELECT node_id FROM embeddings)
UNION SELECT sentence_id FROM semantic_reach WHERE cosine IS NULL ORDER BY 1
"""


@dataclass(frozen=True, slots=True)
class NeighbourBounds:
    """The last entries of r lists of nearest sentences, in the order of the sentences' ids."""

    ids: NDArray[np.int64]
    """(r,), ascending"""
    cosines: NDArray[np.float64]
    """(r,) cosine of the last sentence on the list; NaN if a sentence of the list was removed"""
    last_ids: NDArray[np.int64]
    """(r,) id of the last sentence on the list; NOWHERE if the list contains all sentences"""


class NeighbourBoundRows:
    """The table `semantic_reach`; new and moved sentences have no row."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def is_behind(self) -> bool:
        """Returns whether any sentence has no list, or a list with a gap."""
        return bool(len(self.behind()))

    def behind(self) -> NDArray[np.int64]:
        """Returns the ids, ascending, of sentences that have a vector, but no list or one with a gap."""
        return integers(self._store.rows(_WITHOUT_LIST))

    def read(self, among: NDArray[np.int64] | None = None) -> NeighbourBounds:
        """Returns the bounds of the lists of some sentences; None for all."""
        where = "" if among is None else "WHERE sentence_id IN (SELECT value FROM json_each(?))"
        rows = self._store.rows(
            f"SELECT sentence_id, cosine, last_id FROM semantic_reach {where} ORDER BY sentence_id",
            () if among is None else (json.dumps(among.tolist()),),
        )
        ids, cosines, last_ids = zip(*rows, strict=True) if rows else ((), (), ())
        return NeighbourBounds(
            np.array(ids, np.int64),
            np.array(cosines, np.float64),
            np.array([NOWHERE if last is None else last for last in last_ids], np.int64),
        )

    def put(self, bounds: NeighbourBounds) -> None:
        """Stores or replaces the bounds of some lists."""
        columns = zip(bounds.ids.tolist(), bounds.cosines.tolist(), bounds.last_ids.tolist(), strict=True)
        with self._store.transaction():
            self._store.run_many(
                "INSERT OR REPLACE INTO semantic_reach (sentence_id, cosine, last_id) VALUES (?, ?, ?)",
                ((number, cosine, None if last == NOWHERE else last) for number, cosine, last in columns),
            )

    def forget(self, sentence_ids: Iterable[int]) -> None:
        """Removes the bounds of new or moved sentences, since the place breaks ties between equally near sentences."""
        with self._store.transaction():
            self._store.run_many(
                "DELETE FROM semantic_reach WHERE sentence_id = ?", ((int(number),) for number in sentence_ids)
            )

    def clear(self) -> None:
        """Forgets all lists."""
        with self._store.transaction():
            self._store.run("DELETE FROM semantic_reach")

    def ranks(self, sentence_ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Returns (n,) the rank of each sentence by file, record and position, which does not depend on ids.

        Args:
            sentence_ids: (n,) ids of existing sentences, ascending.
        """
        among = (_AMONG, (json.dumps(sentence_ids.tolist()),)) if len(sentence_ids) <= _FEW else ("", ())
        by_place = integers(self._store.rows(_BY_PLACE.format(among=among[0]), among[1]))
        # Sorting the ids gives, for each, the place that it had.
        by_id = np.argsort(by_place)
        return by_id[np.searchsorted(by_place[by_id], sentence_ids)]
