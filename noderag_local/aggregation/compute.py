"""Answers a question by computing, where it asks for that and the notes decide it."""

from __future__ import annotations

from datetime import date

from noderag_local.aggregation.computed import Computed
from noderag_local.aggregation.described import (
    borrower,
    identified,
    several_identified,
    told_of_described,
    told_on_page,
    trails_of,
)
from noderag_local.aggregation.entries import Entries, NoteEntry
from noderag_local.aggregation.operation_cues import Operation
from noderag_local.aggregation.operations.agenda import agenda, beside
from noderag_local.aggregation.operations.amounts import is_price, total
from noderag_local.aggregation.operations.compared import compared
from noderag_local.aggregation.operations.counting import moment, times
from noderag_local.aggregation.operations.day_quotes import said_in_time, said_on_day
from noderag_local.aggregation.operations.debts import still_owed
from noderag_local.aggregation.operations.listing import members, notes_of_a_kind, notes_to_judge
from noderag_local.aggregation.operations.measured import measured
from noderag_local.aggregation.operations.newest import present_state
from noderag_local.aggregation.operations.open_tasks import open_tasks
from noderag_local.aggregation.operations.ordering import earlier_or_later
from noderag_local.aggregation.operations.purchases import bought
from noderag_local.aggregation.operations.side_by_side import side_by_side
from noderag_local.aggregation.plan import Plan, plans


def computed(question: str, entries: Entries, today: date) -> Computed | None:
    """Returns the answer to a question that asks for a count, a sum, a day, an order, a list, the present state, or who it was.

    Args:
        question: the question in the user's own words.
        entries: the notes.
        today: day that the question is asked on.
    """
    for plan in plans(question, today, entries.knows):
        if found := _computed(plan, entries, today):
            return found
    trails = trails_of(question, entries)
    return (
        identified(trails)
        or several_identified(trails)
        or told_of_described(trails)
        or told_on_page(trails)
        or borrower(question, entries)
    )


def to_judge(question: str, entries: Entries, today: date) -> list[list[NoteEntry]]:
    """Returns the entries of each note that a model has to judge to answer a question; nothing where notes need no judging.

    Arguments as for `computed`, which comes first.
    """
    lists = (Operation.LIST, Operation.COUNT_ITEMS)
    for plan in plans(question, today, entries.knows):
        if plan.operation in lists and (found := notes_to_judge(plan, entries)):
            return list(found.values())
    return []


def _computed(plan: Plan, entries: Entries, today: date) -> Computed | None:
    match plan.operation:
        case Operation.COUNT:
            return times(plan, entries, today)
        case Operation.WHEN | Operation.FIRST | Operation.LAST:
            return moment(plan, entries, today)
        case Operation.SUM:
            asks_sum = plan.phrases.has("spent", plan.words) or not is_price(plan)
            return total(plan, entries) or (measured(plan, entries, today) if asks_sum else None)
        case Operation.COMPARED:
            return compared(plan, entries)
        case Operation.SIDE_BY_SIDE:
            return side_by_side(plan, entries)
        case Operation.BOUGHT:
            return bought(plan, entries, today)
        case Operation.MEASURED_SUM | Operation.AVERAGE | Operation.EXTREME:
            return measured(plan, entries, today)
        case Operation.OWED_TO_ME | Operation.OWED_BY_ME:
            return still_owed(plan, entries, today)
        case Operation.SOONER | Operation.LATER:
            return earlier_or_later(plan, entries, today)
        case Operation.LIST | Operation.COUNT_ITEMS:
            return notes_of_a_kind(plan, entries)
        case Operation.MEMBERS:
            return members(plan, entries)
        case Operation.TASKS:
            return open_tasks(plan, entries)
        case Operation.AGENDA:
            return agenda(plan, entries, today) or said_on_day(plan, entries)
        case Operation.DAY_BEFORE | Operation.DAY_AFTER:
            return beside(plan, entries, today)
        case Operation.SAID_ON_DAY:
            return said_on_day(plan, entries)
        case Operation.SAID_IN_TIME:
            return said_in_time(plan, entries)
        case Operation.NEWEST:
            return present_state(plan, entries)
