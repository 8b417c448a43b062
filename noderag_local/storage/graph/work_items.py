"""Stores work items: the state of the language model's work on each node."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from noderag_local.storage.database.store import Store

_COUNTS = """
SELECT coalesce(sum(status = 'done'), 0), coalesce(sum(status = 'failed'), 0),
  coalesce(sum(accepted), 0), coalesce(sum(rejected), 0)
FROM work_items WHERE stage = ?
"""


@dataclass(frozen=True, slots=True)
class WorkItem:
    """State of one stage's work on one node."""

    model: str
    """`Engine.identity` of the model that was asked."""
    prompt: str
    """`Stage.prompt_version` of the prompt that was used."""
    input_hash: str
    """Hashes of the item's requests in order, separated by spaces; "" if there was nothing to ask or no answer came."""
    status: str
    """Value of a `Status`."""
    error: str
    """Reason for a failure; "" if the work did not fail."""
    accepted: int
    rejected: int


@dataclass(frozen=True, slots=True)
class ItemCounts:
    """Numbers of items and statements of a stage."""

    done: int
    failed: int
    accepted: int
    """Number of statements that were accepted, over all items."""
    rejected: int
    """Number of statements that were rejected, over all items."""

    @property
    def rejected_share(self) -> float | None:
        """Returns the share of rejected statements among all; None if there are no statements."""
        statements = self.accepted + self.rejected
        return self.rejected / statements if statements else None


class WorkItemRows:
    """The table `work_items`. An item is written in the same transaction as its result."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def state(self, stage: str) -> dict[int, WorkItem]:
        """Returns node id -> work item for all items of a stage that were tried."""
        rows = self._store.rows(
            "SELECT node_id, model, prompt, input_hash, status, error, accepted, rejected FROM work_items"
            " WHERE stage = ? ORDER BY node_id",
            (stage,),
        )
        return {node: WorkItem(*rest) for node, *rest in rows}

    def input_hash(self, stage: str, node: int) -> str | None:
        """Returns the hashes of the requests of an item, as `WorkItem.input_hash`; None if it was not tried."""
        rows = self._store.rows("SELECT input_hash FROM work_items WHERE stage = ? AND node_id = ?", (stage, node))
        return rows[0][0] if rows else None

    def put(self, stage: str, node: int, item: WorkItem) -> None:
        """Stores or replaces the state of an item."""
        with self._store.transaction():
            self._store.run(
                "INSERT OR REPLACE INTO work_items"
                " (stage, node_id, model, prompt, input_hash, status, error, accepted, rejected)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    stage,
                    node,
                    item.model,
                    item.prompt,
                    item.input_hash,
                    str(item.status),
                    item.error,
                    item.accepted,
                    item.rejected,
                ),
            )

    def stages(self) -> list[str]:
        """Returns the names of the stages that have items, sorted."""
        return [name for (name,) in self._store.rows("SELECT DISTINCT stage FROM work_items ORDER BY stage")]

    def counts(self, stage: str) -> ItemCounts:
        """Counts done and failed items, and accepted and rejected statements."""
        (row,) = self._store.rows(_COUNTS, (stage,))
        return ItemCounts(*row)

    def remove(self, stage: str, nodes: Iterable[int]) -> None:
        """Removes the given items of a stage, so that they count as untried."""
        with self._store.transaction():
            self._store.run_many(
                "DELETE FROM work_items WHERE stage = ? AND node_id = ?", ((stage, int(node)) for node in nodes)
            )

    def forget(self, stage: str) -> None:
        """Removes all items of a stage, so that they count as untried."""
        with self._store.transaction():
            self._store.run("DELETE FROM work_items WHERE stage = ?", (stage,))
