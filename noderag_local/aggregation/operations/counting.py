"""Counts how often something happened, and tells when: at the one time, the first or the last."""

from __future__ import annotations

from datetime import date

from noderag_local.aggregation.computed import AnswerPart, Computed, told_day, told_days
from noderag_local.aggregation.entries import Entries, NoteEntry, by_day
from noderag_local.aggregation.operation_cues import Operation
from noderag_local.aggregation.operations.happenings import happenings, within
from noderag_local.aggregation.operations.topic_tables import topic_rows
from noderag_local.aggregation.operations.unexplained import is_unexplained
from noderag_local.aggregation.plan import Plan
from noderag_local.aggregation.question_phrases import words_of
from noderag_local.system.printing.amounts import counted
from noderag_local.text.dates.days import Days


def times(plan: Plan, entries: Entries, today: date) -> Computed | None:
    """Counts the days on which something happened to the one who asks; of others, the notes seldom tell of every time."""
    if not plan.is_own:
        return None
    found = happenings(plan, entries, today)
    if rows := topic_rows(plan, entries, today):
        return _rows_and_days(within(plan, rows), _one_a_day(within(plan, found.told)), plan, found.left_out)
    if not found.told:
        return None
    inside = _one_a_day(within(plan, found.told))
    if is_unexplained(plan, entries, found, plan.days):
        return None
    text = plan.phrases.texts["once"] if len(inside) == 1 else plan.phrases.texts["times"].format(n=len(inside))
    days = [one.day for one in found.told if one.day]
    note = f"Counted by the day in the sentences that speak of it ({told_days(days)})."
    return Computed((AnswerPart(text, tuple(inside)),), _with_left_out(note, found.left_out))


def _rows_and_days(rows: list[NoteEntry], told: list[NoteEntry], plan: Plan, left_out: int) -> Computed:
    """Counts the rows of a table, and the days besides on which other notes speak of it.

    Several rows of a day may be two swims or two exercises of one visit, so the answer tells the days, too.
    """
    days = {one.day for one in rows}
    others = [one for one in told if one.day not in days]
    used = by_day((*rows, *others))
    texts, all_days = plan.phrases.texts, len(days) + len(others)
    text = texts["once"] if len(used) == 1 else texts["times"].format(n=len(used))
    if all_days != len(used):
        text = texts["on_day" if all_days == 1 else "on_days"].format(times=text, n=all_days)
    note = f"Counted: {counted(len(rows), 'rows')} of a table"
    note += f", and {counted(len(others), 'days')} besides on which other notes speak of it." if others else "."
    return Computed((AnswerPart(text, tuple(used)),), _with_left_out(note, left_out))


def moment(plan: Plan, entries: Entries, today: date) -> Computed | None:
    """Tells the day on which something happened: the first or last one if the question says so, else the only one.

    None where the day may have changed ("What is the date now?"), and where the rules know no word of the question but its names:
    "When did Bertie pass away?".
    """
    if plan.operation is Operation.WHEN and (plan.phrases.has("newest", plan.words) or _is_of_names_alone(plan)):
        return None
    found = happenings(plan, entries, today)
    rows = [] if plan.operation is Operation.WHEN else topic_rows(plan, entries, today)
    inside = _one_a_day(within(plan, by_day((*found.told, *rows))))
    if not inside or (plan.operation is Operation.WHEN and len(inside) > 1):
        return None
    chosen = inside[-1] if plan.operation is Operation.LAST else inside[0]
    is_end = plan.operation is not Operation.WHEN and plan.is_own
    if chosen.day is None or (is_end and is_unexplained(plan, entries, found, _undecided(plan, chosen.day, today))):
        return None
    note = f"From {counted(len(inside), 'days')} on which your notes speak of it."
    return Computed((AnswerPart(told_day(chosen.day, plan), (chosen,)),), _with_left_out(note, found.left_out))


def _is_of_names_alone(plan: Plan) -> bool:
    """Whether a question says nothing of what happened to those whom it names, but that they were met."""
    named = {word for name in plan.names for word in words_of(name)}
    return not plan.phrases.has("meet", plan.words) and {word for word, _ in plan.wanted} <= named


def _undecided(plan: Plan, chosen: date, today: date) -> Days:
    """Returns the days that would make another day the first or last, were something found on them."""
    first, last = (plan.days.first, plan.days.last) if plan.days else (date.min, today)
    return Days(chosen, last) if plan.operation is Operation.LAST else Days(first, chosen)


def _one_a_day(told: list[NoteEntry]) -> list[NoteEntry]:
    """The first entry of each day, without ranges in which other entries lie: these tell the same more precisely."""
    precise = [one.day for one in told if one.day and not one.until]
    kept = [one for one in told if not (one.until and one.day and any(one.day <= day <= one.until for day in precise))]
    return list({one.day: one for one in reversed(kept)}.values())[::-1]


def _with_left_out(note: str, left_out: int) -> str:
    if not left_out:
        return note
    return f"{note} Left out: {counted(left_out, 'sentences')} that plan it, deny it, or only name it."
