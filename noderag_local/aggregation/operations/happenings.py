"""Finds the entries that tell of what a question asks about, without those that only plan it or say that it was not."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from noderag_local.aggregation.entries import Entries, NoteEntry, by_day
from noderag_local.aggregation.plan import Plan
from noderag_local.aggregation.question_phrases import is_any, words_of

NEAR = 3
"""Words between a name and a sign that somebody was met: "met", "with", "came by"."""


@dataclass(frozen=True, slots=True)
class Happenings:
    """Entries of what a question asks about."""

    told: list[NoteEntry]
    """Those with a day up to today, in the order of their days."""
    left_out: int
    """Number of entries that plan or deny it, have no day or name the person without a meeting."""


def happenings(plan: Plan, entries: Entries, today: date) -> Happenings:
    """Returns what happened of what the question asks about, whenever it was."""
    found = _found(plan, entries)
    fitting = [one for one in found if not _is_planned_or_denied(one, plan)]
    if _asks_for_meetings(plan):
        fitting = [one for one in fitting if _is_meeting(one, plan)]
    told = [one for one in by_day(fitting, only_named=not plan.is_own) if one.day and one.day <= today]
    return Happenings(told, len(found) - len(told))


def within(plan: Plan, told: list[NoteEntry]) -> list[NoteEntry]:
    """Returns the entries of the days that the question limits itself to."""
    days = plan.days
    return told if days is None else [one for one in told if one.day and days.first <= one.day <= days.last]


def _found(plan: Plan, entries: Entries) -> list[NoteEntry]:
    """The entries with all words of the question; a person may be called by the first name alone."""
    meet = plan.phrases.single("meet") if _asks_for_meetings(plan) else frozenset[str]()
    named = " ".join(plan.names).casefold().split()
    others = [stems for word, stems in plan.wanted if word not in named and word not in meet]
    if not plan.names:
        return entries.with_all(others)
    found = {one.sentence.id: one for one in entries.naming(plan.names[0])}
    for name in plan.names[1:]:
        found = {one.sentence.id: one for one in entries.naming(name) if one.sentence.id in found}
    if others:
        found = {one.sentence.id: one for one in entries.with_all(others) if one.sentence.id in found}
    return list(found.values())


def _asks_for_meetings(plan: Plan) -> bool:
    return bool(plan.names) and is_any(plan.words, plan.phrases.single("meet"))


def _is_planned_or_denied(entry: NoteEntry, plan: Plan) -> bool:
    words = words_of(entry.sentence.text)
    return is_any(words, plan.phrases.single("negated")) or is_any(words, plan.phrases.single("planned"))


def _is_meeting(entry: NoteEntry, plan: Plan) -> bool:
    """Whether a sentence says that the person was met: "Coffee with Jonas", "Jonas came by", "Jonas's birthday party"."""
    words = words_of(entry.sentence.text)
    known = plan.phrases
    first = words_of(plan.names[0])[0]
    for at, word in enumerate(words):
        if word.removesuffix("'s") != first:
            continue
        if is_any(words[max(at - NEAR, 0) : at], known.single("meeting_before")):
            return True
        behind = words[at + 1 : at + 1 + NEAR]
        if is_any(behind, known.single("meeting_after") | known.single("meeting_of")):
            return True
    return False
