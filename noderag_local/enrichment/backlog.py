"""What a stage still has to do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from noderag_local.store.database import Store
from noderag_local.store.work_items import WorkItem, WorkItemRows
from noderag_local.work import Stage, Status


@dataclass(frozen=True, slots=True)
class Backlog:
    """The items of a stage."""

    items: tuple[int, ...]
    """All of them, in the order to do them."""
    pending: tuple[int, ...]
    """Those to do, in the same order."""

    def within(self, share: float | None) -> Backlog:
        """Of the first share of the items."""
        if share is None:
            return self
        items = self.items[: math.ceil(share * len(self.items))]
        allowed = set(items)
        return Backlog(items, tuple(node for node in self.pending if node in allowed))


def backlog(store: Store, stage: Stage, identity: str) -> Backlog:
    """Asks the stage for its items and looks which of them were done, by this model and this prompt.

    Items that are not among them any more are forgotten, as the stage has dropped what it made of them.
    """
    rows = WorkItemRows(store)
    with store.transaction():
        items = tuple(stage.items(store))
        state = rows.state(stage.name)
        gone = state.keys() - set(items)
        rows.remove(stage.name, sorted(gone))
    pending = tuple(node for node in items if _is_pending(store, stage, identity, node, state.get(node)))
    return Backlog(items, pending)


def left(store: Store, stage: Stage, identity: str, items: Sequence[int]) -> int:
    """How many of the items are still to be done."""
    state = WorkItemRows(store).state(stage.name)
    return sum(_is_pending(store, stage, identity, node, state.get(node)) for node in items)


def _is_pending(store: Store, stage: Stage, identity: str, node: int, item: WorkItem | None) -> bool:
    if item is None or (item.model, item.prompt) != (identity, stage.prompt_version):
        return True
    # One that failed without an answer failed by the engine, which may be in better health today.
    has_no_answer = item.status == Status.FAILED and not item.input_hash
    return has_no_answer or stage.is_stale(store, node)
