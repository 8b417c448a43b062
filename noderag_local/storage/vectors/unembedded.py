"""Stores the texts on which an embedding model failed, so that they are not tried again with the same model.

Each record belongs to a node (`work_items.node_id`), so it is removed when the node's document changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from noderag_local.storage.database.fact_names import COMING_BY, EMBEDDED_BY
from noderag_local.storage.database.spelling import path_of
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.work_items import WorkItem, WorkItemRows

FAILED_TEXTS = "texts without a vector"
"""Stage of the work items; each is a failure."""
NODES = f"SELECT node_id FROM work_items WHERE stage = '{FAILED_TEXTS}' AND model = ?"
"""Nodes for which a model, by its identity, gave no vector."""

_DOCUMENTS = f"""
SELECT path, record, sum(w.node_id IS NOT NULL), count(*), max(w.error)
FROM documents d JOIN files f ON f.id = d.file_id JOIN chunks c ON c.document_id = d.id
LEFT JOIN work_items w ON w.stage = '{FAILED_TEXTS}' AND w.model = ? AND w.node_id = c.id
WHERE d.id IN (SELECT document_id FROM chunks WHERE id IN ({NODES})) GROUP BY d.id ORDER BY path, record
"""


@dataclass(frozen=True, slots=True)
class UnembeddedDocument:
    """A document with chunks that have no vector, as the embedding model failed on them."""

    path: str
    record: int
    failed_chunks: int
    chunks: int
    error: str
    """Name of the error's class."""


class UnembeddedRows:
    """The work items of texts for which an embedding model gave no vector."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def put(self, node_ids: Iterable[int], model: str, error: str) -> None:
        """Notes that a model, by its identity, failed on nodes."""
        rows = WorkItemRows(self._store)
        for node in node_ids:
            rows.put(FAILED_TEXTS, node, WorkItem(model, "", "", "failed", error, 0, 0))

    def nodes(self, model: str) -> set[int]:
        """Returns the nodes on which a model failed."""
        return {node for (node,) in self._store.rows(NODES, (model,))}

    def documents(self, model: str) -> list[UnembeddedDocument]:
        """Returns the documents with chunks on which a model failed, by path, then record."""
        rows = self._store.rows(_DOCUMENTS, (model, model))
        return [UnembeddedDocument(path_of(path), *rest) for path, *rest in rows]

    def remove(self, node_ids: Iterable[int]) -> None:
        """Removes the records of these nodes, so that they are embedded again."""
        WorkItemRows(self._store).remove(FAILED_TEXTS, node_ids)

    def clear(self) -> None:
        """Removes all records, so that all texts are embedded again."""
        WorkItemRows(self._store).forget(FAILED_TEXTS)

    def keep_only_of_present_models(self) -> None:
        """Removes the records of models that this vault no longer uses."""
        present = (self._store.facts.get(EMBEDDED_BY, ""), self._store.facts.get(COMING_BY, ""))
        with self._store.transaction():
            self._store.run(f"DELETE FROM work_items WHERE stage = '{FAILED_TEXTS}' AND model NOT IN (?, ?)", present)
