"""Finds out how far each stage of a plan has come, without changing anything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from noderag_local.domain.stage_progress import StageProgress
from noderag_local.graph.summaries.model_stage import Stage
from noderag_local.pipeline.backlog import is_settled
from noderag_local.pipeline.plan import Part, is_stage, is_step, stages_of
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.work_items import WorkItemRows


def stage_states(store: Store, plans: Iterable[Sequence[Part]]) -> tuple[StageProgress, ...]:
    """Returns the progress of each stage of some plans, whichever models were asked; of a stage that they share, once."""
    found: dict[str, StageProgress] = {}
    for plan in plans:
        for state in _of_plan(store, plan, found):
            found[state.name] = state
    return tuple(found.values())


def _of_plan(store: Store, plan: Sequence[Part], found: Mapping[str, StageProgress]) -> Iterator[StageProgress]:
    """Yields the progress of each stage of a plan.

    A stage makes the items of those behind it, and so do the steps. So a stage behind something that has not ended may still
    get items, although all that it has are done. The items of a plan that never began are not looked for: that takes seconds.

    Args:
        store: the vault.
        plan: stages and steps, in order.
        found: states of the stages that are known from another plan.
    """
    begun = set(WorkItemRows(store).stages())
    waits = not any(stage.name in begun for stage in stages_of(plan))
    for part in plan:
        if is_step(part):
            waits = waits or part.needed(store)
        elif is_stage(part):
            is_sought = part.name in begun or not waits
            state = found.get(part.name) or (
                _state(store, part, waits) if is_sought else StageProgress(part.name, 0, 0, True)
            )
            waits = not state.is_finished
            yield state


def _state(store: Store, stage: Stage, waits: bool) -> StageProgress:
    items, known = stage.items(store), WorkItemRows(store).state(stage.name)
    done = sum(node in known and is_settled(store, stage, node, known[node]) for node in items)
    return StageProgress(stage.name, done, len(items), waits)
