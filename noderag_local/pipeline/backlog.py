"""Lists the items of a stage and finds those that are still to be done."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from noderag_local.graph.summaries.model_stage import Stage, Status
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.work_items import WorkItem, WorkItemRows


@dataclass(frozen=True, slots=True)
class Backlog:
    """All items of a stage and those that are pending."""

    items: tuple[int, ...]
    """All items, in the order in which they are done."""
    pending: tuple[int, ...]
    """Items to do, in the same order."""
    outdated: frozenset[int] = frozenset()
    """Pending items that this model has done with another version of the prompt."""

    def within(self, share: float | None) -> Backlog:
        """Returns the backlog limited to the first `share` (0 to 1) of the items; None means all."""
        if share is None:
            return self
        items = self.items[: math.ceil(share * len(self.items))]
        allowed = set(items)
        return Backlog(items, tuple(node for node in self.pending if node in allowed), self.outdated & allowed)


def backlog(store: Store, stage: Stage, identity: str, *, keep_old: bool = False) -> Backlog:
    """Returns the items of a stage and those that this model has not done with this version of the prompt.

    Results and records of nodes that are no longer items are removed.

    Args:
        store: the vault, open for writing.
        stage: the stage.
        identity: identity of the model.
        keep_old: whether results of an older version of the prompt count as done.
    """
    rows = WorkItemRows(store)
    with store.transaction():
        items = tuple(stage.items(store))
        stage.forget_others(store, items)
        state = rows.state(stage.name)
        gone = state.keys() - set(items)
        rows.remove(stage.name, sorted(gone))
    pending = [node for node in items if _is_pending(store, stage, identity, node, state.get(node))]
    outdated = frozenset(node for node in pending if _is_outdated(stage, identity, state.get(node)))
    if keep_old:
        return Backlog(items, tuple(node for node in pending if node not in outdated))
    return Backlog(items, tuple(pending), outdated)


def _is_outdated(stage: Stage, identity: str, item: WorkItem | None) -> bool:
    return item is not None and item.model == identity and item.prompt != stage.prompt_version


def left(store: Store, stage: Stage, identity: str, items: Sequence[int]) -> int:
    """Returns the number of items that are still to be done."""
    state = WorkItemRows(store).state(stage.name)
    return sum(_is_pending(store, stage, identity, node, state.get(node)) for node in items)


def _is_pending(store: Store, stage: Stage, identity: str, node: int, item: WorkItem | None) -> bool:
    return item is None or item.model != identity or not is_settled(store, stage, node, item)


def is_settled(store: Store, stage: Stage, node: int, item: WorkItem) -> bool:
    """Returns whether the model that was asked about an item need not be asked again."""
    # An item without an answer failed because of the engine, so it is tried again.
    has_no_answer = item.status == Status.FAILED and not item.input_hash
    return item.prompt == stage.prompt_version and not has_no_answer and not stage.is_stale(store, node)
