"""Where each piece of work of the language model stands."""

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
    """What became of one node in one stage."""

    model: str
    """`Engine.identity` of the model that was asked."""
    prompt: str
    """`Stage.prompt_version`"""
    input_hash: str
    """Of its requests, in order, with a space between; "" where there was nothing to ask, or no answer came."""
    status: str
    """`work.Status`"""
    error: str
    """Why it failed; "" where it did not."""
    accepted: int
    rejected: int


@dataclass(frozen=True, slots=True)
class ItemCounts:
    """How a stage stands."""

    done: int
    failed: int
    accepted: int
    """Statements taken over, of all items."""
    rejected: int
    """Statements that were not."""

    @property
    def rejected_share(self) -> float | None:
        """Of all statements; None where there are none."""
        statements = self.accepted + self.rejected
        return self.rejected / statements if statements else None


class WorkItemRows:
    """The table `work_items`. An item is written in the transaction of its result."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def state(self, stage: str) -> dict[int, WorkItem]:
        """Node id -> where it stands, for every item of a stage that was tried."""
        rows = self._store.rows(
            "SELECT node_id, model, prompt, input_hash, status, error, accepted, rejected FROM work_items"
            " WHERE stage = ? ORDER BY node_id",
            (stage,),
        )
        return {node: WorkItem(*rest) for node, *rest in rows}

    def put(self, stage: str, node: int, item: WorkItem) -> None:
        """Notes where an item stands, in place of what was noted before."""
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
        """Names of the stages that have items, ascending."""
        return [name for (name,) in self._store.rows("SELECT DISTINCT stage FROM work_items ORDER BY stage")]

    def counts(self, stage: str) -> ItemCounts:
        """Done and failed items, statements taken over and rejected."""
        (row,) = self._store.rows(_COUNTS, (stage,))
        return ItemCounts(*row)

    def remove(self, stage: str, nodes: Iterable[int]) -> None:
        """As if these items of a stage had never been tried."""
        with self._store.transaction():
            self._store.run_many(
                "DELETE FROM work_items WHERE stage = ? AND node_id = ?", ((stage, int(node)) for node in nodes)
            )

    def forget(self, stage: str) -> None:
        """As if no item of the stage had ever been tried."""
        with self._store.transaction():
            self._store.run("DELETE FROM work_items WHERE stage = ?", (stage,))
