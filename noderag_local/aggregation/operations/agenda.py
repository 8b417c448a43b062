"""Tells what the notes have about some days: what was written on them, and what is planned for them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from functools import cache

from noderag_local.aggregation.computed import AnswerPart, Computed, told_days
from noderag_local.aggregation.entries import Entries, NoteEntry
from noderag_local.aggregation.operation_cues import Operation
from noderag_local.aggregation.operations.happenings import happenings
from noderag_local.aggregation.plan import Plan
from noderag_local.aggregation.question_phrases import LANGUAGES, phrases
from noderag_local.domain.documents import BlockKind
from noderag_local.system.printing.amounts import counted
from noderag_local.text.dates.days import Days
from noderag_local.text.stems import question_stems

LONGEST = 8
"""Most days of which everything is told; over more of them the language model sums up."""
MOST = 24
"""Most sentences that are told."""


def agenda(plan: Plan, entries: Entries, today: date) -> Computed | None:
    """Quotes what was written on the days that the question names, or what the notes plan for them."""
    days = plan.days
    if days is None or days.length > LONGEST or _asks_for_more(plan):
        return None
    is_ahead = days.first > today
    found = [one for one in entries.on_days(days) if _fits(one, is_ahead)]
    dated = [(day, one) for one in found if (day := _day_within(one, days))]
    told = sorted(dated, key=lambda pair: (pair[0], pair[1].sentence.id))
    if not told or len(told) > MOST:
        return None
    kinds = "that name one of these days" if is_ahead else "about these days, written on them or naming one"
    note = f"All {counted(len(told), 'sentences')} {kinds} ({told_days([days.first, days.last])})."
    return Computed(tuple(AnswerPart(_line(day, one, days.length > 1), (one,)) for day, one in told), note)


def beside(plan: Plan, entries: Entries, today: date) -> Computed | None:
    """Quotes what was written on the day before or after the only day on which something happened."""
    known = plan.phrases
    asking = {word for key in ("agenda", "day_before", "day_after") for phrase in known.words[key] for word in phrase}
    event = replace(plan, wanted=tuple(one for one in plan.wanted if one[0] not in asking))
    days = _days_of(event, entries, today) if event.wanted else set()
    if len(days) != 1 and event.names:
        days = _days_of(_with_any_journey(event), entries, today)
    if len(days) != 1:
        return None
    day = days.pop() + timedelta(1 if plan.operation is Operation.DAY_AFTER else -1)
    return agenda(replace(plan, wanted=(), days=Days(day, day)), entries, today)


def _days_of(plan: Plan, entries: Entries, today: date) -> set[date]:
    return {one.day for one in happenings(plan, entries, today).told if one.day}


def _with_any_journey(plan: Plan) -> Plan:
    """The same with every verb of a journey in place of those that are asked: "left for Porto" is told by "arrived in Porto"."""
    journeys = _journeys()
    others = [(word, stems) for word, stems in plan.wanted if not stems & journeys]
    return replace(plan, wanted=(*others, ("journey", journeys)))


@cache
def _journeys() -> frozenset[str]:
    """Stems of the verbs of a journey in all languages, since notes need not be in that of the question."""
    told = (phrases(language).texts["journeys"] for language in LANGUAGES)
    return frozenset[str]().union(*(stems for text in told for stems in question_stems(text).values()))


def _asks_for_more(plan: Plan) -> bool:
    """Whether the question has content words besides those that ask for the days: "What did Ana do yesterday?"."""
    asking = {word for phrase in plan.phrases.words["agenda"] for word in phrase}
    return any(word not in asking for word, _ in plan.wanted)


def _fits(entry: NoteEntry, is_ahead: bool) -> bool:
    if entry.sentence.kind is BlockKind.HEADING:
        return False
    return entry.named is not None if is_ahead else True


def _day_within(entry: NoteEntry, days: Days) -> date | None:
    """Returns the day of `days` that a sentence tells of; None if it tells of another one.

    What names a later day was still decided or planned when it was written: "Deadline moved to 6 December".
    """
    if entry.day and days.first <= entry.day <= days.last:
        return entry.day
    written = entry.written
    is_plan = written is not None and entry.named is not None and entry.named > written
    return written if is_plan and written and days.first <= written <= days.last else None


def _line(day: date, entry: NoteEntry, with_day: bool) -> str:
    text = entry.sentence.text.strip()
    return f"{day}: {text}" if with_day else text
