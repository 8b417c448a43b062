"""Stores the bound of each sentence's list of nearest sentences, by which a change finds the lists that it affects."""

from __future__ import annotations

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
JOIN files f ON f.id = d.file_id ORDER BY f.path, d.record, c.position, s.position
"""


_BEHIND = """
SELECT EXISTS (SELECT 1 FROM semantic_reach WHERE cosine IS NULL)
  OR (SELECT count(*) FROM sentences WHERE id IN (SELECT node_id FROM embeddings)) <> (SELECT count(*) FROM semantic_reach)
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
        return bool(self._store.value(_BEHIND))

    def read(self) -> NeighbourBounds:
        """Returns the bounds of all lists."""
        rows = self._store.rows("SELECT sentence_id, cosine, last_id FROM semantic_reach ORDER BY sentence_id")
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
        by_place = integers(self._store.rows(_BY_PLACE))
        # Sorting the ids gives, for each, the place that it had.
        by_id = np.argsort(by_place)
        return by_id[np.searchsorted(by_place[by_id], sentence_ids)]
